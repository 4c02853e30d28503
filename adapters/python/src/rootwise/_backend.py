"""Selects the implementation: the native extension where the wheel has one, else WebAssembly."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from typing import Protocol

from ._error import RootwiseError


class Machine(Protocol):
    """A resolver or an endpoint: text in, text out."""

    def handle(self, event: str, now: float, /) -> str: ...
    def view(self) -> str: ...
    def explain(self, session: int = 0, /) -> str: ...
    def snapshot(self, session: int = 0, /) -> str: ...
    def close(self) -> None: ...


class Backend(Protocol):
    """Opens machines and runs the functions that need none."""

    @property
    def name(self) -> str: ...
    def open(self, options: str) -> Machine: ...
    def restore(self, snapshot: str, options: str, now: float, id_prefix: str | None) -> Machine: ...
    def call(self, arguments: str) -> str: ...


_lock = threading.Lock()
_loaded: Backend | None = None


def _reset_lock() -> None:
    # A child must not inherit a lock that another thread of the parent held.
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_lock)


def loaded_backend() -> Backend:
    """Returns the backend of this process and loads it on first use.

    ``ROOTWISE_BACKEND`` set to ``native`` or ``wasm`` requires that one.
    """
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = load(os.environ.get("ROOTWISE_BACKEND", ""))
    return _loaded


def load(name: str) -> Backend:
    """Loads a backend by name; an empty name selects the fastest one that the wheel has."""
    if name not in ("", "native", "wasm"):
        raise RootwiseError("cannot_load", "ROOTWISE_BACKEND must be `native` or `wasm`")
    if name != "wasm":
        try:
            from ._native_backend import NativeBackend

            return NativeBackend()
        except ImportError as problem:
            is_there = find_spec("rootwise._native") is not None
            reason = f"does not load: {problem}" if is_there else "is not in this wheel"
            if name == "native":
                raise RootwiseError("cannot_load", f"the native extension {reason}") from problem
            if is_there and find_spec("wasmtime") is None:
                message = f"the native extension {reason}; WebAssembly in its place needs `pip install rootwise[wasm]`"
                raise RootwiseError("cannot_load", message) from problem
            if is_there:
                from ._log import log  # Slow to import, and rarely needed here.

                message = f"The native extension {reason}. WebAssembly runs in its place, and is slower."
                log({"level": "warning", "code": "native_failed", "message": message})
    from ._wasm import WasmBackend

    return WasmBackend()


def backend() -> str:
    """Returns the name of the backend of this process: ``native`` or ``wasm``."""
    return loaded_backend().name
