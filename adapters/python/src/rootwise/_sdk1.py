"""The way from a server to its client in the official SDK 1.x: for `mcp` 1.x and FastMCP 2 and 3."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.lowlevel.server import request_ctx
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RootsListChangedNotification

from ._adapter import Adapter, has_own_stream
from ._call import Call, Via
from ._project import P
from ._transports import has_session_stream, kind_of_stream, pipe_of_stream, session_manager, sse_scope
from .driver import ClientError, Undeliverable
from .types import SendRequest

#: Far above the ids that the SDK counts up itself, and numbers, because the SDK logs a warning for other ids.
_ids = itertools.count(1_000_000_000)

#: Ids that a session remembers after it gave up on them.
_MOST_LATE = 64

#: Requests whose further responses count, as the core counts them.
_MOST_ANSWERED = 8

_CLOSED = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)


@dataclass
class _Reply:
    arrived: anyio.Event = field(default_factory=anyio.Event)
    result: Any = None
    error: ClientError | None = None
    #: Gets every further response to the same request.
    again: Callable[[Any, ClientError | None], None] | None = None


class Router:
    """Takes the responses to our own requests out of a session, raw: one bad root does not lose the list.

    It claims only ids that were sent through it, so that several of them can share a session.
    """

    def __init__(self) -> None:
        self.pending: dict[int, _Reply] = {}
        self._late: OrderedDict[int, None] = OrderedDict()
        #: The last requests that were answered.
        self._answered: OrderedDict[int, _Reply] = OrderedDict()

    def route_response(self, request_id: Any, response: dict[str, Any]) -> bool:
        return self._arrived(request_id, response, None)

    def route_error(self, request_id: Any, error: Any) -> bool:
        return self._arrived(request_id, None, ClientError(error.code, error.message))

    def give_up(self, request_id: int) -> None:
        """Ends a request; its response is still ours and must not reach the SDK, which would report it as unknown."""
        if self.pending.pop(request_id, None) is not None:
            self._late[request_id] = None
            while len(self._late) > _MOST_LATE:
                self._late.popitem(last=False)

    def _arrived(self, request_id: Any, result: Any, error: ClientError | None) -> bool:
        reply = self.pending.pop(request_id, None)
        if reply is None:
            answered = self._answered.get(request_id)
            if answered is not None and answered.again is not None:
                answered.again(result, error)
            return answered is not None or self._late.pop(request_id, 0) is None
        self._answered[request_id] = reply
        if len(self._answered) > _MOST_ANSWERED:
            self._answered.popitem(last=False)
        reply.result, reply.error = result, error
        reply.arrived.set()
        return True


_routers: weakref.WeakKeyDictionary[Any, Router] = weakref.WeakKeyDictionary()


def router_of(session: Any) -> Router:
    """Returns the router of a session: one, however many adapters use the session."""
    router = _routers.get(session)
    if router is None:
        router = _routers[session] = Router()
        session.add_response_router(router)
    return router


class Sender1:
    """Sends with the call it belongs to."""

    def __init__(
        self, session: Any, related: Any, again: Callable[[int, Any, ClientError | None], None] | None = None
    ) -> None:
        """
        :param again: gets every further response to a request, with its number
        """
        self._session = weakref.ref(session)
        self._router = router_of(session)
        self._related = related
        self._again = again

    async def send(self, request: SendRequest, /) -> Any:
        number = next(_ids)
        again = functools.partial(self._again, request["request"]) if self._again is not None else None
        reply = self._router.pending[number] = _Reply(again=again)
        try:
            await self._write(
                JSONRPCRequest(jsonrpc="2.0", id=number, method=request["method"], params=request.get("params"))
            )
            await reply.arrived.wait()
        except anyio.get_cancelled_exc_class():
            # The SDK does not tell the client that the server no longer waits.
            with anyio.move_on_after(1, shield=True):
                params = {"requestId": number, "reason": "no longer needed"}
                await self._write(
                    JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params), quiet=True
                )
            raise
        finally:
            self._router.give_up(number)
        if reply.error is not None:
            raise reply.error
        return reply.result

    async def _write(self, message: JSONRPCRequest | JSONRPCNotification, quiet: bool = False) -> None:
        # The session is not kept alive between two messages: its collection is the end of the connection.
        session = self._session()
        metadata = ServerMessageMetadata(related_request_id=self._related)
        try:
            if session is None:
                raise anyio.ClosedResourceError
            await session.send_message(SessionMessage(JSONRPCMessage(message), metadata=metadata))
        except _CLOSED:
            if not quiet:
                raise Undeliverable from None


class StreamSender1(Sender1):
    """Sends on the response stream of an HTTP request, so that no second stream is needed."""

    def __init__(self, session: Any, related: Any, request: Any) -> None:
        super().__init__(session, related)
        self._request = request

    async def is_open(self) -> bool:
        return not await self._request.is_disconnected()


class PipeSender1(Sender1):
    """Sends outside a call, on a connection that carries everything."""

    def __init__(self, session: Any, again: Callable[[int, Any, ClientError | None], None] | None = None) -> None:
        super().__init__(session, None, again)

    def reaches(self) -> bool:
        return True


class SessionSender1(PipeSender1):
    """Sends outside a call, on the stream that a client may open for its HTTP session."""

    def __init__(self, session: Any, is_listening: Callable[[], bool]) -> None:
        super().__init__(session)
        self.reaches = is_listening  # type: ignore[method-assign]

    async def is_open(self) -> bool:
        return self.reaches()


_listeners: weakref.WeakKeyDictionary[Any, weakref.WeakSet[Sdk1Adapter[Any]]] = weakref.WeakKeyDictionary()


@functools.cache
def _listening(session_type: Any) -> type[Any]:
    class ListeningSession(session_type):  # type: ignore[misc]
        async def _received_notification(self, notification: Any) -> None:
            await super()._received_notification(notification)
            if isinstance(getattr(notification, "root", None), RootsListChangedNotification):
                for adapter in list(_listeners.get(self, ())):
                    adapter.changed(self)

    ListeningSession.__name__ = ListeningSession.__qualname__ = session_type.__name__
    return ListeningSession


def listen(session: Any, adapter: Sdk1Adapter[Any]) -> None:
    """Calls an adapter when the roots of this session's client change.

    The SDK documents `_received_notification` as the method that subclasses of a session override for notifications,
    and it has no other hook that knows the session. So the session gets such a subclass as its class.
    """
    if session not in _listeners:
        _listeners[session] = weakref.WeakSet()
        session_type: Any = type(session)
        session.__class__ = _listening(session_type)
    _listeners[session].add(adapter)


def answers_in_json(scope: Mapping[str, Any]) -> bool:
    """Tells whether the response to a call is a single JSON document, which carries no request to the client.

    The SDK drops such a request without a word. Only the applications that the frameworks make show how they answer.
    """
    return getattr(session_manager(scope), "json_response", None) is True


class Sdk1Adapter(Adapter[P]):
    def call_of(self, context: Any, arguments: Any = None) -> Call:
        """Returns the call that a request context of the SDK describes."""
        session, params, request = context.session, context.session.client_params, context.request
        scope = None if request is None else request.scope
        written = None if scope is not None else getattr(session, "_write_stream", None)
        transport: Via = "http" if scope is not None else kind_of_stream(written)
        meta = context.meta.model_dump(by_alias=True, mode="json", exclude_none=True) if context.meta else None
        facts = self.request_facts(scope, meta, arguments, scope and sse_scope(scope))
        number = context.request_id
        if params is None:
            # Stateless HTTP: without a handshake the client's capabilities are unknown, and the next client is another.
            self.tell_cannot_ask()
            return Call("none", self.standalone_facts(facts), transport, request=(weakref.ref(session), number))
        connection = self.connection(
            session,
            transport,
            params.model_dump(by_alias=True, mode="json", exclude_none=True),
            params,
            pipe_of_stream(written),
        )
        listen(session, self)
        own_stream = scope is not None and has_own_stream(scope)
        again = connection.answered_again if scope is None else None
        if connection.outside_calls is None:
            listening = has_session_stream(scope) if scope is not None and own_stream else None
            connection.outside_calls = SessionSender1(session, listening) if listening else PipeSender1(session, again)
        if scope is not None and answers_in_json(scope):
            if params.capabilities.roots is not None:
                self.tell_cannot_ask(connection)
            return Call("none", facts, transport, connection, request=(weakref.ref(session), number))
        sender = StreamSender1(session, number, request) if own_stream else Sender1(session, number, again)
        return Call("request", facts, transport, connection, sender, request=(weakref.ref(session), number))

    def changed(self, session: Any) -> None:
        """Reports that the roots of this session's client changed."""
        connection = self.connection_for(session)
        if connection is not None:
            connection.roots_changed()


def request_context() -> Any:
    """Returns the SDK's own context of the call that is being served, or none."""
    return request_ctx.get(None)


def is_over(context: Any) -> bool:
    """Tells whether the result of a call is on its way, also to work that the call began and that goes on."""
    # The SDK keeps what it serves in a private attribute; without it, every call counts as served.
    in_flight = getattr(context.session, "_in_flight", None)
    return isinstance(in_flight, dict) and context.request_id not in in_flight
