"""The way from a server to its client in the official SDK 1.x: for `mcp` 1.x and FastMCP 2 and 3."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from mcp.server.lowlevel.server import request_ctx
from mcp.server.session import ServerSession
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RootsListChangedNotification

from ._adapter import Adapter
from ._call import Call
from ._inputs import as_json
from ._needs import needed
from ._project import P
from ._sender import ClientError, Sender, Undeliverable
from ._transports import has_own_stream, session_manager, session_stream, sse_scope, way_behind
from .types import EndpointSendRequest

if not hasattr(ServerSession, "add_response_router"):
    raise needed("rootwise.mcp", "mcp", "1.23")

#: Far above the ids that the SDK counts up itself, and numbers, because the SDK logs a warning for other ids.
_ids = itertools.count(1_000_000_000)

#: Ids that a session remembers when their requests are over.
_MAX_OVER = 64

_CLOSED = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)

#: Gets a further response to a request: its number, and its result or its error.
Again = Callable[[int, Any, "ClientError | None"], None]

#: Gets the responses to one request.
_Taker = Callable[[Any, "ClientError | None"], None]


class Router:
    """Takes the responses to our own requests out of a session, raw: one bad root does not lose the list.

    It claims only ids that were sent through it, so that several of them can share a session.
    """

    def __init__(self) -> None:
        #: Who takes the first response to a request.
        self.waiting: dict[int, _Taker] = {}
        #: Who takes further ones. They are still ours: the SDK would report them.
        self._over: OrderedDict[int, _Taker] = OrderedDict()

    def finish(self, request_id: int, again: _Taker) -> None:
        """Ends the wait for a first response."""
        if self.waiting.pop(request_id, None) is not None:
            self._over[request_id] = again
            if len(self._over) > _MAX_OVER:
                self._over.popitem(last=False)

    def route_response(self, request_id: Any, response: dict[str, Any]) -> bool:
        return self._arrived(request_id, response, None)

    def route_error(self, request_id: Any, error: Any) -> bool:
        return self._arrived(request_id, None, ClientError(error.code, error.message))

    def _arrived(self, request_id: Any, result: Any, error: ClientError | None) -> bool:
        taker = self.waiting.get(request_id) or self._over.get(request_id)
        if taker is not None:
            taker(result, error)
        return taker is not None


def _ignored(_result: Any, _error: ClientError | None) -> None:
    """Takes further responses to requests whose further responses say nothing."""


_routers: weakref.WeakKeyDictionary[Any, Router] = weakref.WeakKeyDictionary()


def router_of(session: Any) -> Router:
    """Returns the router of a session: one, however many adapters use the session."""
    router = _routers.get(session)
    if router is None:
        router = _routers[session] = Router()
        session.add_response_router(router)
    return router


class Sender1:
    """Sends with the call it belongs to, or outside any call."""

    def __init__(self, session: Any, related: Any = None, again: Again | None = None) -> None:
        """
        :param related: the id of the client's request
        :param again: gets every further response to a request, with its number
        """
        self._session = weakref.ref(session)
        self._router = router_of(session)
        self._related = related
        self._again = again

    async def send(self, request: EndpointSendRequest, /) -> Any:
        number, arrived = next(_ids), anyio.Event()
        again = _ignored if self._again is None else partial(self._again, request["request"])
        response: tuple[Any, ClientError | None] = None, None

        def first(*taken: Any) -> None:
            nonlocal response
            response = taken
            self._router.finish(number, again)
            arrived.set()

        self._router.waiting[number] = first
        try:
            await self._write(
                JSONRPCRequest(jsonrpc="2.0", id=number, method=request["method"], params=request.get("params"))
            )
            await arrived.wait()
        except anyio.get_cancelled_exc_class():
            # The SDK does not tell the client that the server no longer waits.
            with anyio.move_on_after(1, shield=True), suppress(Undeliverable):
                params = {"requestId": number, "reason": "no longer needed"}
                await self._write(JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))
            raise
        finally:
            self._router.finish(number, again)
        result, error = response
        if error is not None:
            raise error
        return result

    async def _write(self, message: JSONRPCRequest | JSONRPCNotification) -> None:
        # The session is not kept alive between two messages: its collection is the end of the connection.
        session = self._session()
        if session is None:
            raise Undeliverable
        metadata = ServerMessageMetadata(related_request_id=self._related)
        try:
            await session.send_message(SessionMessage(JSONRPCMessage(message), metadata=metadata))
        except _CLOSED:
            raise Undeliverable from None


class StreamSender1(Sender1):
    """Sends on the response stream of an HTTP request, so that no second stream is needed."""

    def __init__(self, session: Any, related: Any, request: Any) -> None:
        super().__init__(session, related)
        self._request = request

    async def is_open(self) -> bool:
        return not await self._request.is_disconnected()


_listeners: weakref.WeakKeyDictionary[Any, weakref.WeakSet[Sdk1Adapter[Any]]] = weakref.WeakKeyDictionary()


def listen(session: Any, adapter: Sdk1Adapter[Any]) -> None:
    """Calls an adapter when the roots of this session's client change.

    The SDK has no public hook that knows the session: handlers of notifications belong to a server. It documents
    `_received_notification` as the method that subclasses override, but makes the sessions itself. So this one session
    gets a method of its own.
    """
    if session not in _listeners:
        _listeners[session] = weakref.WeakSet()
        receive, ref = type(session)._received_notification, weakref.ref(session)

        async def received(notification: Any) -> None:
            # A method that kept its session would delay the end of both.
            of = ref()
            await receive(of, notification)
            if isinstance(getattr(notification, "root", None), RootsListChangedNotification):
                for listener in list(_listeners.get(of, ())):
                    listener.changed(of)

        session._received_notification = received
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
        transport, pipe = way_behind(getattr(session, "_write_stream", None)) if scope is None else ("http", None)
        meta, named = as_json(context.meta), self.named_by(arguments)
        stateless = params is None
        stream = scope and sse_scope(scope)
        parts = self.inputs.parts(scope, stream, meta=meta, conversation=stateless, argument=named)
        identity = weakref.ref(session), context.request_id
        if params is None:
            # Stateless HTTP: without a handshake, the next client is another one.
            return Call(self.driver(), {**parts, **self.where(transport)}, request=identity, http=request)
        found = self.session(
            session,
            transport,
            as_json(params),
            params,
            pipe,
            lambda: (Sender1(session, again=partial(self.answered_again, identity[0])), session_stream(scope)),
        )
        listen(session, self)
        sender: Sender | None = None
        if scope is not None and has_own_stream(scope) and not answers_in_json(scope):
            sender = StreamSender1(session, context.request_id, request)
        return Call(found.driver, parts, found, sender, identity, request)


def request_context() -> Any:
    """Returns the SDK's own context of the call that is being served, or none."""
    return request_ctx.get(None)


def is_over(context: Any) -> bool:
    """Tells whether the result of a call is on its way, also to work that the call began and that goes on."""
    # The SDK keeps what it serves in a private attribute; without it, every call counts as served.
    in_flight = getattr(context.session, "_in_flight", None)
    return isinstance(in_flight, dict) and context.request_id not in in_flight
