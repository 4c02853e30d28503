"""What goes wrong, with a stable code."""

from __future__ import annotations

import json
from typing import Any


class RootwiseError(Exception):
    """Raised for misuse and for refused URIs and paths; never for what a peer did, which is ordinary input.

    ``code`` stays the same while messages may be reworded.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[RootwiseError], tuple[str | None, ...]]:
        return type(self), (self.code, str(self))


def understood(text: str) -> dict[str, Any]:
    """Reads what a face said; a failure is raised."""
    said: dict[str, Any] = json.loads(text)
    if "error" in said:
        raise RootwiseError(said["error"]["code"], said["error"]["message"])
    return said
