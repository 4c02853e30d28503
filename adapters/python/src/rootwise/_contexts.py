"""Contexts that code passes in: those of the frameworks, and what stands for one in a unit test."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any

from ._inputs import as_json
from ._sender import ClientError, Undeliverable
from .types import EndpointSendRequest

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


class StandInSender:
    """Asks a stand-in as a server asks the session of an SDK: by its method ``list_roots``."""

    def __init__(self, session: Any) -> None:
        # The test that made it decides how long it lives.
        self._session = weakref.ref(session)

    async def send(self, request: EndpointSendRequest, /) -> Any:
        session = self._session()
        if session is None:
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
