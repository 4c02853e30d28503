"""The way from a server to its client in the official SDK 2.x, in both eras: for `mcp` 2.x and FastMCP 4."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from mcp.shared.direct_dispatcher import DIRECT_TRANSPORT_KIND
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, ConfigDict

from ._adapter import Adapter
from ._call import Call, Via
from ._inputs import as_json
from ._pipe import Pipe
from ._project import P
from ._sender import ClientError, Sender, Undeliverable
from ._transports import has_own_stream, session_stream, sse_scope, way_behind
from .types import EndpointSendRequest

#: The first revision whose calls have no session.
_MODERN = "2026-07-28"

#: The client's description of itself in the `_meta` of such calls.
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

#: Ids of our requests on a pipe, far above those that the SDK counts up itself.
_ids = itertools.count(1_000_000_000)

#: Gets a further response to a request: its number, and its result or its error.
Again = Callable[[int, Any, "ClientError | None"], None]

#: JSON-RPC codes with which the SDK, not the client, ends a request.
_CLOSED, _TIMED_OUT = -32000, -32001


class _RawResult(BaseModel):
    """Takes any result as it is: one bad root does not lose the list."""

    model_config = ConfigDict(extra="allow")


class _RawRequest:
    """Looks like a request to the SDK. The SDK has no result type for its `method`, so it validates nothing."""

    method = "rootwise/raw"

    def __init__(self, request: EndpointSendRequest) -> None:
        self._content: dict[str, Any] = {"method": request["method"]}
        if "params" in request:
            self._content["params"] = request["params"]

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self._content


@contextmanager
def _failures() -> Iterator[None]:
    """Turns the SDK's errors into those of the driver."""
    try:
        yield
    except NoBackChannelError:
        raise Undeliverable from None
    except MCPError as error:
        if error.code in (_CLOSED, _TIMED_OUT):
            raise Undeliverable from None
        raise ClientError(error.code, error.message) from None


class Sender2:
    """Sends with the call it belongs to."""

    def __init__(self, session: Any, related: Any) -> None:
        self._session = session
        self._related = related

    async def send(self, request: EndpointSendRequest, /) -> Any:
        metadata = ServerMessageMetadata(related_request_id=self._related)
        with _failures():
            result = await self._session.send_request(_RawRequest(request), _RawResult, metadata=metadata)
        return result.model_dump(mode="json")


class StreamSender2(Sender2):
    """Sends on the response stream of an HTTP request, so that no second stream is needed."""

    def __init__(self, session: Any, related: Any, request: Any) -> None:
        super().__init__(session, related)
        self._request = request

    async def is_open(self) -> bool:
        return self._session.can_send_request and not await self._request.is_disconnected()


class PipeSender2:
    """Sends outside a call, on a connection that carries everything."""

    def __init__(self, connection: Any, pipe: Pipe | None = None, again: Again | None = None) -> None:
        """
        :param again: gets every further response to a request, with its number
        """
        # Its end is the end of ours.
        self._connection = weakref.ref(connection)
        self._pipe = pipe
        self._again = again

    async def send(self, request: EndpointSendRequest, /) -> Any:
        connection = self._connection()
        if connection is None:
            raise Undeliverable
        options: dict[str, Any] = {}
        if self._pipe is not None and self._again is not None:
            options["request_id"] = number = next(_ids)
            self._pipe.watch(number, partial(self._again, request["request"]))
        with _failures():
            return await connection.send_raw_request(request["method"], request.get("params"), options or None)


