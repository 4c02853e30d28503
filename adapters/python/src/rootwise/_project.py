"""The project as a Python object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import rootwise


@dataclass(frozen=True, slots=True)
class RootRef:
    """A client root as a project refers to it."""

    #: Position in the client's list.
    index: int
    #: The URI as the client sent it, made safe to show.
    uri: str
    #: The root's own name, made safe to show.
    name: str | None = None
    #: The folder that the URI names on this machine. It is not verified.
    path: str | None = None
    #: The folder that the URI names on the client's machine, where that is another one.
    client_path: str | None = None


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree that its repository knows."""

    #: The name by which the repository knows it.
    name: str
    #: The top folder of the main checkout; a bare repository has none.
    main: str | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a project's folder."""

    #: The top folder of this checkout, by its real path.
    path: str
    #: Identity: all worktrees of a repository have the same key.
    key: str
    #: Short hash of the key.
    id: str
    #: The name of the repository's folder, the same in all worktrees.
    name: str
    #: The system that keeps it.
    kind: rootwise.types.RepositoryKind
    #: The project's folder relative to the top, with ``/`` on every system; empty at the top.
    inside: str
    #: The worktree, where this is not the main checkout.
    worktree: Worktree | None = None
    #: Whether its ``.git`` is a file that leads to no repository which confirms it. It then counts as one of its own.
    broken: bool = False
    #: The place of the remote ``origin``, or of the only one, as ``host/path``, where the policy asks for it.
    remote: str | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """A package inside a project."""

    #: Its folder, spelled like the project's.
    path: str
    #: The folder's name.
    name: str
    #: The folder relative to the project's, with ``/`` on every system.
    inside: str
    #: The marker by which it is one.
    marker: str


@dataclass(frozen=True, slots=True)
class AnyProject:
    """The project of a client; without a ``path`` it is a name or a folder on another machine.

    Only servers with ``require_path=False`` get one that is not a :class:`Project`.
    """

    #: Identity: one folder has one key, whatever its spelling, and with another ``identity`` in the policy the same
    #: folder of a repository has it in every worktree or clone.
    key: str
    #: Short hash of the key.
    id: str
    #: A folder name for it, safe on every system: the readable part of its name and its `id`.
    slug: str
    #: The folder's name, or the name it was selected by; as the peer wrote it.
    name: str
    #: The name made safe to show: one line, bounded, without control or invisible characters.
    display_name: str
    #: The source that won, such as `roots`.
    source: str
    #: The folder, where this process can use it: the client is on this machine, or the folder was verified inside the
    #: allowed ones.
    path: str | None = None
    #: The folder as the client spells it, where that is not ``path``: on another machine, where it was not checked, or
    #: by the path map.
    client_path: str | None = None
    #: How its paths and its key are spelled, where it is a folder: a client on another machine may run another system.
    style: rootwise.types.PathStyle | None = None
    #: The canonical URI, where there is one.
    uri: str | None = None
    #: The real path, where a probe reported it.
    real_path: str | None = None
    #: The repository that the folder belongs to, where the policy looks for it and there is one.
    repository: Repository | None = None
    #: The nearest package between the ``target`` of a call and the project's folder; not part of its identity.
    package: Package | None = field(default=None, compare=False)
    #: The exact place that the source read: a variable, a header, an option.
    via: str | None = None
    #: The client root it came from.
    root: RootRef | None = None
    #: The client's other roots, where this one was picked from several.
    other_roots: tuple[RootRef, ...] = ()
    #: The text that names it in each call, of a selection that is kept nowhere because nothing connects the calls of
    #: this client; not part of the project's identity.
    handle: str | None = field(default=None, compare=False)
    #: Whether the client or the disk did not confirm in time that this still holds; not part of the project's identity.
    stale: bool = field(default=False, compare=False)
    #: The result of every source, where the caller asked for it; not part of the project's identity.
    explanation: rootwise.types.Explanation | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Project(AnyProject):
    """The project of a client: a folder that this process can use."""

    #: The folder: the client is on this machine, or the folder was verified inside the allowed ones.
    path: str


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    #: The projects of an adapter: with a folder, or with ``require_path=False`` any.
    P = TypeVar("P", bound=AnyProject, default=Project)
else:
    from typing import TypeVar

    P = TypeVar("P", bound=AnyProject)


def project_of(
    raw: Mapping[str, Any] | None,
    explanation: rootwise.types.Explanation | None = None,
) -> AnyProject | None:
    """Converts a project of the wire format."""
    if raw is None:
        return None
    root = raw.get("root")
    kind: Any = Project if "path" in raw else AnyProject
    made = kind(
        key=raw["key"],
        id=raw["id"],
        slug=raw["slug"],
        name=raw["name"],
        display_name=raw["displayName"],
        source=raw["source"],
        path=raw.get("path"),
        client_path=raw.get("clientPath"),
        style=raw.get("style"),
        uri=raw.get("uri"),
        real_path=raw.get("realPath"),
        repository=_repository_of(raw.get("repository")),
        package=Package(**raw["package"]) if raw.get("package") else None,
        via=raw.get("via"),
        root=_root_of(root) if root else None,
        other_roots=tuple(_root_of(other) for other in raw.get("otherRoots", ())),
        handle=raw.get("handle"),
        stale=raw.get("stale", False),
        explanation=explanation,
    )
    return cast("AnyProject", made)


def _repository_of(raw: Mapping[str, Any] | None) -> Repository | None:
    if raw is None:
        return None
    return Repository(**{**raw, "worktree": Worktree(**raw["worktree"]) if raw.get("worktree") else None})


def _root_of(raw: Mapping[str, Any]) -> RootRef:
    return RootRef(raw["index"], raw["uri"], raw.get("name"), raw.get("path"), raw.get("clientPath"))
