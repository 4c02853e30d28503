"""Contexts that code passes in: those of the frameworks, and what stands for one in a unit test."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from ._call import Call
from ._inputs import as_json
from ._sender import ClientError, Undeliverable
from .types import Answer, EndpointSendRequest

#: The packages that make real sessions.
_FRAMEWORKS = ("mcp", "fastmcp")


def session_in(context: Any) -> Any:
    """Returns the framework's session that a context belongs to; none where the framework has none now."""
    # FastMCP raises where no request is being served.
    with suppress(RuntimeError, AttributeError, LookupError):
        return context.session
    return None


def stands_for_session(session: Any) -> bool:
    """Tells whether a session is a stand-in of a unit test."""
    # A mock lies about `__class__`, not about its type.
    return type(session).__module__.partition(".")[0] not in _FRAMEWORKS and hasattr(session, "list_roots")


def declares_roots(session: Any) -> bool:
    """Tells whether a stand-in has roots: it has, unless its ``check_client_capability`` says that it has not."""
    check = getattr(session, "check_client_capability", None)
    if not callable(check):
        return True
    wanted: Any = SimpleNamespace(roots=SimpleNamespace(listChanged=None))
    with suppress(ImportError):
        from mcp.types import ClientCapabilities, RootsCapability

        wanted = ClientCapabilities(roots=RootsCapability())
    answer = check(wanted)
    if inspect.iscoroutine(answer):
        # As an `AsyncMock` answers that nobody has told what to say.
        answer.close()
    return answer is not False


def http_scope_in(context: Any) -> Mapping[str, Any] | None:
    """Returns what a stand-in for an HTTP request says, as an ASGI scope; none where there is no such stand-in."""
    request = getattr(getattr(context, "request_context", None), "request", None)
    query, headers = getattr(request, "query_params", None), getattr(request, "headers", None)
    if not isinstance(query, Mapping) and not isinstance(headers, Mapping):
        return None
    parts = dict(headers) if isinstance(headers, Mapping) else {}
    return {
        "headers": [(str(name).encode(), str(value).encode()) for name, value in parts.items()],
        "query_string": urlencode(dict(query)).encode() if isinstance(query, Mapping) else b"",
    }


class StandInCall(Call):
    """A call of a stand-in that says something about its project; it is over with its answer."""

    async def ask(self, kind: str = "asked", **more: Any) -> Answer:
        try:
            return await super().ask(kind, **more)
        finally:
            self.end()


class StandInSender:
    """Asks a stand-in as a server asks the session of an SDK: by its method ``list_roots``."""

    def __init__(self, session: Any) -> None:
        # The test that made it decides how long it lives.
        self._session = weakref.ref(session)

    async def send(self, request: EndpointSendRequest, /) -> Any:
        session = self._session()
        # It has no user who could be asked.
        if session is None or request["method"] != "roots/list":
            raise Undeliverable
        try:
            result = await session.list_roots()
        except Exception as problem:
            code = getattr(getattr(problem, "error", None), "code", None)
            if isinstance(code, int):
                raise ClientError(code, str(problem)) from problem
            raise
        raw = as_json(result) if type(result).__module__.partition(".")[0] != "unittest" else result
        if isinstance(raw, dict):
            return raw
        return {"roots": [_root(root) for root in raw.roots]}


def _root(root: Any) -> dict[str, Any]:
    """Returns a root as a client sends it; tests may use any object with its attributes."""
    name = getattr(root, "name", None)
    return {"uri": str(root.uri), **({"name": name} if isinstance(name, str) else {})}
