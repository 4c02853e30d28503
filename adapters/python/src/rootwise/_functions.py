"""Functions that need no resolver."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from ._backend import loaded_backend
from ._error import parse_reply
from ._project import AnyProject
from ._text import MAX_ARGUMENTS, MOST, bounded, text_of

if TYPE_CHECKING:
    from ._project import Project
    from .types import NameForm, PathMap, PathStyle, Policy, ProjectRef, Recovery, RootView, SessionRecord


def path_style() -> PathStyle:
    """How paths are spelled on this machine."""
    return "windows" if os.name == "nt" else "posix"


def file_uri_to_path(uri: str, style: PathStyle | None = None) -> str:
    """Returns the normalised absolute path of a ``file:`` URI.

    :param style: how paths are spelled; by default as on this machine
    :raises RootwiseError: the URI is refused; ``code`` says why
    """
    return cast(str, _call("fileUriToPath", uri=uri, style=style or path_style()))


def project_key(uri: str, style: PathStyle | None = None) -> str:
    """Returns the key of the project that a root URI names: one folder has one key, whatever its spelling.

    :param style: how paths are spelled; by default the URI decides: a drive or a share is written only on Windows
    :raises RootwiseError: the URI is refused; ``code`` says why
    """
    return cast(str, _call("projectKey", uri=uri, style=style))


def is_inside(root: str, path: str, style: PathStyle | None = None, *, real: tuple[str, str] | None = None) -> bool:
    """Tells whether ``path`` is ``root`` or below it: by spelling, or on disk with both real paths in ``real``."""
    arguments: dict[str, Any] = {"root": root, "path": path, "style": style or path_style()}
    if real is not None:
        arguments["real"] = {"root": real[0], "path": real[1]}
    return cast(bool, _call("isInside", **arguments))


def join_inside(project: str | Project, path: str, style: PathStyle | None = None) -> str:
    """Resolves a path of a tool, relative to the project or absolute, and checks that it is inside the project.

    :raises RootwiseError: the path is refused or outside the project; ``code`` says why
    """
    folder = project if isinstance(project, str) else project.path
    return cast(str, _call("joinInside", project=folder, path=path, style=style or path_style()))


def recover_session(
    sessions: Iterable[SessionRecord],
    *,
    project: AnyProject | ProjectRef | None = None,
    session_id: str | None = None,
    archived_before: float | str | None = None,
) -> Recovery:
    """Finds the session in which a project was last worked on, among records that you load from any store.

    A record whose time cannot be used ranks after those with one, and is reported in ``problems``.

    :param project: the project, or its key, path or root URI
    :param session_id: the id of the wanted session; it wins over everything else
    :param archived_before: sessions last used before this time count as archived, unless they are pinned
    :raises RootwiseError: a record has another shape, or ``archived_before`` is not a time
    """
    request = {
        "sessions": list(sessions),
        "project": {"key": project.key, "style": project.style} if isinstance(project, AnyProject) else project,
        "sessionId": session_id,
        "archivedBefore": archived_before,
    }
    text = text_of({"recoverSession": request}, "bad_options", "the request")
    return cast("Recovery", parse_reply(loaded_backend().call(bounded(text, "the request", MOST)))["value"])


def basename(path: str, style: PathStyle | None = None) -> str | None:
    """Returns the last name of a path; None for ``/``, a drive or a share."""
    return cast("str | None", _call("basename", path=path, style=style or path_style()))


def path_to_file_uri(path: str, style: PathStyle | None = None) -> str | None:
    """Returns the canonical ``file:`` URI of an absolute path; None for any other text."""
    return cast("str | None", _call("pathToFileUri", path=path, style=style or path_style()))


def project_id(key: str) -> str:
    """Returns the short hash of a project's key."""
    return cast(str, _call("projectId", key=key))


def project_slug(name: str, key: str) -> str:
    """Returns a folder name for a project: readable, different for every key, and safe on every system.

    A project has it as ``slug``.
    """
    return cast(str, _call("projectSlug", name=name, key=key))


def sanitize_name(name: str, form: NameForm) -> str:
    """Returns a name of certain characters only; different names may come out the same."""
    return cast(str, _call("sanitizeName", name=name, form=form))


def policy_inputs(policy: Policy) -> dict[str, Any]:
    """Returns the parts of a request, the environment and the command line that a policy reads, by name."""
    return cast("dict[str, Any]", _call("policyInputs", policy=policy))


def project_parameter(roots: Iterable[RootView] | None = None) -> dict[str, Any]:
    """Returns the optional parameter by which a tool call names its project, for the input schema of a tool.

    :param roots: the client's roots, which its description then names
    """
    return cast("dict[str, Any]", _call("projectParameter", roots=list(roots or ())))


