"""For tests of servers: a fixed project, without a client that has one.

::

    @pytest.fixture
    def project(tmp_path):
        with fixed_project(tmp_path) as project:
            yield project
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ._error import RootwiseError
from ._functions import path_style, project_slug
from ._project import Project, project_of
from ._resolver import Resolver

__all__ = ["fixed_project"]

_fixed: list[Project] = []


@contextmanager
def fixed_project(path: str | os.PathLike[str], *, name: str | None = None) -> Iterator[Project]:
    """Makes every ``Rootwise`` of this process return one project, until the block ends.

    It covers all threads and event loops, so it works with in-memory clients, and code needs no client at all.

    :param path: an existing or imaginary absolute folder
    :param name: the project's name; by default the folder's
    """
    project = _project_at(os.fspath(path), name)
    _fixed.append(project)
    try:
        yield project
    finally:
        _fixed.remove(project)


def current_project() -> Project | None:
    """Returns the fixed project, where a test has set one."""
    return _fixed[-1] if _fixed else None


def _project_at(path: str, name: str | None) -> Project:
    with Resolver(
        {"name": "test", "sources": [{"from": "server", "verify": "none"}]}, host={"style": path_style()}
    ) as resolver:
        [answer, *_] = resolver.handle({"type": "asked", "ask": 1, "askVia": "none", "facts": {"server": path}}, 0)
    if answer["type"] != "answer" or answer["outcome"] != "resolved":
        raise RootwiseError("bad_options", f"{path!r} must be an absolute folder")
    raw = answer["project"]
    if name is not None:
        raw = {**raw, "name": name, "displayName": name, "slug": project_slug(name, raw["key"])}
    project = project_of(raw)
    assert isinstance(project, Project)
    return project
