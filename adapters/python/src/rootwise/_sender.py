"""The ways to a client, as the driver sees them."""

from __future__ import annotations

from typing import Any, Protocol

from ._text import readable
from .types import EndpointSendRequest, RefusalKind


class ClientError(Exception):
    """A sender raises it when the client answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Undeliverable(Exception):
    """A sender raises it when the request cannot reach the client."""


class Sender(Protocol):
    """Sends a request to the client and returns the raw result."""

    async def send(self, request: EndpointSendRequest, /) -> Any: ...


class StreamSender(Sender, Protocol):
    """A sender whose requests travel on the stream of one call and die with it, as over HTTP."""

    async def is_open(self) -> bool:
        """Tells whether a message on this stream can still reach the client."""
        ...


def listed(request: int, result: Any) -> dict[str, Any]:
    """Returns the event that reports the result of a request."""
    return {"type": "requestAnswered", "request": request, "result": readable(result)}


def refused(request: int, reason: ClientError | RefusalKind) -> dict[str, Any]:
    """Returns the event that reports the failure of a request."""
    event: dict[str, Any] = {"type": "requestRefused", "request": request}
    if isinstance(reason, ClientError):
        return {**event, "kind": "error", "code": reason.code, "message": readable(str(reason))}
    return {**event, "kind": reason}
