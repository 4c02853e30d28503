"""The plain WebAssembly module under ``wasmtime``: the only file that knows either of them.

``bindings-wasm/PLAIN.md`` is the manual of the module. A resolver lives in an instance that it shares with others: an
instance of its own would cost every resolver some 300 µs, 90 kB and 4 GiB of address space. A store may be used by
one thread at a time, so every instance has a lock, and a call holds it from copying in to copying out.
"""

from __future__ import annotations

import struct
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from ._error import RootwiseError, understood
from ._text import packaged

if TYPE_CHECKING:
    import wasmtime

#: Resolvers in one instance: what a trap can take down at once.
MOST_RESOLVERS = 256

#: Bytes after which an instance takes no more resolvers, because its memory never shrinks.
MOST_MEMORY = 64 << 20

#: Bytes kept ready for texts on their way in; longer ones get room of their own.
ROOM = 16 << 10

_halves = struct.Struct("<II")


class Instance:
    """One instance with its memory. After a trap nobody vouches for that memory, so nothing in it answers again."""

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

    @property
    def full(self) -> bool:
        return self.dead or self.resolvers >= MOST_RESOLVERS or self._memory.data_len(self._store) >= MOST_MEMORY

    def ask(self, name: str, *arguments: str | int | float | None) -> str:
        """Calls an export; a text becomes address and length, and what comes back is a text. Hold the lock."""
        flat: list[int | float] = []
        borrowed: list[tuple[int, int]] = []
        used = 0
        for argument in arguments:
            if argument is None:
                flat += (0, 0)
            elif isinstance(argument, str):
                data = argument.encode()
                if used + len(data) <= ROOM:
                    # An empty text must have an address too: address 0 means that there is none.
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
        """Frees the resolvers that nobody closed and nobody has any more. Hold the lock."""
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
    return RootwiseError("dead", "the WebAssembly instance broke down and answers no more; make a new resolver")


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
        """What there was when it was made; later the answers to events say it."""
        return self._view

    def explain(self) -> str:
        with self._instance.lock:
            return self._instance.ask("explain", self._handle)

    def snapshot(self) -> str:
        with self._instance.lock:
            return self._instance.ask("snapshot", self._handle)

    def close(self) -> None:
        with self._instance.lock:
            if self._open:
                self._open = False
                self._instance.close(self._handle)

    def __del__(self) -> None:
        # Collection can come at any time, also in a thread that holds the lock: only leave a note here.
        if self._open:
            self._instance.lost.append(self._handle)


class WasmFace:
    """Compiles the module once, when it is needed first."""

    name = "wasm"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: wasmtime.Engine | None = None
        self._module: wasmtime.Module | None = None
        self._current: Instance | None = None

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
            return WasmMachine(instance, understood(text)["handle"], text)

    def _instance(self) -> Instance:
        with self._lock:
            if self._engine is None or self._module is None:
                self._engine, self._module = _compiled()
            if self._current is None or self._current.full:
                self._current = Instance(self._engine, self._module)
            return self._current


def _compiled() -> tuple[wasmtime.Engine, wasmtime.Module]:
    try:
        import wasmtime
    except ImportError as problem:
        message = "there is no native extension here, and WebAssembly needs `pip install rootwise[wasm]`"
        raise RootwiseError("cannot_load", message) from problem
    from ._cache import compiled

    try:
        source = packaged("rootwise-plain.wasm")
        engine = wasmtime.Engine()
        return engine, compiled(engine, source)
    except (OSError, wasmtime.WasmtimeError) as problem:
        raise RootwiseError("cannot_load", "the WebAssembly module cannot be loaded here") from problem
