"""All roots of a client, verified on this disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import anyio.to_thread

from ._functions import is_inside
from ._probe import kind_of
from .types import RootsState, RootView

__all__ = ["Root", "Roots"]


@dataclass(frozen=True)
class Root:
    """One root of a client."""

    #: Position in the client's list.
    index: int
    #: The URI as the client sent it, made safe to show.
    uri: str
    #: The root's own name, made safe to show.
    name: str | None = None
    #: The folder, where the URI names one.
    path: str | None = None
    #: The folder with all links followed; only where it exists on this disk.
    real_path: str | None = None
    #: The reason why it is unusable here, as a stable code; ``unconfirmed`` where the disk must not be probed.
    problem: str | None = None

    @property
    def usable(self) -> bool:
        """Whether the root is a folder on this disk."""
        return self.problem is None


@dataclass(frozen=True)
class Roots:
    """The roots of a client."""

    #: All roots in the client's order, usable or not.
    roots: tuple[Root, ...]
    #: How current the list is.
    state: RootsState

    @property
    def usable(self) -> tuple[Root, ...]:
        """The roots that are folders on this disk."""
        return tuple(root for root in self.roots if root.usable)

    def containing(self, path: str | os.PathLike[str]) -> Root | None:
        """Returns the innermost usable root that contains a path; links are followed, and the path need not exist."""
        real = os.path.realpath(path)
        inside = [
            root
            for root in self.usable
            if root.real_path is not None and os.path.isabs(path) and is_inside(root.real_path, real)
        ]
        return max(inside, key=lambda root: len(root.real_path or ""), default=None)

    @property
    def text(self) -> str:
        """The list for a person or a model."""
        if not self.roots:
            return f"The client listed no folders ({self.state})."
        count = f"{len(self.roots)} {'folder' if len(self.roots) == 1 else 'folders'}"
        lines = [
            f"{root.index + 1}. {f'{root.name}: ' if root.name else ''}"
            + (root.path or root.uri if root.usable else f"{root.uri}: not usable, {root.problem}")
            for root in self.roots
        ]
        return "\n".join([f"The client listed {count} ({self.state}):", *lines])


async def verified_roots(
    views: Sequence[RootView],
    state: RootsState,
    may_probe: Callable[[str], bool] | None,
    allowed_dirs: Sequence[str] | None,
) -> Roots:
    """Checks every root on this disk, in a thread."""
    roots = await anyio.to_thread.run_sync(
        lambda: tuple(_verified(view, may_probe, allowed_dirs) for view in views), abandon_on_cancel=True
    )
    return Roots(roots, state)


def _verified(view: RootView, may_probe: Callable[[str], bool] | None, allowed: Sequence[str] | None) -> Root:
    path: str | None = view.get("path")
    problem: str | None = view.get("problem")
    real: str | None = None
    if path is not None and problem is None:
        real, problem = _checked(path, may_probe, allowed)
    return Root(view["index"], view["uri"], view.get("name"), path, real, problem)


def _checked(
    path: str, may_probe: Callable[[str], bool] | None, allowed: Sequence[str] | None
) -> tuple[str | None, str | None]:
    if may_probe is not None and not may_probe(path):
        return None, "unconfirmed"
    kind = kind_of(path)
    real = os.path.realpath(path) if kind in ("directory", "file") else None
    if allowed and (real is None or not any(is_inside(folder, real) for folder in allowed)):
        # One answer for everything outside: the caller learns nothing about the disk.
        return None, "outside"
    if kind != "directory":
        return real, {"file": "not_directory", "missing": "missing"}.get(kind, "unreadable")
    return real, None
