"""What the adapters for the frameworks share."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl

from ._background import home, loop
from ._error import RootwiseError
from ._facts import host_facts
from ._presets import presets
from .driver import Connection, NeedsInput, ProjectError, Sender

if TYPE_CHECKING:
    from ._project import Project
    from .types import AskBy, HostFacts, Policy, RequestFacts, SelectBy, Transport

#: Milliseconds after which a list of roots is asked for again where changes cannot be heard.
DEAF_AGE_MS = 30_000


@dataclass
class Call:
    """One request of a client, as far as finding its project goes."""

    connection: Connection
    ask_by: AskBy
    facts: RequestFacts
    sender: Sender | None = None
    #: Input requests this call must return instead of a result. A flag, because a tool may swallow an exception.
    needs: dict[str, Any] | None = None


current: ContextVar[tuple[Adapter, Call] | None] = ContextVar("rootwise_call", default=None)


class Adapter:
    """Keeps a connection per client and finds the project of a call."""

    #: Whether the framework tells when the client's roots change.
    hears_changes = True
    error: type[ProjectError] = ProjectError

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: Mapping[str, Any] | None = None,
        local: bool | None = None,
        argument: str | None = None,
        on_change: Callable[[Project | None, Project | None], None] | None = None,
    ) -> None:
        """
        :param policy: how the project is found: a preset's name or a policy of your own; by default ``recommended``
        :param host: host facts that you know better than this process
        :param local: whether an HTTP client's paths mean the same here; say so for servers on the user's own machine
        :param argument: the tool argument that names a project, where tools have one
        :param on_change: told when a connection's project is another one
        """
        self.policy: Policy = presets[policy or "recommended"] if policy is None or isinstance(policy, str) else policy
        if not self.hears_changes:
            self.policy = _aging(self.policy)
        self.argument = argument
        self._host = dict(host or {})
        if local is not None:
            self._host["local"] = local
        self._on_change = on_change
        self._connections: dict[int, Connection] = {}
        self._modern: weakref.WeakKeyDictionary[object, dict[str, Connection]] = weakref.WeakKeyDictionary()
        self._headers = _names(self.policy, "header")
        self._query = _names(self.policy, "query")

    async def project(self, *, argument: str | None = None, target: str | None = None) -> Project:
        """The project of the call that is being served.

        :param argument: the project the caller named, if it did
        :param target: a path the call touches, to tell several roots apart
        :raises ProjectError: there is none; the text is for the model, ``code`` for programs
        """
        call = self.call()
        facts: RequestFacts = {**call.facts, "argument": argument} if argument is not None else call.facts
        try:
            return await call.connection.ask(facts, ask_by=call.ask_by, target=target, sender=call.sender)
        except NeedsInput as asked:
            call.needs = asked.requests
            raise self.error(
                "needs_input", "The client is being asked for its roots; the call is made again."
            ) from None
        except ProjectError:
            raise
        except RootwiseError as error:
            # Such as `_meta` beyond all limits: what a client does must not look like a crash of the server.
            raise self.error(error.code, str(error)) from None

    async def select(self, by: SelectBy) -> Project:
        """Selects the connection's project from now on; only for clients that keep a connection.

        :raises ProjectError: it cannot be selected
        """
        call = self.call()
        return await call.connection.select(by, call.facts, ask_by=call.ask_by, sender=call.sender)

    def explain(self) -> str:
        """Why the connection of this call has the project it has, as a small table."""
        return self.call().connection.explain()["text"]

    def roots_changed(self) -> None:
        """For servers that hear of changes themselves: every connection asks again when it needs its roots next."""
        for connection in self._connections.values():
            connection.roots_changed()

    def call(self) -> Call:
        """The call that is being served."""
        found = current.get()
        if found is None or found[0] is not self:
            raise self.error("no_call", "the project is known only while a call of a client is being served")
        return found[1]

    def connection(self, key: object, transport: Transport, params: Mapping[str, Any]) -> Connection:
        """The connection of a client, which lives as long as ``key`` does."""
        found = self._connections.get(id(key))
        if found is None:
            found = self._connections[id(key)] = self._open(transport)
            found.initialized(params)
            # A client that makes calls has finished its handshake.
            found.ready()
            weakref.finalize(key, _forget, weakref.ref(self), id(key), home())
        return found

    def modern(self, transport: Transport) -> Connection:
        """The one connection for calls that stand alone; they leave nothing behind in it."""
        # A connection belongs to one event loop, and a program may have several, one after the other.
        mine = self._modern.setdefault(loop(), {})
        if transport not in mine:
            mine[transport] = self._open(transport)
        return mine[transport]

    def _open(self, transport: Transport) -> Connection:
        facts = {**host_facts(transport, policy=self.policy), "push": False, **self._host}
        host = cast("HostFacts", facts)
        return Connection(self.policy, host=host, on_change=self._on_change, error=self.error)

    def facts(
        self, scope: Mapping[str, Any] | None, meta: Any, arguments: Mapping[str, Any] | None = None
    ) -> RequestFacts:
        """What came with a request; of headers and query only what the policy reads.

        :param scope: the ASGI scope of a request over HTTP
        """
        facts: RequestFacts = {}
        if scope is not None:
            headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            facts["headers"] = _named([name.lower() for name in self._headers], headers)
            facts["query"] = _named(self._query, query)
        if meta:
            facts["meta"] = meta
        named = (arguments or {}).get(self.argument) if self.argument else None
        if isinstance(named, str):
            facts["argument"] = named
        return facts


def _forget(adapter: weakref.ref[Adapter], key: int, run: Callable[[Callable[[], None]], None]) -> None:
    alive = adapter()
    connection = alive._connections.pop(key, None) if alive else None
    if connection is not None:
        run(connection.close)


def _named(names: list[str], said: list[tuple[str, str]]) -> dict[str, str]:
    """What was said under these names; a name that is repeated counts once, the first time."""
    return {name: value for name, value in reversed(said) if name in names}


def _names(policy: Policy, kind: str) -> list[str]:
    return [name for source in policy["sources"] if source["from"] == kind for name in source.get("read", [])]


def _aging(policy: Policy) -> Policy:
    roots = policy.get("roots", {})
    if roots.get("maxAgeMs") is not None or roots.get("onChange") == "ignore":
        return policy
    return {**policy, "roots": {**roots, "maxAgeMs": DEAF_AGE_MS}}
