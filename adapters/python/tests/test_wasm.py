"""The WebAssembly backend: an instance that can trap, and a compiled module on disk."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from rootwise import Resolver, RootwiseError, _cache
from rootwise._text import packaged
from rootwise._wasm import MAX_RESOLVERS, WasmBackend

HOST: Any = {"style": "posix"}
# The smallest module with something in it, so that compiling costs nothing.
SMALL = wasmtime.wat2wasm('(module (func (export "one") (result i32) i32.const 1))')
posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")


def trap(backend: WasmBackend) -> None:
    """Makes the module read outside its memory, as a bug in it would."""
    instance = backend._instance()
    with instance.lock, pytest.raises(RootwiseError) as caught:
        instance._run("call", 0xFFFF0000, 1024)
    assert caught.value.code == "dead"


def test_a_trapped_instance_is_dead_with_all_its_resolvers_and_a_new_one_is_made() -> None:
    backend = WasmBackend()
    resolver = Resolver(host=HOST, _backend=backend)
    trap(backend)
    for call in (resolver.explain, resolver.snapshot, lambda: resolver.handle({"type": "clientReady"}, 0)):
        with pytest.raises(RootwiseError) as caught:
            call()
        assert caught.value.code == "dead"
    resolver.close()
    with Resolver(host=HOST, _backend=backend) as other:
        assert other.handle({"type": "clientReady"}, 0) == []


def test_an_instance_holds_a_bounded_number_of_resolvers_and_lost_ones_are_freed() -> None:
    backend = WasmBackend()
    kept = [Resolver(host=HOST, _backend=backend) for _ in range(MAX_RESOLVERS)]
    first = backend._current
    one_more = Resolver(host=HOST, _backend=backend)
    second = backend._current
    assert first is not None
    assert second is not None
    assert first is not second
    assert (first.resolvers, second.resolvers) == (MAX_RESOLVERS, 1)
    del one_more
    gc.collect()
    Resolver(host=HOST, _backend=backend).close()
    assert second.resolvers == 0
    for resolver in kept:
        resolver.close()
    assert first.resolvers == 0


def test_texts_of_any_size_cross() -> None:
    backend = WasmBackend()
    resolver = Resolver(host=HOST, _backend=backend)
    for size in (0, 1, 16_000, 16_384, 16_385, 400_000):
        text = "ä" * size
        [back] = resolver.handle({"type": "message", "text": text}, 0)
        assert back["type"] == "forward"
        assert back["text"] == text


def test_the_module_imports_nothing() -> None:
    module = wasmtime.Module(wasmtime.Engine(), packaged("rootwise-plain.wasm"))
    assert module.imports == []


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ROOTWISE_CACHE", str(folder))
    return folder


def works(module: wasmtime.Module, engine: wasmtime.Engine) -> bool:
    store = wasmtime.Store(engine)
    exports: Any = wasmtime.Instance(store, module, []).exports(store)
    return bool(exports["one"](store) == 1)


@posix
def test_a_compiled_module_is_kept_for_the_owner_alone(cache: Path) -> None:
    engine = wasmtime.Engine()
    assert works(_cache.compiled(engine, SMALL), engine)
    [file] = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700
    assert _cache._read(file) is not None
    assert works(_cache.compiled(engine, SMALL), engine)


@posix
@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "writable", "folder", "link"])
def test_anything_doubtful_is_not_loaded_and_compiled_again(cache: Path, damage: str, tmp_path: Path) -> None:
    engine = wasmtime.Engine()
    _cache.compiled(engine, SMALL)
    [file] = cache.iterdir()
    whole = file.read_bytes()
    if damage == "cut":
        file.write_bytes(whole[:-1])
    elif damage == "bit":
        file.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "writable":
        file.chmod(0o666)
    elif damage == "folder":
        cache.chmod(0o777)
    else:
        other = tmp_path / "other"
        other.write_bytes(whole)
        file.unlink()
        file.symlink_to(other)
    assert _cache._read(file) is None
    assert works(_cache.compiled(engine, SMALL), engine)


def test_whole_bytes_that_are_no_module_are_compiled_again(cache: Path) -> None:
    engine = wasmtime.Engine()
    _cache.compiled(engine, SMALL)
    [file] = cache.iterdir()
    _cache._write(file, b"not a module of this engine")
    assert works(_cache.compiled(engine, SMALL), engine)
    assert _cache._read(file) != b"not a module of this engine"


@posix
def test_a_place_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("ROOTWISE_CACHE", str(blocked / "cache"))
    engine = wasmtime.Engine()
    assert works(_cache.compiled(engine, SMALL), engine)
    monkeypatch.setenv("ROOTWISE_CACHE", "off")
    assert _cache.folder() is None
    assert works(_cache.compiled(engine, SMALL), engine)


def test_only_a_few_compiled_modules_are_kept(cache: Path) -> None:
    for number in range(_cache.MAX_FILES + 3):
        _cache._write(cache / f"{number}.compiled", os.urandom(8))
    assert len(list(cache.iterdir())) == _cache.MAX_FILES
