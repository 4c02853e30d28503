"""The functions that need no resolver."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from ._error import RootwiseError, understood
from ._face import face
from ._text import MOST, MOST_ARGUMENTS, bounded, text_of

if TYPE_CHECKING:
    from ._project import Project
    from .types import PathStyle, RecoverRequest, Recovery


def path_style() -> PathStyle:
    """How paths are spelled on this machine."""
    return "windows" if os.name == "nt" else "posix"


def file_uri_to_path(uri: str, style: PathStyle | None = None) -> str:
    """Gives the normalised absolute path a ``file:`` URI names.

    :param style: how paths are spelled; by default as on this machine
    :raises RootwiseError: the URI is refused; ``code`` says why
    """
    return cast(str, _call("fileUriToPath", uri=uri, style=style or path_style()))


def project_key(uri: str, style: PathStyle | None = None) -> str:
    """Gives the identity of the project a root URI names: the same folder has the same key whatever its spelling.

    :raises RootwiseError: the URI is refused; ``code`` says why
    """
    return cast(str, _call("projectKey", uri=uri, style=style or path_style()))


def is_inside(root: str, path: str, style: PathStyle | None = None, *, real: tuple[str, str] | None = None) -> bool:
    """Tells whether ``path`` is ``root`` or below it: by spelling, or on disk with both real paths in ``real``."""
    arguments: dict[str, Any] = {"root": root, "path": path, "style": style or path_style()}
    if real is not None:
        arguments["real"] = {"root": real[0], "path": real[1]}
    return cast(bool, _call("isInside", **arguments))


def join_inside(project: str | Project, path: str, style: PathStyle | None = None) -> str:
    """Gives the place a tool's path means, relative to the project or absolute, if that is the project or below it.

    :raises RootwiseError: the path is refused or leads out of the project; ``code`` says why
    """
    folder = project if isinstance(project, str) else project.path
    if folder is None:
        raise RootwiseError("bad_options", "the project has no path")
    return cast(str, _call("joinInside", project=folder, path=path, style=style or path_style()))


def recover_session(request: RecoverRequest) -> Recovery:
    """Finds the session a project was last worked on in, from records you load out of any store."""
    text = text_of({"recoverSession": request}, "bad_options", "the request")
    return cast("Recovery", understood(face().call(bounded(text, "the request", MOST)))["value"])


def _call(name: str, **arguments: object) -> object:
    text = text_of({name: arguments}, "bad_options", "the arguments")
    return understood(face().call(bounded(text, "the arguments", MOST_ARGUMENTS)))["value"]
