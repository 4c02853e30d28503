"""The messages that arrive over the process's own input, before the SDK reads them.

Some gateways put several clients on one pipe. The core recognises them by messages that the SDKs hide: handshakes
before the first call, the order of all requests, and second answers to one question.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._log import logger
from ._sender import ClientError

if TYPE_CHECKING:
    from .driver import Connection

#: Messages of a second handshake's client that are kept for connections that a later call opens.
_MOST_KEPT = 64

#: Requests whose further responses count, as the core counts them.
_MOST_WATCHED = 8

#: Stands for `notifications/initialized` among ids of requests.
_READY = object()

#: Gets a further response to a request: its result or its error.
Again = Callable[[Any, "ClientError | None"], None]


class Pipe:
    """Tells the connections on one pipe what may show that several clients share it."""

    def __init__(self) -> None:
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        #: The params of the last `initialize`.
        self._params: Mapping[str, Any] | None = None
        #: Whether it was not the first one.
        self._again = False
        self._is_ready = False
        #: The id of the last request.
        self._last: Any = None
        #: What connections that open later must hear first: of the client before the last handshake, and since then.
        self._earlier_was_ready = False
        self._earlier: Any = None
        self._number: Any = None
        self._since: list[Any] = []
        #: Our last requests, and which of them were answered.
        self._watched: OrderedDict[str, Again] = OrderedDict()
        self._answered: set[str] = set()

    def join(self, connection: Connection, params: Mapping[str, Any]) -> None:
        """Reports the handshakes so far, and from now on every message that counts.

        :param params: of the last `initialize`, as the SDK read them
        """
        connection.initialized(params)
        if self._again:
            if self._earlier_was_ready:
                connection.ready()
            connection.requested(self._earlier)
            connection.initialized_again(self._params or {}, self._number)
            for what in self._since:
                _tell(connection, what)
        elif self._is_ready:
            connection.ready()
        self._connections.add(connection)

    def watch(self, number: int, again: Again) -> None:
        """Calls a function with every further response to a request of ours."""
        self._watched[str(number)] = again
        if len(self._watched) > _MOST_WATCHED:
            oldest, _ = self._watched.popitem(last=False)
            self._answered.discard(oldest)

    def received(self, item: Any) -> None:
        """Takes what the SDK is about to read."""
        message: Any = getattr(item, "message", None)
        # The SDK 1.x wraps it.
        message = getattr(message, "root", message)
        method, number = getattr(message, "method", None), getattr(message, "id", None)
        if method is None:
            self._response(number, message)
        elif number is None:
            if method == "notifications/initialized" and not self._is_ready:
                self._is_ready = True
                self._happened(_READY)
        elif method == "initialize":
            self._initialize(number, message.params or {})
        else:
            self._last = number
            # A client may send a ping before its handshake ends, which the core takes for a call.
            if method != "ping" or self._is_ready:
                self._happened(number)

    def _initialize(self, number: Any, params: Mapping[str, Any]) -> None:
        is_second = self._params is not None and not self._again
        self._again = self._params is not None
        self._earlier_was_ready, self._earlier = self._earlier_was_ready or self._is_ready, self._last
        self._is_ready, self._since = False, []
        self._params, self._number, self._last = params, number, number
        if is_second:
            self._tell_all(lambda connection: connection.requested(self._earlier))
        if self._again:
            self._tell_all(lambda connection: connection.initialized_again(params, number))

    def _happened(self, what: Any) -> None:
        if not self._again:
            return
        if len(self._since) >= _MOST_KEPT:
            # Only the last id is needed to recognise the next one.
            self._number = [kept for kept in self._since if kept is not _READY][-1]
            self._since = [_READY] if self._is_ready else []
        self._since.append(what)
        self._tell_all(lambda connection: _tell(connection, what))

    def _response(self, number: Any, message: Any) -> None:
        # Clients may send the number as a text, which the SDKs accept.
        number = str(number)
        again = self._watched.get(number)
        if again is None:
            return
        if number not in self._answered:
            self._answered.add(number)
            return
        error = getattr(message, "error", None)
        again(getattr(message, "result", None), None if error is None else ClientError(error.code, error.message))

    def _tell_all(self, tell: Callable[[Connection], None]) -> None:
        for connection in list(self._connections):
            try:
                tell(connection)
            except Exception:
                # The others are to hear of it.
                logger.exception("rootwise: a message could not be reported")


def _tell(connection: Connection, what: Any) -> None:
    if what is _READY:
        connection.ready()
    else:
        connection.requested(what)


class ObservedStream:
    """A stream that servers read; shows everything to a pipe first."""

    def __init__(self, stream: Any, pipe: Pipe) -> None:
        self._stream = stream
        self._pipe = pipe

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def receive(self) -> Any:
        return self._shown(await self._stream.receive())

    def __aiter__(self) -> ObservedStream:
        return self

    async def __anext__(self) -> Any:
        return self._shown(await self._stream.__anext__())

    async def __aenter__(self) -> ObservedStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *problem: Any) -> Any:
        return await self._stream.__aexit__(*problem)

    def _shown(self, item: Any) -> Any:
        try:
            self._pipe.received(item)
        except Exception:
            logger.exception("rootwise: a message could not be observed")
        return item
