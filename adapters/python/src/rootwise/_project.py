"""The project as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RootRef:
    """A client root as a project refers to it."""

    #: Position in the client's list.
    index: int
    #: The URI as the client sent it, made safe to show.
    uri: str
    #: The root's own name, made safe to show.
    name: str | None = None
    #: The folder on the server's machine, where the URI names one.
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """The project a client works in."""

    #: Identity: the same folder has the same key whatever its spelling.
    key: str
    #: Short hash of the key, fit for file names.
    id: str
    #: The folder's name, or the name it was selected by; as the peer wrote it.
    name: str
    #: The name made safe to show: one line, bounded, without control or invisible characters.
    display_name: str
    #: The source that won, such as `roots`.
    source: str
    #: The folder on the server's machine, where there is one.
    path: str | None = None
    #: The canonical URI, where there is one.
    uri: str | None = None
    #: The real path, where a probe told it.
    real_path: str | None = None
    #: What exactly the source read: a variable, a header, an option.
    via: str | None = None
    #: The client root it came from.
    root: RootRef | None = None
    #: The client's other roots, where this one was picked from several.
    other_roots: tuple[RootRef, ...] = ()
    #: What the policy wants told beside this answer; show it with the result. No part of what the project is.
    hints: tuple[str, ...] = field(default=(), compare=False)


def project_of(said: Mapping[str, Any] | None, hints: Iterable[str] = ()) -> Project | None:
    """Reads a project out of what a face said."""
    if said is None:
        return None
    root = said.get("root")
    return Project(
        key=said["key"],
        id=said["id"],
        name=said["name"],
        display_name=said["displayName"],
        source=said["source"],
        path=said.get("path"),
        uri=said.get("uri"),
        real_path=said.get("realPath"),
        via=said.get("via"),
        root=RootRef(**root) if root else None,
        other_roots=tuple(RootRef(**other) for other in said.get("otherRoots", ())),
        hints=tuple(hints),
    )
