"""The parts of a request that a policy reads, as the event ``callStarted`` has them.

Everything else belongs to other parties, and is not passed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ._functions import policy_inputs
from ._text import is_utf8, readable

if TYPE_CHECKING:
    from .types import Policy


#: The parts that may be empty.
_MAPS = ("headers", "query", "meta", "inputResponses")


class Inputs:
    """The inputs that a policy reads."""

    def __init__(self, policy: Policy) -> None:
        inputs = policy_inputs(policy)
        self._headers, self._query = frozenset(inputs["headers"]), frozenset(inputs["query"])
        #: Whether the policy reads the project that a call names in an argument.
        self.argument: bool = inputs["argument"]
        #: Top-level keys of `_meta`.
        self.meta = frozenset(names[0] for names in inputs["meta"] if names)
        #: Keys of `_meta` by which clients name a conversation.
        self._conversation = frozenset(inputs["conversation"])
        #: The keys of our questions among a call's input requests and responses.
        self.keys = frozenset(inputs["inputKeys"])

    def parts(
        self,
        scope: Mapping[str, Any] | None,
        stream: Mapping[str, Any] | None = None,
        *,
        meta: object = None,
        conversation: bool = False,
        responses: object = None,
        **more: object,
    ) -> dict[str, Any]:
        """Returns the parts of a request.

        :param scope: the ASGI scope of a request over HTTP
        :param stream: the scope of the request that opened the stream to which it belongs; its address counts too
        :param conversation: whether the conversation counts that the call belongs to; a legacy call belongs to its
            session, whatever it sends
        :param responses: the answers that came with the call
        """
        found = {name: part for name, part in more.items() if part is not None}
        if scope is not None:
            # The endpoint decodes them: each byte is passed as the character with its number.
            headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
            found["headers"] = _joined(self._headers, headers)
            found["query"] = {**_query(self._query, stream), **_query(self._query, scope)}
        for name, given, keys in (("meta", meta, self.meta), ("inputResponses", responses, self.keys)):
            if isinstance(given, Mapping):
                found[name] = {key: readable(value) for key, value in given.items() if key in keys}
        if conversation and isinstance(meta, Mapping):
            # The endpoint decides which one counts.
            ids = {key: meta[key] for key in self._conversation if _is_text(meta.get(key))}
            read: Any = found["meta"]
            found["meta"] = {**ids, **read}
        # A call that has nothing that the policy reads is like every other one of its session.
        return {name: part for name, part in found.items() if part or name not in _MAPS}


def _is_text(given: object) -> bool:
    return isinstance(given, str) and is_utf8(given) and readable(given) is not None


def as_json(value: Any) -> Any:
    """Returns a model of an SDK as JSON, and any other value as it is."""
    return value.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _text(raw: bytes) -> str:
    """Decodes a query: UTF-8, as clients send it, else ISO 8859-1."""
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
