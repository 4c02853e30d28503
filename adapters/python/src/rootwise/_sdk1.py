"""How the official SDK 1.x lets a server ask its client: for `mcp` 1.x and FastMCP 2 and 3."""

from __future__ import annotations

import itertools
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.lowlevel.server import request_ctx
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest

from ._adapter import Adapter, Call
from .driver import ClientError, Undeliverable

if TYPE_CHECKING:
    from .types import SendRequest, Transport

#: Far above the ids that the SDK counts up itself, and numbers, because the SDK complains about other ids.
_ids = itertools.count(1_000_000_000)

_CLOSED = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)


@dataclass
class _Slot:
    arrived: anyio.Event = field(default_factory=anyio.Event)
    result: Any = None
    error: ClientError | None = None


class Router:
    """Takes the answers to our own requests out of a session, raw: one bad root does not lose the list."""

    def __init__(self) -> None:
        self.pending: dict[int, _Slot] = {}

    def route_response(self, request_id: Any, response: dict[str, Any]) -> bool:
        return self._arrived(request_id, response, None)

    def route_error(self, request_id: Any, error: Any) -> bool:
        return self._arrived(request_id, None, ClientError(error.code, error.message))

    def _arrived(self, request_id: Any, result: Any, error: ClientError | None) -> bool:
        slot = self.pending.pop(request_id, None)
        if slot is None:
            # An answer that comes after we gave up is still ours, and nobody else's surprise.
            return isinstance(request_id, int) and request_id >= 1_000_000_000
        slot.result, slot.error = result, error
        slot.arrived.set()
        return True


class Sender1:
    """Sends with the call it belongs to, so that it arrives over HTTP without a second stream."""

    def __init__(self, session: Any, router: Router, related: Any) -> None:
        self._session = weakref.ref(session)
        self._router = router
        self._related = related

    async def send(self, request: SendRequest, /) -> Any:
        number = next(_ids)
        slot = self._router.pending[number] = _Slot()
        try:
            await self._write(
                JSONRPCRequest(jsonrpc="2.0", id=number, method=request["method"], params=request.get("params"))
            )
            await slot.arrived.wait()
        except anyio.get_cancelled_exc_class():
            # The SDK would not tell the client that its answer is no longer wanted.
            with anyio.move_on_after(1, shield=True):
                params = {"requestId": number, "reason": "no longer needed"}
                await self._write(
                    JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params), quiet=True
                )
            raise
        finally:
            self._router.pending.pop(number, None)
        if slot.error is not None:
            raise slot.error
        return slot.result

    async def _write(self, message: JSONRPCRequest | JSONRPCNotification, quiet: bool = False) -> None:
        # The session is not kept between two messages: that it is gone is how a connection ends.
        session = self._session()
        metadata = ServerMessageMetadata(related_request_id=self._related)
        try:
            if session is None:
                raise anyio.ClosedResourceError
            await session.send_message(SessionMessage(JSONRPCMessage(message), metadata=metadata))
        except _CLOSED:
            if not quiet:
                raise Undeliverable from None


class Sdk1Adapter(Adapter):
    # Nothing public tells a server built with FastMCP that the roots changed.
    hears_changes = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._routers: weakref.WeakKeyDictionary[Any, Router] = weakref.WeakKeyDictionary()

    def call_of(self, context: Any, arguments: Any = None) -> Call:
        """The call a request context of the SDK describes."""
        session, params = context.session, context.session.client_params
        scope = None if context.request is None else context.request.scope
        transport: Transport = "stdio" if scope is None else "http"
        meta = context.meta.model_dump(by_alias=True, mode="json", exclude_none=True) if context.meta else None
        facts = self.facts(scope, meta, arguments)
        if params is None:
            # Stateless HTTP: nobody knows what this client can do, so it is not asked.
            return Call(self.modern(transport), "none", facts)
        said = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        connection = self.connection(session, transport, said)
        router = self._routers.get(session)
        if router is None:
            router = self._routers[session] = Router()
            session.add_response_router(router)
        return Call(connection, "request", facts, Sender1(session, router, context.request_id))


def request_context() -> Any:
    """The SDK's own context of the call that is being served, or none."""
    return request_ctx.get(None)
