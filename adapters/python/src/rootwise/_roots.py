"""All roots of a client, each judged by the policy and verified on this disk."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ._error import RootwiseError
from ._functions import is_inside
from ._inside import resolve_inside
from ._project import Project
from ._text import is_utf8, shown
from .types import AnnounceRoots, AnswerListed, RootsState, RootView

__all__ = ["RootEntry", "Roots"]


@dataclass(frozen=True)
class RootEntry:
    """One root of a client."""

    #: Position in the client's list.
    index: int
    #: The URI as the client sent it, made safe to show.
    uri: str
    #: The root's own name, made safe to show.
    name: str | None = None
    #: The folder that the URI names on this machine.
    path: str | None = None
    #: The folder that the URI names on the client's machine, where that is another one. It was not checked here.
    client_path: str | None = None
    #: The folder with all links followed; only where it was found on this disk.
    real_path: str | None = None
    #: The reason why it is unusable, as a stable code.
    problem: str | None = None
    #: Whether the folder exists on this machine; ``None`` where nobody has checked that for this client.
    exists: bool | None = None
    #: Whether it is a folder on this machine without a problem, whose real path is known.
    usable: bool = False


@dataclass(frozen=True)
class Roots:
    """The roots of a client."""

    #: All roots in the client's order, usable or not.
    roots: tuple[RootEntry, ...]
    #: How current the list is, in detail.
    state: RootsState
    #: Whether the client has listed its roots at all.
    answered: bool = True
    #: Whether this is the client's list as far as anybody knows: no change was reported, and it is not too old.
    current: bool = True
    #: The list for a person or a model: safe to show, and of bounded length.
    text: str = ""
    #: The reason for which none of the roots can be used on this machine, if that is so.
    unusable: str | None = None

    @property
    def usable(self) -> tuple[RootEntry, ...]:
        """The roots that are folders on this disk."""
        return tuple(root for root in self.roots if root.usable)

    def containing(self, path: str | os.PathLike[str]) -> RootEntry | None:
        """Returns the innermost usable root that contains an absolute path.

        Links are followed; the end of the path need not exist.
        """
        if not self.usable or not os.path.isabs(path):
            # Without a folder to compare with, the disk is not checked.
            return None
        try:
            return self._around(os.path.realpath(path))
        except RecursionError:
            # A chain of a thousand links leads nowhere for the system either.
            return None

    def _around(self, real: str) -> RootEntry | None:
        """Returns the innermost usable root around a real path."""
        if not is_utf8(real):
            return None
        inside = [root for root in self.usable if root.real_path is not None and is_inside(root.real_path, real)]
        return max(inside, key=lambda root: len(root.real_path or ""), default=None)

    def resolve(self, path: str | os.PathLike[str], base: str | None = None) -> str:
        """Returns the real path that a tool's path names, if it is inside a usable root; see :func:`resolve_inside`.

        Use the result and not the given path: a link can change between the check and the use. It blocks as long as
        the disk does; :meth:`Rootwise.resolve` does not.

        :param base: the folder that a relative path starts from; by default the first usable root
        :raises RootwiseError: the path is outside every root (``outside``), or no root is usable (``no_roots``)
        """
        if not self.usable:
            raise RootwiseError("no_roots", self.unusable or self.text)
        folders = [root.real_path for root in self.usable if root.real_path is not None]
        return resolve_inside(folders, path, base or self.usable[0].path)


def only_root(project: Project) -> Roots:
    """Returns the roots of a client whose only root is this project."""
    real = os.path.realpath(project.path)
    root = RootEntry(0, project.uri or "", project.display_name, project.path, real_path=real, exists=True, usable=True)
    return Roots((root,), "ok", text=f"1. {project.display_name}: {shown(project.path)}")


def roots_of(action: AnswerListed | AnnounceRoots) -> Roots:
    """Returns roots that the core has judged and verified."""
    # A list is announced because the client has answered.
    answered = action["answered"] if action["type"] == "answer" else True
    roots = tuple(map(_root_of, action["roots"]))
    return Roots(roots, action["state"], answered, action["current"], action["text"], action.get("unusable"))


def _root_of(view: RootView) -> RootEntry:
    return RootEntry(
        view["index"],
        view["uri"],
        view.get("name"),
        view.get("path"),
        view.get("clientPath"),
        view.get("realPath"),
        view.get("problem"),
        view.get("exists"),
        view.get("usable", False),
    )
