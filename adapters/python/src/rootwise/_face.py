"""The machine behind the package: the native extension where the wheel has one, else WebAssembly."""

from __future__ import annotations

import os
import threading
from typing import Protocol

from ._error import RootwiseError


class Machine(Protocol):
    """One resolver: text in, text out."""

    def handle(self, event: str, now: float, /) -> str: ...
    def view(self) -> str: ...
    def explain(self) -> str: ...
    def snapshot(self) -> str: ...
    def close(self) -> None: ...


class Face(Protocol):
    """Makes machines and calls the functions that need none."""

    @property
    def name(self) -> str: ...
    def open(self, options: str) -> Machine: ...
    def restore(self, snapshot: str, options: str, now: float, id_prefix: str | None) -> Machine: ...
    def call(self, arguments: str) -> str: ...


_lock = threading.Lock()
_face: Face | None = None


def face() -> Face:
    """The face of this process; loaded when it is needed first.

    ``ROOTWISE_BACKEND`` set to ``native`` or ``wasm`` takes that one or fails.
    """
    global _face
    if _face is None:
        with _lock:
            if _face is None:
                _face = load(os.environ.get("ROOTWISE_BACKEND", ""))
    return _face


def load(wanted: str) -> Face:
    """Loads a face by name; an empty name means the best there is."""
    if wanted not in ("", "native", "wasm"):
        raise RootwiseError("cannot_load", "ROOTWISE_BACKEND must be `native` or `wasm`")
    if wanted != "wasm":
        try:
            from ._extension import NativeFace

            return NativeFace()
        except ImportError as problem:
            if wanted == "native":
                raise RootwiseError("cannot_load", "this wheel has no native extension for this Python") from problem
    from ._host import WasmFace

    return WasmFace()


def backend() -> str:
    """``native`` or ``wasm``: what runs in this process."""
    return face().name
