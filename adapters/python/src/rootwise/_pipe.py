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
    from ._call import Session

#: Messages since a second handshake that are kept for sessions that a later call opens.
_MAX_KEPT = 64

#: Requests whose further responses are reported.
_MAX_WATCHED = 8

#: Gets a further response to a request: its result or its error.
Again = Callable[[Any, "ClientError | None"], None]


class Pipe:
    """Tells the sessions on one pipe what may show that several clients share it."""

    def __init__(self) -> None:
        self._sessions: weakref.WeakSet[Session] = weakref.WeakSet()
        #: The last `initialize`, with its number and that of the request before it, if it was not the first one.
        self._handshake: tuple[Mapping[str, Any], Any, Any] | None = None
        self._count = 0
        self._is_ready = False
        #: Whether a client before the last handshake was ready.
        self._earlier_was_ready = False
        #: The number of the last request.
        self._last: Any = None
        #: What happened since the last handshake, if it was not the first one, with the numbers of requests.
        self._since: list[tuple[Any, Callable[[Session], None]]] = []
        #: Our last requests, and which of them were answered.
        self._watched: OrderedDict[str, Again] = OrderedDict()
        self._answered: set[str] = set()

    def join(self, session: Session, params: Mapping[str, Any] | None) -> None:
        """Reports the handshakes so far, and from now on every message that counts.

        :param params: of the last `initialize`, as the SDK read them; none where there was none
        """
        if params is not None:
            self._report_handshakes(session, params)
        self._sessions.add(session)

    def _report_handshakes(self, session: Session, params: Mapping[str, Any]) -> None:
        session.initialized(params)
        if self._count < 2 or self._handshake is None:
            if self._is_ready:
                session.ready()
        else:
            if self._earlier_was_ready:
                session.ready()
            session.initialized(*self._handshake)
            for _, tell in self._since:
                tell(session)

    def watch(self, number: int, again: Again) -> None:
        """Calls a function with every further response to a request of ours."""
        self._watched[str(number)] = again
        if len(self._watched) > _MAX_WATCHED:
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
                self._happened(None, _ready)
        elif method == "initialize":
            self._initialize(number, message.params or {})
        else:
            self._last = number
            self._happened(number, lambda session: session.requested(number, method))

    def ended(self) -> None:
        """Takes the end of the input."""
        self._tell_all(lambda session: session.input_closed())

    def _initialize(self, number: Any, params: Mapping[str, Any]) -> None:
        handshake = self._handshake = params, number, self._last
        self._count += 1
        self._earlier_was_ready = self._earlier_was_ready or self._is_ready
        self._is_ready, self._since, self._last = False, [], number
        if self._count > 1:
            self._tell_all(lambda session: session.initialized(*handshake))

    def _happened(self, number: Any, tell: Callable[[Session], None]) -> None:
        if self._count < 2 or self._handshake is None:
            return
        if len(self._since) >= _MAX_KEPT:
            # Only the last number is needed to recognise the next one.
            params, _, previous = self._handshake
            self._handshake = params, [kept for kept, _ in self._since if kept is not None][-1], previous
            self._since = [(None, _ready)] if self._is_ready else []
        self._since.append((number, tell))
        self._tell_all(tell)

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

    def _tell_all(self, tell: Callable[[Session], None]) -> None:
        for session in list(self._sessions):
            try:
                tell(session)
            except Exception:
                # The others are to hear of it.
                logger.exception("rootwise: a message could not be reported")


def _ready(session: Session) -> None:
    session.ready()


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
        try:
            return self._shown(await self._stream.__anext__())
        except StopAsyncIteration:
            self._pipe.ended()
            raise

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
