"""The plain WebAssembly module under ``wasmtime``: the only file that knows either of them.

``bindings-wasm/PLAIN.md`` is the manual of the module. Resolvers share instances, because an instance of its own would
cost each resolver about 300 µs, 90 kB and 4 GiB of address space. Only one thread at a time may use a store, so every
instance has a lock, and a call holds it from copying in to copying out.

``fork`` waits for these locks, so that a child never inherits an instance in the middle of a call. One thread compiles
the module, because the threads of a compiler's pool do not exist in a child, which would wait for them forever.
"""

from __future__ import annotations

import os
import struct
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from ._error import RootwiseError, parse_reply
from ._text import packaged

if TYPE_CHECKING:
    import wasmtime

#: Resolvers in one instance: what a trap can take down at once.
MAX_RESOLVERS = 256

#: Bytes after which an instance takes no more resolvers, because its memory never shrinks.
MAX_MEMORY = 64 << 20

#: Bytes kept ready for texts on their way in; longer ones get room of their own.
ROOM = 16 << 10

_halves = struct.Struct("<II")

#: Every lock that `fork` has to wait for; the one of the backend comes before those of its instances.
_backends: weakref.WeakSet[WasmBackend] = weakref.WeakSet()
_instances: weakref.WeakSet[Instance] = weakref.WeakSet()
_held: list[threading.Lock] = []


def _before_fork() -> None:
    for lock in [*(backend.lock for backend in _backends), *(instance.lock for instance in _instances)]:
        lock.acquire()
        _held.append(lock)


def _after_fork() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class Instance:
    """One instance with its memory. After a trap that memory is suspect, so every later call fails."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module) -> None:
        import wasmtime

        self.lock = threading.Lock()
        self.dead = False
        self.resolvers = 0
        self.lost: deque[int] = deque()
        self._i32, self._f64 = wasmtime.Val.i32, wasmtime.Val.f64
        self._store = wasmtime.Store(engine)
        exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory: wasmtime.Memory = exports["memory"]
        self._functions: dict[str, Any] = {
            name: exports[name]
            for name in ("alloc", "free", "open", "restore", "handle", "explain", "snapshot", "close", "call")
        }
        self._room: int = self._run("alloc", ROOM)
        _instances.add(self)

    @property
    def full(self) -> bool:
        return self.dead or self.resolvers >= MAX_RESOLVERS or self._memory.data_len(self._store) >= MAX_MEMORY

    def ask(self, name: str, *arguments: str | int | float | None) -> str:
        """Calls an export: a text becomes an address and a length, and the result is a text. Hold the lock."""
        flat: list[int | float] = []
        borrowed: list[tuple[int, int]] = []
        used = 0
        for argument in arguments:
            if argument is None:
                flat += (0, 0)
            elif isinstance(argument, str):
                data = argument.encode()
                if used + len(data) <= ROOM:
                    # An empty text needs an address too: address 0 means that the argument is absent.
                    start = self._room + used
                    used += len(data)
                else:
                    start = self._run("alloc", len(data)) & 0xFFFFFFFF
                    borrowed.append((start, len(data)))
                if data:
                    self._memory.write(self._store, data, start)
                flat += (start, len(data))
            else:
                flat.append(argument)
        length, start = _halves.unpack(struct.pack("<q", self._run(name, *flat)))
        text = self._memory.read(self._store, start, start + length).decode()
        self._run("free", start, length)
        for block in borrowed:
            self._run("free", *block)
        return text

    def close(self, handle: int) -> None:
        """Frees a resolver. Hold the lock."""
        self.resolvers -= 1
        if not self.dead:
            self._run("close", handle)

    def sweep(self) -> None:
        """Frees the resolvers that were collected without being closed. Hold the lock."""
        while self.lost:
            self.close(self.lost.popleft())

    def _value(self, number: int | float) -> wasmtime.Val:
        # With its type, because finding that out takes wasmtime longer than the call. An i32 may as well be an address
        # above 2 GiB: it is cut to 32 bits.
        return self._i32(number) if isinstance(number, int) else self._f64(number)

    def _run(self, name: str, *arguments: int | float) -> Any:
        if self.dead:
            raise _dead()
        try:
            return self._functions[name](self._store, *map(self._value, arguments))
        except Exception as trap:
            self.dead = True
            raise _dead() from trap


def _dead() -> RootwiseError:
    return RootwiseError("dead", "the WebAssembly instance trapped; create a new resolver")


class WasmMachine:
    """One resolver in an instance."""

    def __init__(self, instance: Instance, handle: int, view: str) -> None:
        self._instance = instance
        self._handle = handle
        self._view = view
        self._open = True
        instance.resolvers += 1

    def handle(self, event: str, now: float, /) -> str:
        with self._instance.lock:
            return self._instance.ask("handle", self._handle, event, now)

    def view(self) -> str:
        """Returns the reply that opened it; later replies carry the current view."""
        return self._view

    def explain(self, session: int = 0, /) -> str:
        with self._instance.lock:
            return self._instance.ask("explain", self._handle, session)

    def snapshot(self, session: int = 0, /) -> str:
        with self._instance.lock:
            return self._instance.ask("snapshot", self._handle, session)

    def close(self) -> None:
        with self._instance.lock:
            if self._open:
                self._open = False
                self._instance.close(self._handle)

    def __del__(self) -> None:
        # Collection may happen at any time, also in a thread that holds the lock: only record the handle here.
        if self._open:
            self._instance.lost.append(self._handle)


class WasmBackend:
    """Compiles the module on first use."""

    name = "wasm"

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._engine: wasmtime.Engine | None = None
        self._module: wasmtime.Module | None = None
        self._current: Instance | None = None
        _backends.add(self)

    def open(self, options: str) -> WasmMachine:
        return self._make("open", options)

    def restore(self, snapshot: str, options: str, now: float, id_prefix: str | None) -> WasmMachine:
        return self._make("restore", snapshot, options, now, id_prefix)

    def call(self, arguments: str) -> str:
        instance = self._instance()
        with instance.lock:
            return instance.ask("call", arguments)

    def _make(self, name: str, *arguments: str | float | None) -> WasmMachine:
        instance = self._instance()
        with instance.lock:
            instance.sweep()
            text = instance.ask(name, *arguments)
            return WasmMachine(instance, parse_reply(text)["handle"], text)

    def _instance(self) -> Instance:
        with self.lock:
            if self._engine is None or self._module is None:
                self._engine, self._module = _compiled()
            if self._current is None or self._current.full:
                self._current = Instance(self._engine, self._module)
            return self._current


def _compiled() -> tuple[wasmtime.Engine, wasmtime.Module]:
    try:
        import wasmtime
    except ImportError as problem:
        message = "this wheel has no native extension, and WebAssembly needs `pip install rootwise[wasm]`"
        raise RootwiseError("cannot_load", message) from problem
    from ._cache import compiled

    try:
        source = packaged("rootwise-plain.wasm")
        config = wasmtime.Config()
        config.parallel_compilation = False
        engine = wasmtime.Engine(config)
        return engine, compiled(engine, source)
    except (OSError, wasmtime.WasmtimeError) as problem:
        raise RootwiseError("cannot_load", _module_problem(problem)) from problem


def _module_problem(problem: Exception) -> str:
    if isinstance(problem, FileNotFoundError):
        return "the package has no WebAssembly module; run `python3 adapters/python/test.py --only module`"
    return "the WebAssembly module cannot be loaded here"
