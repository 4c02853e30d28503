"""Tells an MCP server which project its client is working in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._backend import backend
from ._endpoint import Endpoint, EndpointOutput
from ._error import NoProjectError, RootwiseError
from ._facts import host_facts
from ._functions import (
    basename,
    client_file,
    file_inside,
    file_uri_to_path,
    is_inside,
    join_inside,
    parse_path_map,
    path_style,
    path_to_file_uri,
    project_id,
    project_key,
    project_parameter,
    project_slug,
    provided_roots,
    ready_tools,
    recover_session,
    sanitize_name,
    simulate_client,
    tool_path,
)
from ._inside import open_file, resolve_file, resolve_inside
from ._presets import presets
from ._probe import probe_disk
from ._project import AnyProject, Package, Project, Repository, RootRef, Worktree
from ._resolver import Resolver
from ._version import version as __version__
from .start import resolve_and_explain, resolve_at_start

if TYPE_CHECKING:
    from . import types as types

__all__ = [
    "AnyProject",
    "Endpoint",
    "EndpointOutput",
    "NoProjectError",
    "Package",
    "Project",
    "Repository",
    "Resolver",
    "RootRef",
    "RootwiseError",
    "Worktree",
    "__version__",
    "backend",
    "basename",
    "client_file",
    "file_inside",
    "file_uri_to_path",
    "host_facts",
    "is_inside",
    "join_inside",
    "open_file",
    "parse_path_map",
    "path_style",
    "path_to_file_uri",
    "presets",
    "probe_disk",
    "project_id",
    "project_key",
    "project_parameter",
    "project_slug",
    "provided_roots",
    "ready_tools",
    "recover_session",
    "resolve_and_explain",
    "resolve_at_start",
    "resolve_file",
    "resolve_inside",
    "sanitize_name",
    "simulate_client",
    "tool_path",
]


def __getattr__(name: str) -> object:
    # The types take 8 ms to import, and at run time only tools that read annotations need them.
    if name == "types":
        from importlib import import_module

        return import_module(".types", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
