"""The parts of a client's handshake that the core reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._text import text_of
from .types import Event


def read_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what counts of the params of ``initialize``."""
    return {key: params[key] for key in ("protocolVersion", "capabilities", "clientInfo") if key in params}


def client_name(params: Mapping[str, Any]) -> str | None:
    """Returns the client's name for itself."""
    client = params.get("clientInfo")
    name = client.get("name") if isinstance(client, Mapping) else None
    return name if isinstance(name, str) else None


def raw_request(number: Any, method: str, params: dict[str, Any] | None = None) -> Event:
    """Returns a request as an event of the core, which reads ids that are numbers.

    :raises RootwiseError: the params are not JSON
    """
    known = number if isinstance(number, int) else ""
    message = {"jsonrpc": "2.0", "id": known, "method": method, **({} if params is None else {"params": params})}
    return {"type": "message", "text": text_of(message, "bad_event", method)}