def ready_tools() -> dict[str, dict[str, Any]]:
    """Describes the ready-made tools ``which``, ``switch`` and ``list``, each as a tool of the protocol."""
    return cast("dict[str, dict[str, Any]]", _call("readyTools"))


def provided_roots(folders: Iterable[Any], style: PathStyle | None = None) -> list[dict[str, str]]:
    """Returns the roots that a client lists for its folders, in their order; one that is there twice is listed once.

    :param folders: absolute paths or ``file:`` URIs, alone or as ``{"uri": ..., "name": ...}``
    :param style: how paths are spelled; by default as on this machine
    :raises RootwiseError: a folder is neither an absolute path of this style nor a ``file:`` URI; the message names it
    """
    places = [os.fspath(folder) if isinstance(folder, os.PathLike) else folder for folder in folders]
    return cast("list[dict[str, str]]", _call("providedRoots", folders=places, style=style or path_style()))


def simulate_client(
    client: str,
    roots: Iterable[Any] = (),
    style: PathStyle | None = None,
    home: str | None = None,
    conversation: str | None = None,
) -> dict[str, Any]:
    """Returns what a client of the table of clients does that has these folders open.

    :raises RootwiseError: there is no such client, or a folder is not absolute
    """
    whose = {"client": client, "home": home, "conversation": conversation}
    return cast("dict[str, Any]", _call("simulateClient", roots=list(roots), style=style or path_style(), **whose))


def command_line(words: list[str], policy: Policy) -> dict[str, str]:
    """Returns the options on a command line that a policy reads."""
    return cast("dict[str, str]", _call("commandLine", words=words, policy=policy))


def file_inside(project: AnyProject, file: str, style: PathStyle | None = None) -> str:
    """Returns the absolute path that a tool's path names inside a project, by spelling alone.

    :func:`rootwise.resolve_file` also checks where links lead.

    :raises RootwiseError: the path is not inside the project; the message says why
    """
    return cast(str, _call("fileInside", project=_folder(project), file=file, style=style or path_style()))


def tool_path(path: str, base: str | None = None, style: PathStyle | None = None) -> str:
    """Returns the absolute path that a tool's path names, by spelling alone.

    :param path: relative to ``base``, an absolute path or a ``file:`` URI
    :raises RootwiseError: the path has no safe reading, or is relative and there is no ``base``; the message says why
    """
    return cast(str, _call("toolPath", path=path, base=base, style=style or path_style()))


def client_file(project: AnyProject, file: str, style: PathStyle | None = None) -> str:
    """Returns a path inside a project as the client spells it; any other path as it is."""
    return cast(str, _call("clientFile", project=_folder(project), file=file, style=style or path_style()))


def _folder(project: AnyProject) -> dict[str, str]:
    spellings = {"path": project.path, "realPath": project.real_path, "clientPath": project.client_path}
    return {name: path for name, path in spellings.items() if path is not None}


def parse_path_map(text: str, style: PathStyle | None = None, place: str | None = None) -> list[PathMap]:
    """Reads a path map as an operator writes it: ``/home/me/app=/workspace;C:\\code=/code``.

    :param place: what the text is called in errors; by default ``pathMap``
    :raises RootwiseError: an entry is wrong; the message says which
    """
    return cast("list[PathMap]", _call("parsePathMap", text=text, style=style or path_style(), place=place))


def path_problem(**found: object) -> dict[str, str]:
    """Returns the code and the text of what this host found wrong with a path that a tool names."""
    return cast("dict[str, str]", _call("pathProblem", **found))


def host_problem(problem: str, **found: object) -> dict[str, str]:
    """Returns the code and the texts of what went wrong in this host, around the calls of its clients."""
    return cast("dict[str, str]", _call("hostProblem", problem=problem, **found))


@functools.cache
def not_inside() -> frozenset[str]:
    """Returns the codes with which a path itself is refused; with every other one, nobody knows if it is inside."""
    return frozenset(cast("list[str]", _call("notInside")))


def gate_policy(policy: Policy, header: str | None = None, query: str | None = None) -> Policy:
    """Returns the part of a policy that concerns a gate, or the policy of a gate with names of its own.

    :raises RootwiseError: the policy or a name is invalid; the message names it
    """
    return cast("Policy", _call("gatePolicy", policy=policy, reads={"header": header, "query": query}))


def gate_refusal(**verdict: object) -> dict[str, Any] | None:
    """Returns the response to a request that does not pass a gate; none if it passes."""
    return cast("dict[str, Any] | None", _call("gateRefusal", **verdict))


def _call(function: str, /, **arguments: object) -> object:
    text = text_of({function: arguments}, "bad_options", "the arguments")
    return parse_reply(loaded_backend().call(bounded(text, "the arguments", MAX_ARGUMENTS)))["value"]
