"""All roots of a client, each judged by the policy and verified on this disk."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import anyio.to_thread

from ._error import RootwiseError
from ._functions import is_inside
from ._probe import probe_disk
from ._project import Project
from ._resolver import Resolver
from .types import Action, Answer, HostFacts, Policy, RootsState, RootView, Source

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
    #: The folder that the URI names on this machine.
    path: str | None = None
    #: The folder that the URI names on the client's machine, where that is another one. Nothing here was looked at.
    client_path: str | None = None
    #: The folder with all links followed; only where it was found on this disk.
    real_path: str | None = None
    #: The reason why it is unusable, as a stable code.
    problem: str | None = None

    @property
    def usable(self) -> bool:
        """Whether the root is a folder on this disk that the policy accepts."""
        return self.problem is None and self.real_path is not None


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
        """Returns the innermost usable root that contains an absolute path.

        Links are followed; the end of the path need not exist.
        """
        if not self.usable or not os.path.isabs(path):
            # Without a folder to compare with, the disk is not looked at.
            return None
        real = os.path.realpath(path)
        inside = [root for root in self.usable if root.real_path is not None and is_inside(root.real_path, real)]
        return max(inside, key=lambda root: len(root.real_path or ""), default=None)

    def resolve(self, path: str | os.PathLike[str], base: str | None = None) -> str:
        """Returns the real path that a tool's path names, if it is inside a usable root.

        Use the result and not the given path: a link can change between the check and the use.

        :param base: the folder that a relative path starts from; by default the first usable root
        :raises RootwiseError: the path is outside every root (``outside``), or no root is usable (``no_roots``)
        """
        text = os.fspath(path)
        if not text or "\0" in text:
            raise RootwiseError("invalid", "The path is empty or contains a null character.")
        if not self.usable:
            raise RootwiseError("no_roots", f"The client has no usable folder. {self.text}")
        full = os.path.join(base or self.usable[0].real_path or "", text)
        if self.containing(full) is None:
            folders = ", ".join(root.real_path or "" for root in self.usable)
            raise RootwiseError("outside", f"The path is outside the client's folders, which are {folders}.")
        return os.path.realpath(full)

    @property
    def text(self) -> str:
        """The list for a person or a model."""
        if not self.roots:
            return f"The client listed no folders ({self.state})."
        count = f"{len(self.roots)} {'folder' if len(self.roots) == 1 else 'folders'}"
        lines = [
            f"{root.index + 1}. {f'{root.name}: ' if root.name else ''}"
            + (f"{root.uri}: not usable, {root.problem}" if root.problem else root.path or root.uri)
            for root in self.roots
        ]
        return "\n".join([f"The client listed {count} ({self.state}):", *lines])


def only_root(project: Project) -> Roots:
    """Returns the roots of a client whose only root is this project."""
    real = os.path.realpath(project.path)
    return Roots((Root(0, project.uri or "", project.display_name, project.path, real_path=real),), "ok")


async def verified_roots(
    views: Sequence[RootView],
    state: RootsState,
    policy: Policy,
    host: HostFacts,
) -> Roots:
    """Lets the resolver judge every root alone, in a thread."""
    [source] = [source for source in policy["sources"] if source["from"] == "roots"] or [Source({"from": "roots"})]
    alone: Policy = {**policy, "sources": [{**source, "verify": "directory"}]}

    def verify() -> tuple[Root, ...]:
        return tuple(_verified(view, alone, host) for view in views)

    return Roots(await anyio.to_thread.run_sync(verify, abandon_on_cancel=True), state)


def _verified(view: RootView, policy: Policy, host: HostFacts) -> Root:
    root = Root(
        view["index"],
        view["uri"],
        view.get("name"),
        view.get("path"),
        view.get("clientPath"),
        problem=view.get("problem"),
    )
    if root.problem is not None:
        return root
    # The URI is made safe to show, so it may differ from the one that was sent.
    uri = root.uri if root.path is None else PurePath(root.path).as_uri()
    with Resolver(policy, host=host) as resolver:
        resolver.handle({"type": "clientInitialized", "capabilities": {"roots": {}}}, _now())
        resolver.handle({"type": "clientReady"}, _now())
        actions = resolver.handle({"type": "rootsListed", "result": {"roots": [{"uri": uri}]}}, _now())
        actions += resolver.handle({"type": "asked", "ask": 1, "askBy": "none", "explain": True}, _now())
        while (answer := _answer(actions)) is None:
            probes = [action for action in actions if action["type"] == "probe"]
            actions = [new for probe in probes for new in resolver.handle(probe_disk(probe), _now())]
            if not probes:
                actions = resolver.handle({"type": "deadlineReached"}, max(_now(), resolver.deadline or 0))
        if answer["outcome"] == "resolved":
            found = answer["project"]
            return replace(root, path=found.get("path", root.path), real_path=found.get("realPath"))
        tried = answer["explanation"]["tried"] if "explanation" in answer else []
        return replace(root, problem=next((one["reason"] for one in tried if "reason" in one), "invalid"))


def _answer(actions: Sequence[Action]) -> Answer | None:
    return next((action for action in actions if action["type"] == "answer"), None)


def _now() -> int:
    return int(time.monotonic() * 1000)
