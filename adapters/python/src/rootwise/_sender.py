"""The ways to a client, as the driver sees them."""

from __future__ import annotations

from typing import Any, Protocol, cast

from .types import SendRequest


class ClientError(Exception):
    """A sender raises it when the client answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Undeliverable(Exception):
    """A sender raises it when the request cannot reach the client."""


class Sender(Protocol):
    """Sends a request to the client and returns the raw result."""

    async def send(self, request: SendRequest, /) -> Any: ...


class StreamSender(Sender, Protocol):
    """A sender whose requests travel on the stream of one call and die with it, as over HTTP."""

    async def is_open(self) -> bool:
        """Tells whether a message on this stream can still reach the client."""
        ...


def dies_with_call(sender: Sender | None) -> bool:
    return hasattr(sender, "is_open")


async def is_open(sender: Sender | None) -> bool:
    return not dies_with_call(sender) or await cast("StreamSender", sender).is_open()
