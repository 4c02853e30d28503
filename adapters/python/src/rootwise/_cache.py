"""Keeps the compiled module on disk, because compiling takes a second.

Loading a compiled module runs whatever code it holds. So it is taken only from a folder and a file that belong to this
user and that no other user may write, and only if it is complete. Anything else is compiled again, silently:
``ROOTWISE_CACHE`` names another folder, and ``off`` keeps nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import wasmtime

#: Compiled modules kept: a few environments with other versions may share the folder.
MAX_FILES = 8

_SUM = 32


def compiled(engine: wasmtime.Engine, source: bytes) -> wasmtime.Module:
    """The compiled module, from the cache where it is there."""
    import wasmtime

    file = _file(source)
    if file is not None:
        kept = _read(file)
        if kept is not None:
            try:
                return wasmtime.Module.deserialize(engine, kept)
            except wasmtime.WasmtimeError:
                pass  # Of another processor or configuration: it is written anew below.
    module = wasmtime.Module(engine, source)
    if file is not None:
        # With a full or read-only disk the next process compiles again.
        with contextlib.suppress(OSError):
            _write(file, bytes(module.serialize()))
    return module


def folder() -> Path | None:
    """Where compiled modules are kept; none where the user has no such place."""
    named = os.environ.get("ROOTWISE_CACHE")
    if named == "off":
        return None
    if named:
        return Path(named)
    try:
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return Path(local) / "rootwise" / "cache" if local else None
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "rootwise"
        base = os.environ.get("XDG_CACHE_HOME", "")
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "rootwise"
    except RuntimeError:
        return None


def _file(source: bytes) -> Path | None:
    where = folder()
    if where is None:
        return None
    content = hashlib.sha256(source).hexdigest()[:32]
    return where / f"{content}-{_version()}-{sys.platform}-{platform.machine()}.compiled"


def _version() -> str:
    import wasmtime

    # The name of the folder tells it in a fraction of the time that `importlib.metadata` takes to be imported.
    for beside in Path(wasmtime.__file__).parent.parent.glob("wasmtime-*.dist-info"):
        return beside.name.removeprefix("wasmtime-").removesuffix(".dist-info")
    from importlib import metadata

    return metadata.version("wasmtime")


def _ours(found: os.stat_result) -> bool:
    if sys.platform == "win32":
        return True  # The folder is the user's own; its access list says so, not these bits.
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read(file: Path) -> bytes | None:
    try:
        if not _ours(os.stat(file.parent)):
            return None
        opened = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(opened, "rb") as stream:
            # The checks apply to the open file, not to another one that may replace it under its name.
            if not _ours(os.fstat(opened)):
                return None
            content = stream.read()
    except OSError:
        return None
    body = content[_SUM:]
    return body if content[:_SUM] == _sum(body) else None


def _write(file: Path, body: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _ours(os.stat(file.parent)):
        return
    handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
    try:
        with open(handle, "wb") as stream:
            stream.write(_sum(body) + body)
        os.replace(temporary, file)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
    kept = sorted(file.parent.glob("*.compiled"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in kept[MAX_FILES:]:
        old.unlink(missing_ok=True)


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM).digest()
