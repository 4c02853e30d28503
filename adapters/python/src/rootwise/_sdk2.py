"""The way from a server to its client in the official SDK 2.x, in both eras: for `mcp` 2.x and FastMCP 4."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp.shared.direct_dispatcher import DIRECT_TRANSPORT_KIND
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, ConfigDict

from ._adapter import Adapter, has_own_stream
from ._call import Call, Via
from ._error import RootwiseError
from ._inputs import INPUT_KEY, readable
from ._pipe import Pipe
from ._project import P
from ._transports import has_session_stream, kind_of_stream, pipe_of_stream, sse_scope
from .driver import ClientError, Sender, Undeliverable
from .types import RequestFacts, SendRequest

#: The first revision whose requests stand alone.
MODERN = "2026-07-28"

#: The client's description of itself in the `_meta` of such requests.
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"

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

    def __init__(self, request: SendRequest) -> None:
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

    async def send(self, request: SendRequest, /) -> Any:
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

    async def send(self, request: SendRequest, /) -> Any:
        connection = self._connection()
        if connection is None:
            raise Undeliverable
        options: dict[str, Any] = {}
        if self._pipe is not None and self._again is not None:
            options["request_id"] = number = next(_ids)
            self._pipe.watch(number, functools.partial(self._again, request["request"]))
        with _failures():
            return await connection.send_raw_request(request["method"], request.get("params"), options or None)

    def reaches(self) -> bool:
        return True


class SessionSender2(PipeSender2):
    """Sends outside a call, on the stream that a client may open for its HTTP session."""

    def __init__(self, connection: Any, is_listening: Callable[[], bool]) -> None:
        super().__init__(connection)
        self.reaches = is_listening  # type: ignore[method-assign]

    async def is_open(self) -> bool:
        return self.reaches()


class Sdk2Adapter(Adapter[P]):
    def call_of(self, context: Any, meta: Any, arguments: Any = None, responses: Any = None) -> Call:
        """Returns the call that a request context of the SDK describes.

        :param responses: the call's raw input responses, if it has any
        """
        session, request, number = context.session, context.request, context.request_id
        scope = None if request is None else request.scope
        transport: Via = "http" if scope is not None else _way_to(session)
        pipe = pipe_of_stream(_written_by(session)) if transport == "stdio" else None
        facts = self.request_facts(scope, meta, arguments, scope and sse_scope(scope))
        if context.protocol_version >= MODERN:
            self._modern_facts(facts, session, meta, responses)
            return Call("inputRequired", facts, transport, request=(weakref.ref(session), number))
        params = session.client_params
        if params is None:
            # Stateless HTTP: without a handshake the client's capabilities are unknown, and the next client is another.
            self.tell_cannot_ask()
            return Call("none", self.standalone_facts(facts), transport, request=(weakref.ref(session), number))
        connection = self.connection(
            _key_of(session), transport, params.model_dump(by_alias=True, mode="json", exclude_none=True), params, pipe
        )
        own_stream = scope is not None and has_own_stream(scope)
        # The SDK keeps the connection private; without it, the next call asks.
        outside = getattr(session, "_connection", None)
        if connection.outside_calls is None and outside is not None:
            listening = has_session_stream(scope) if scope is not None and own_stream else None
            connection.outside_calls = (
                SessionSender2(outside, listening)
                if listening
                else PipeSender2(outside, pipe, connection.answered_again)
            )
        if not session.can_send_request:
            if params.capabilities.roots is not None:
                self.tell_cannot_ask(connection)
            return Call("none", facts, transport, connection, request=(weakref.ref(session), number))
        sender: Sender = Sender2(session, number)
        if own_stream:
            sender = StreamSender2(session, number, request)
        elif pipe is not None and outside is not None:
            sender = PipeSender2(outside, pipe, connection.answered_again)
        return Call("request", facts, transport, connection, sender, request=(weakref.ref(session), number))

    @staticmethod
    def _modern_facts(facts: RequestFacts, session: Any, meta: Any, responses: Any) -> None:
        capabilities = session.client_capabilities
        if capabilities is not None:
            declared = capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)
            facts["capabilities"] = {"roots": declared["roots"]} if "roots" in declared else {}
        if isinstance(meta, Mapping) and _CLIENT_INFO in meta:
            facts["clientInfo"] = readable(meta[_CLIENT_INFO])
        # The answers to a tool's own questions are none of ours.
        if isinstance(responses, dict) and INPUT_KEY in responses:
            facts["inputResponses"] = {INPUT_KEY: readable(responses[INPUT_KEY])}

    async def round_of(self, call: Call, result: Any, responses: Any, state: Any) -> dict[str, Any] | None:
        """Returns the questions with which a modern call ends, as JSON; none if its result stays as it is.

        :param state: the state that the client sent with the call, which it must get again
        """
        own = _asking(result)
        if call.needs is not None:
            return _round(own or ({} if state is None else {"requestState": state}), call.needs)
        if own is None:
            return None
        # Clients send only the answers to the last round, so our question travels with a tool's own: again if it was
        # answered, and already now if the tool has yet to ask for its project.
        if isinstance(responses, dict) and INPUT_KEY in responses:
            return _round(own, {INPUT_KEY: {"method": "roots/list"}})
        needs = None if call.asked else await self._needs(call)
        return None if needs is None else _round(own, needs)

    async def _needs(self, call: Call) -> dict[str, Any] | None:
        """Returns the input requests that the call would need for its project."""
        connection = self._open(call.transport)
        try:
            answer = await connection.question("asked", call.facts, call.ask_by, None)
        except RootwiseError:
            return None
        finally:
            connection.close()
        return answer["inputRequests"] if answer["outcome"] == "needsInput" else None

    def changed(self, session: Any) -> None:
        """Reports that the roots of this session's client changed."""
        connection = None if session.client_params is None else self.connection_for(_key_of(session))
        if connection is not None:
            connection.roots_changed()


def _key_of(session: Any) -> object:
    """Returns what lives as long as the connection of a session: the SDK's own, or the handshake if that is hidden."""
    return getattr(session, "_connection", None) or session.client_params


def _way_to(session: Any) -> Via:
    """Tells what is behind a session without HTTP; the SDK keeps that private."""
    if getattr(getattr(_outbound(session), "transport", None), "kind", None) == DIRECT_TRANSPORT_KIND:
        return "memory"
    return kind_of_stream(_written_by(session))


def _written_by(session: Any) -> object:
    """Returns the stream that a session writes to; none if it is hidden."""
    return getattr(getattr(_outbound(session), "_dispatcher", None), "_write_stream", None)


def _outbound(session: Any) -> Any:
    way = getattr(session, "_request_outbound", None)
    # A modern request is wrapped once more.
    return getattr(way, "_inner", way)


def _asking(result: Any) -> dict[str, Any] | None:
    """Returns a tool's own round of questions as JSON; none if the result is no such round."""
    raw = result.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(result, "model_dump") else result
    return raw if isinstance(raw, dict) and raw.get("resultType") == "input_required" else None


def _round(own: dict[str, Any], needs: dict[str, Any]) -> dict[str, Any]:
    return {**own, "resultType": "input_required", "inputRequests": {**own.get("inputRequests", {}), **needs}}
