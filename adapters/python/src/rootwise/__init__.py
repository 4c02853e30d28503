"""Tells an MCP server which project its client is working in."""

from __future__ import annotations

from ._error import RootwiseError
from ._face import backend
from ._facts import host_facts
from ._functions import file_uri_to_path, is_inside, join_inside, path_style, project_key, recover_session
from ._presets import presets
from ._project import Project, RootRef
from ._resolver import Resolver
from ._version import version as __version__
from .start import resolve_at_start

__all__ = [
    "Project",
    "Resolver",
    "RootRef",
    "RootwiseError",
    "__version__",
    "backend",
    "file_uri_to_path",
    "host_facts",
    "is_inside",
    "join_inside",
    "path_style",
    "presets",
    "project_key",
    "recover_session",
    "resolve_at_start",
]