class Sdk2Adapter(Adapter[P]):
    def call_of(self, context: Any, method: str, meta: Any, arguments: Any, responses: Any, state: Any) -> Call:
        """Returns the call that a request context of the SDK describes.

        :param responses: the call's raw input responses, if it has any
        :param state: the state that came with them
        """
        session, request, number = context.session, context.request, context.request_id
        scope = None if request is None else request.scope
        modern = context.protocol_version >= _MODERN
        parts: dict[str, Any] = {"method": method, "protocolVersion": context.protocol_version}
        if modern:
            given = meta if isinstance(meta, Mapping) else {}
            # With an object that declares nothing, the call is modern all the same.
            parts["capabilities"] = given.get(_CAPABILITIES) or {}
            parts["clientInfo"] = given.get(_CLIENT_INFO)
            parts.update(responses=responses, requestState=state if isinstance(state, str) else None)
        named = self.named_by(arguments)
        alone = modern or session.client_params is None
        stream = scope and sse_scope(scope)
        parts = self.inputs.parts(scope, stream, meta=meta, conversation=alone, argument=named, **parts)
        identity = weakref.ref(session), number
        loop = _loop_behind(session) if alone and scope is None else None
        found = None if loop is None else self._sessions.get(loop)
        if found is not None:
            return Call(found.driver, parts, found, request=identity)
        transport, pipe = _way_to(session) if scope is None else ("http", None)
        if alone:
            if loop is None:
                # Nothing ties this call to the next one.
                return Call(self.driver(), {**parts, **self.where(transport)}, request=identity, http=request)
            found = self.session(loop, transport, None, pipe=pipe)
            return Call(found.driver, parts, found, request=identity)
        key, params = _key_of(session), session.client_params

        def way() -> tuple[Sender | None, Callable[[], bool] | None]:
            # The SDK keeps the connection private; without it, requests travel with calls.
            outside = getattr(session, "_connection", None)
            if outside is None:
                return None, None
            return PipeSender2(outside, pipe, partial(self.answered_again, weakref.ref(key))), session_stream(scope)

        found = self.session(key, transport, as_json(params), params, pipe, way)
        sender: Sender | None = None
        if scope is not None and has_own_stream(scope):
            sender = StreamSender2(session, number, request) if session.can_send_request else None
        elif found.sender is None:
            sender = Sender2(session, number)
        return Call(found.driver, parts, found, sender, identity, request)

    def key_of(self, session: Any) -> object:
        return _key_of(session)

    async def round_of(self, call: Call, result: Any) -> dict[str, Any] | None:
        """Returns the questions with which a modern call ends, as JSON; none if its result stays as it is."""
        own = _asking(result) or call.round
        if not call.needs_input and own is None:
            return None
        ends = await call.returned(own is not None)
        if "inputRequests" not in ends:
            return call.round
        own = own or {}
        asked = {**own, "resultType": "input_required"}
        asked["inputRequests"] = {**own.get("inputRequests", {}), **ends["inputRequests"]}
        return {**asked, "requestState": ends["requestState"]} if "requestState" in ends else asked

    def roots_changed_in(self, session: Any) -> None:
        """Reports that the roots of this session's client changed."""
        if session.client_params is not None:
            self.changed(_key_of(session))


def _key_of(session: Any) -> object:
    """Returns what lives as long as the connection of a session: the SDK's own, or the handshake if that is hidden."""
    return getattr(session, "_connection", None) or getattr(session, "client_params", None) or session


def _way_to(session: Any) -> tuple[Via, Pipe | None]:
    """Tells what is behind a session without HTTP; the SDK keeps that private."""
    if getattr(getattr(_outbound(session), "transport", None), "kind", None) == DIRECT_TRANSPORT_KIND:
        return "memory", None
    return way_behind(getattr(_loop_behind(session), "_write_stream", None))


def _loop_behind(session: Any) -> Any:
    """Returns what lasts from the first message of a pipe to its last: a modern session lives for one call."""
    outbound = _outbound(session)
    loop = getattr(outbound, "_dispatcher", None)
    # Within one process there is no pipe: the way back leads to the client's end, which no other client has.
    back = getattr(getattr(outbound, "_back_request", None), "__closure__", None) or ()
    return loop or next((cell.cell_contents for cell in back), None)


def _outbound(session: Any) -> Any:
    outbound = getattr(session, "_request_outbound", None)
    # A modern request is wrapped once more.
    return getattr(outbound, "_inner", outbound)


def _asking(result: Any) -> dict[str, Any] | None:
    """Returns a tool's own round of questions as JSON; none if the result is no such round."""
    raw = as_json(result)
    return raw if isinstance(raw, dict) and raw.get("resultType") == "input_required" else None
