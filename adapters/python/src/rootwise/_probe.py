"""Answers the resolver's questions about the disk."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._text import is_utf8

if TYPE_CHECKING:
    from ._call import Asker
    from .types import EntryKind, FindNearest, Nearest, Probe, Probed, ProbedPath, ProbePath, ReadFiles

#: A probe that takes so many milliseconds counts as slow; others end in a moment.
_SLOW_MS = 100


def probe_disk(probe: Probe) -> Probed:
    """Answers a ``probe`` action with the ``probed`` event.

    The call blocks as long as the disk does: run it in a thread where that matters.
    """
    return {"type": "probed", "probe": probe["probe"], "paths": [probe_path(wanted) for wanted in probe["paths"]]}


def probe_path(wanted: ProbePath) -> ProbedPath:
    """Tells what is at one path of a probe."""
    path = wanted["path"]
    found = kind_of(path)
    result: ProbedPath = {"path": path, "found": found}
    real = None
    if found in ("directory", "file"):
        with contextlib.suppress(OSError, ValueError):
            real = os.path.realpath(path, strict=True)
            if not is_utf8(real):
                return {"path": path, "found": "unreadable"}
            result["realPath"] = real
    if found == "directory":
        result["markers"] = [name for name in wanted.get("markers", ()) if _exists(os.path.join(path, name))]
    if real is not None:
        find, read = wanted.get("nearest"), wanted.get("files")
        nearest = None if find is None else find_nearest(real, find)
        if nearest is not None:
            result["nearest"] = nearest
        if read is not None and found == "directory":
            result["files"] = read_files(real, read)
    return result


def kind_of(path: str) -> EntryKind:
    """Tells what exists at a path."""
    try:
        return "directory" if stat.S_ISDIR(os.stat(path).st_mode) else "file"
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except (OSError, ValueError):
        return "unreadable"


def find_nearest(start: str, find: FindNearest) -> Nearest | None:
    """Finds the nearest folder that has one of the entries, from a real path upwards."""
    folder = start
    while _is_within(folder, find.get("within")):
        for name in find["names"]:
            entry = os.path.join(folder, name)
            found = kind_of(entry)
            if found in ("directory", "file"):
                nearest: Nearest = {"path": folder, "name": name, "found": found}
                text = _text_of(entry, find["bytes"])
                return nearest if text is None else {**nearest, "text": text}
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return None


def read_files(folder: str, read: ReadFiles) -> dict[str, str]:
    """Reads files in a folder, given by its real path."""
    if not _is_within(folder, read.get("within")):
        return {}
    texts = {name: _text_of(os.path.join(folder, name), read["bytes"]) for name in read["names"]}
    return {name: text for name, text in texts.items() if text is not None}


def _is_within(folder: str, dirs: Sequence[str] | None) -> bool:
    if dirs is None:
        return True
    same = os.path.normcase(folder)
    inside = (os.path.normcase(os.path.normpath(one)) for one in dirs)
    return any(same == one or same.startswith(one.rstrip(os.sep) + os.sep) for one in inside)


def _text_of(path: str, most: int) -> str | None:
    """Returns the text of a regular file that is not too large: to open a pipe or a device could wait for ever."""
    try:
        entry = os.lstat(path)
        if not stat.S_ISREG(entry.st_mode) or entry.st_size > most:
            return None
        # It may have changed meanwhile.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as file:
            text = file.read(most + 1)
        return text.decode() if len(text) <= most else None
    except (OSError, ValueError):
        return None


def _exists(path: str) -> bool:
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True


@dataclass
class _Probing:
    """A look at the disk that is not complete."""

    wanted: int
    since: int
    found: list[ProbedPath] = field(default_factory=list)


class Prober:
    """Looks at each path in a thread: a slow one takes no time from the others."""

    def __init__(self, feed: Callable[..., None], now: Callable[[], int]) -> None:
        self._feed = feed
        self._now = now
        self._probing: dict[int, _Probing] = {}

    def start(self, action: Probe, by: Asker | None) -> None:
        """Begins a probe, with the threads of the call or session for which it is made."""
        from anyio.to_thread import run_sync  # Slow to import, and `resolve_at_start` does not need it.

        from ._background import spawn

        number = action["probe"]
        probing = self._probing[number] = _Probing(len(action["paths"]), self._now())

        async def look(wanted: ProbePath) -> None:
            # The endpoint has its own deadline, so a thread that hangs is left behind.
            limiter: Any = None if by is None else by.threads
            work = functools.partial(probe_path, wanted)
            probing.found.append(await run_sync(work, abandon_on_cancel=True, limiter=limiter))
            if len(probing.found) == probing.wanted:
                self._end(number, by)

        for wanted in action["paths"]:
            spawn(functools.partial(look, wanted))

    def end_slow(self) -> None:
        """Reports the paths that were found in time: a slow one does not spoil the others of its probe."""
        for number, probing in list(self._probing.items()):
            if probing.found and self._now() - probing.since >= _SLOW_MS:
                self._end(number, None)

    def _end(self, number: int, by: Asker | None) -> None:
        probing = self._probing.pop(number, None)
        if probing is not None:
            self._feed({"type": "probed", "probe": number, "paths": probing.found}, by)
