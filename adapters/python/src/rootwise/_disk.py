"""Looks at the disk for the resolver."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Found, Probe, Probed, ProbedPath, ProbePath


def look(probe: Probe) -> Probed:
    """Answers a probe. It blocks for as long as the disk does: run it in a thread where that matters."""
    return {"type": "probed", "probe": probe["probe"], "paths": [_look_at(wanted) for wanted in probe["paths"]]}


def _look_at(wanted: ProbePath) -> ProbedPath:
    path = wanted["path"]
    found = _found(path)
    seen: ProbedPath = {"path": path, "found": found}
    if found in ("directory", "file"):
        with contextlib.suppress(OSError, ValueError):
            seen["realPath"] = os.path.realpath(path, strict=True)
    if found == "directory":
        seen["markers"] = [name for name in wanted.get("markers", ()) if _exists(os.path.join(path, name))]
    return seen


def _found(path: str) -> Found:
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
