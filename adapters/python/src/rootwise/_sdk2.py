"""How the official SDK 2.x lets a server ask its client, in both eras: for `mcp` 2.x and FastMCP 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, ConfigDict

from ._adapter import Adapter, Call
from .driver import ClientError, Undeliverable

if TYPE_CHECKING:
    from .types import RequestFacts, SendRequest, Transport

#: The first revision whose requests stand alone.
MODERN = "2026-07-28"

#: The key of our question among a call's input requests and responses.
OURS = "rootwise"

#: JSON-RPC codes with which the SDK, not the client, ends a request.
_CLOSED, _TIMED_OUT = -32000, -32001


class _Raw(BaseModel):
    """Takes any result as it is: one bad root does not lose the list."""

    model_config = ConfigDict(extra="allow")


class _Question:
    """Looks like a request to the SDK. Its `method` is one the SDK has no result type for, so it checks nothing."""

    method = "rootwise/raw"

    def __init__(self, request: SendRequest) -> None:
        self._said: dict[str, Any] = {"method": request["method"]}
        if "params" in request:
            self._said["params"] = request["params"]

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self._said


class Sender2:
    """Sends with the call it belongs to, so that it arrives over HTTP without a second stream."""

    def __init__(self, session: Any, related: Any) -> None:
        self._session = session
        self._related = related

    async def send(self, request: SendRequest, /) -> Any:
        metadata = ServerMessageMetadata(related_request_id=self._related)
        try:
            result = await self._session.send_request(_Question(request), _Raw, metadata=metadata)
        except NoBackChannelError:
            raise Undeliverable from None
        except MCPError as error:
            if error.code in (_CLOSED, _TIMED_OUT):
                raise Undeliverable from None
            raise ClientError(error.code, error.message) from None
        return result.model_dump(mode="json")


class Sdk2Adapter(Adapter):
    def call_of(self, context: Any, meta: Any, arguments: Any = None, responses: Any = None) -> Call:
        """The call a request context of the SDK describes.

        :param responses: the call's raw input responses, if it has any
        """
        session = context.session
        scope = None if context.request is None else context.request.scope
        transport: Transport = "stdio" if scope is None else "http"
        facts = self.facts(scope, meta, arguments)
        if context.protocol_version >= MODERN:
            self._modern_facts(facts, session, responses)
            return Call(self.modern(transport), "inputRequired", facts)
        params = session.client_params
        if params is None:
            # Stateless HTTP: nobody knows what this client can do, so it is not asked.
            return Call(self.modern(transport), "none", facts)
        connection = self.connection(
            params, transport, params.model_dump(by_alias=True, mode="json", exclude_none=True)
        )
        if not session.can_send_request:
            return Call(connection, "none", facts)
        return Call(connection, "request", facts, Sender2(session, context.request_id))

    @staticmethod
    def _modern_facts(facts: RequestFacts, session: Any, responses: Any) -> None:
        capabilities = session.client_capabilities
        if capabilities is not None:
            facts["capabilities"] = capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)
        if responses:
            facts["inputResponses"] = responses

    def changed(self, session: Any) -> None:
        """The client of this session said that its roots changed."""
        connection = self._connections.get(id(session.client_params)) if session.client_params is not None else None
        if connection is not None:
            connection.roots_changed()


def with_ours(result: Any, responses: Any) -> Any:
    """Adds our question to a tool's own input round, because clients send only the last round's responses."""
    if not isinstance(responses, dict) or OURS not in responses:
        return result
    said = result.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(result, "model_dump") else result
    if not isinstance(said, dict) or said.get("resultType") != "input_required":
        return result
    return {**said, "inputRequests": {**said.get("inputRequests", {}), OURS: {"method": "roots/list"}}}
