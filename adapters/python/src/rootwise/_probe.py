"""Answers the resolver's questions about the disk."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from ._text import is_utf8

if TYPE_CHECKING:
    from .types import Found, Probe, Probed, ProbedPath, ProbePath


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
    if found in ("directory", "file"):
        with contextlib.suppress(OSError, ValueError):
            real = os.path.realpath(path, strict=True)
            if not is_utf8(real):
                return {"path": path, "found": "unreadable"}
            result["realPath"] = real
    if found == "directory":
        result["markers"] = [name for name in wanted.get("markers", ()) if _exists(os.path.join(path, name))]
    return result


def kind_of(path: str) -> Found:
    """Tells what exists at a path."""
    try:
        return "directory" if stat.S_ISDIR(os.stat(path).st_mode) else "file"
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except (OSError, ValueError):
        return "unreadable"


def _exists(path: str) -> bool:
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True
