"""How a connection reaches this process, told by the SDK's own transports.

The SDK shows an HTTP request with each call, but hides what else is behind a session: a pair of streams may be the
process's own input and output, a client in the same process, or a socket from anywhere. It also hides the address with
which a client opened the stream of the older SSE transport. So this module observes the functions that make streams.
"""

from __future__ import annotations

import contextlib
import functools
import re
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import GET_STREAM_KEY
from mcp.shared.memory import create_client_server_memory_streams

from ._call import Via
from ._log import logger
from ._pipe import ObservedStream, Pipe
from ._weak import WeakMap

#: What is behind the streams that servers write to; those that they read, SDK 2.x replaces.
_ways: WeakMap[tuple[Via, Pipe | None]] = WeakMap()

#: The scopes of the requests that opened SSE streams, by session.
_sse_scopes: dict[str, Mapping[str, Any]] = {}

_SESSION_ID = re.compile(rb"session_id=([0-9a-f]{32})")


def way_behind(written: object) -> tuple[Via, Pipe | None]:
    """Tells what is behind the stream that a server writes to; ``other`` if no transport of the SDK made it.

    The process's own input and output come with the pipe that shows what arrives.
    """
    return (None if written is None else _ways.get(_inner(written))) or ("other", None)


def sse_scope(scope: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the scope of the request that opened the SSE stream to which another request belongs."""
    [session, *_] = parse_qs(scope["query_string"].decode("latin-1")).get("session_id", [""])
    return _sse_scopes.get(session)


def session_manager(scope: Mapping[str, Any]) -> Any:
    """Returns the SDK's manager of HTTP sessions that serves a request; none in applications that hide it."""
    app = scope.get("endpoint")
    # Authentication and other middleware wrap the application.
    for _ in range(8):
        manager = getattr(app, "session_manager", None)
        if manager is not None:
            return manager
        app = getattr(app, "app", None)
    return None


def has_own_stream(scope: Mapping[str, Any]) -> bool:
    """Tells whether a call has a response stream of its own: over Streamable HTTP, not over the older SSE transport."""
    return bool(_session_id(scope))


def session_stream(scope: Mapping[str, Any] | None) -> Callable[[], bool] | None:
    """Returns a function that tells whether a client now listens outside calls; none where it always does.

    Over Streamable HTTP a client may listen on the stream of its session; the older SSE transport is such a stream.
    """
    if scope is None:
        return None
    session = _session_id(scope)
    if not session:
        return lambda: True
    transports = getattr(session_manager(scope), "_server_instances", None) or {}
    transport = weakref.ref(transports[session]) if session in transports else lambda: None
    return lambda: GET_STREAM_KEY in (getattr(transport(), "_request_streams", None) or {})


def _session_id(scope: Mapping[str, Any]) -> str:
    """Returns the id of a session over Streamable HTTP."""
    return next((value.decode() for name, value in scope["headers"] if name.lower() == b"mcp-session-id"), "")


def _inner(stream: object) -> object:
    # A wrapper of SDK 2.x, which cannot be referred to weakly.
    return getattr(stream, "_inner", stream)


def _observe(function: Any, made: Callable[[Any, Any], Any]) -> None:
    """Calls ``made`` with the arguments and the streams of a context manager of the SDK; it returns those to use.

    Frameworks and servers import such a function by its name, so the function itself must change.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cell = cells["func"]
    original = contextlib.asynccontextmanager(cell.cell_contents)

    async def observed(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async with original(*args, **kwargs) as streams:
            try:
                used = made([*args, *kwargs.values()], streams)
            except Exception:
                logger.exception("rootwise: a transport could not be observed")
                used = streams
            yield used

    cell.cell_contents = observed


def _stdio(given: Any, streams: Any) -> Any:
    if any(file is not None for file in given):
        # Files that a server passes may be anything.
        return streams
    read, written = streams
    pipe = Pipe()
    _ways.add(_inner(written), ("stdio", pipe))
    return ObservedStream(read, pipe), written


def _memory(_given: Any, streams: Any) -> Any:
    _ways.add(_inner(streams[1][1]), ("memory", None))
    return streams


def _observe_sse(transport: Any) -> None:
    connect = transport.connect_sse

    @contextlib.asynccontextmanager
    @functools.wraps(connect)
    async def connect_sse(self: Any, scope: Any, receive: Any, send: Any) -> AsyncIterator[Any]:
        session = ""

        async def sent(message: Any) -> None:
            # The first event tells the client where to post; before that, it cannot.
            nonlocal session
            if not session and (found := _SESSION_ID.search(message.get("body", b""))):
                session = found[1].decode()
                _sse_scopes[session] = scope
            await send(message)

        try:
            async with connect(self, scope, receive, sent) as streams:
                yield streams
        finally:
            _sse_scopes.pop(session, None)

    transport.connect_sse = connect_sse


_observe(stdio_server, _stdio)
_observe(create_client_server_memory_streams, _memory)
_observe_sse(SseServerTransport)
