"""Asks Codex for its folder: it sends that only to servers that declare the capability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The experimental capability of a server, and the key of `_meta` in which Codex then sends its folder.
SANDBOX_STATE = "codex/sandbox-state-meta"


def declared(result: Any) -> Any:
    """Returns the result of a handshake with the capability, as a model or as JSON."""
    if isinstance(result, Mapping):
        capabilities = result.get("capabilities") or {}
        experimental = {SANDBOX_STATE: {}, **(capabilities.get("experimental") or {})}
        return {**result, "capabilities": {**capabilities, "experimental": experimental}}
    declare_in(getattr(result, "capabilities", None))
    return result


def declare_in(capabilities: Any) -> None:
    """Adds the capability to a model of the SDK."""
    if hasattr(capabilities, "experimental"):
        capabilities.experimental = {SANDBOX_STATE: {}, **(capabilities.experimental or {})}
