"""The parts of a request, the environment and the command line that a policy reads.

Everything else belongs to other parties: it does not count against our limits and cannot fail a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ._error import RootwiseError
from ._text import exceeds, text_of

if TYPE_CHECKING:
    from .types import Policy, RequestFacts

#: The key of our question among a call's input requests and responses.
INPUT_KEY = "rootwise"

#: Bytes of one value; far above any path and any list of roots that is kept.
MOST_OF_VALUE = 256 << 10


@dataclass(frozen=True)
class PolicyInputs:
    """The inputs that a policy reads, by name."""

    #: Lower case.
    headers: frozenset[str]
    query: frozenset[str]
    #: Top-level keys of `_meta`.
    meta: frozenset[str]
    env: frozenset[str]
    #: Command line options, without dashes.
    options: frozenset[str]

    def facts(self, scope: Mapping[str, Any] | None, stream: Mapping[str, Any] | None, meta: object) -> RequestFacts:
        """Returns the facts of a request.

        :param scope: the ASGI scope of a request over HTTP
        :param stream: the scope of the request that opened the stream to which it belongs; its address counts too
        """
        facts: RequestFacts = {}
        if scope is not None:
            headers = [(_text(name).lower(), _text(value)) for name, value in scope["headers"]]
            facts["headers"] = _joined(self.headers, headers)
            facts["query"] = {**_query(self.query, stream), **_query(self.query, scope)}
        if isinstance(meta, Mapping):
            read = {key: readable(value) for key, value in meta.items() if key in self.meta}
            if read:
                facts["meta"] = read
        return facts


def policy_inputs(policy: Policy) -> PolicyInputs:
    def read(kind: str) -> list[str]:
        return [name for source in policy["sources"] if source["from"] == kind for name in source.get("read", [])]

    configured = read("configured")
    conditions = [source.get("when") or {} for source in policy["sources"]]
    return PolicyInputs(
        headers=frozenset(name.lower() for name in read("header")),
        query=frozenset(read("query")),
        meta=frozenset(_top_key(pointer) for pointer in read("meta")),
        env=frozenset([*read("env"), *(name[1:] for name in configured if name.startswith("$"))]),
        options=frozenset(
            [
                *(name for name in configured if not name.startswith("$")),
                *(name for condition in conditions if (name := condition.get("argument"))),
            ]
        ),
    )


def readable(value: Any) -> Any:
    """Returns a peer's value, or none in place of one that JSON cannot express or that is too large for a fact."""
    if isinstance(value, str) and len(value) * 4 <= MOST_OF_VALUE:
        return value
    try:
        return None if exceeds(text_of(value, "bad_event", "the value"), MOST_OF_VALUE) else value
    except RootwiseError:
        return None


def _top_key(pointer: str) -> str:
    """Returns the first part of a JSON pointer."""
    return pointer.split("/")[1].replace("~1", "/").replace("~0", "~") if "/" in pointer else ""


def _text(raw: bytes) -> str:
    """Decodes a header or a query: UTF-8, as clients send it, else ISO 8859-1, as HTTP once defined it."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _joined(names: Iterable[str], given: list[tuple[str, str]]) -> dict[str, str]:
    """Returns the values of these headers; different values of one are joined, as HTTP does."""
    found: dict[str, dict[str, None]] = {}
    for name, value in given:
        if name in names:
            found.setdefault(name, {})[value] = None
    return {name: ", ".join(values) for name, values in found.items()}


def _query(names: Iterable[str], scope: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns the query parameters of these names; of a repeated one the first."""
    given = parse_qsl(_text(scope["query_string"]), keep_blank_values=True) if scope is not None else []
    return {name: value for name, value in reversed(given) if name in names}
