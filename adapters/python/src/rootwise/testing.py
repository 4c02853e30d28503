"""For tests of servers: a fixed project, and a machine with a disk, clients and time of its own.

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
from typing import TYPE_CHECKING, Any, cast

from ._error import RootwiseError
from ._functions import file_uri_to_path, path_style, project_slug
from ._project import Project, project_of
from ._resolver import Resolver

if TYPE_CHECKING:
    from ._fakes import FakeClient, FakeDisk, FakeHost, LikeClient, client_like
    from .types import Explanation, Policy, SelectBy

__all__ = ["FakeClient", "FakeDisk", "FakeHost", "LikeClient", "client_like", "fixed_project"]

_fixed: list[Fixed] = []


@contextmanager
def fixed_project(path: str | os.PathLike[str], *, name: str | None = None) -> Iterator[Project]:
    """Makes every ``Rootwise`` of this process return one project, until the block ends.

    It covers all threads and event loops, so it works with in-memory clients, and code needs no client at all. What the
    server selects by a path or URI counts until it is dropped or the block ends.

    :param path: an existing or imaginary absolute folder
    :param name: the project's name; by default the folder's
    """
    fixed = Fixed(os.fspath(path), name)
    _fixed.append(fixed)
    try:
        yield fixed.first
    finally:
        _fixed.remove(fixed)


class Fixed:
    """The project that a test has set, and what the server's own code selected in its place."""

    def __init__(self, path: str, name: str | None) -> None:
        self.first, self._first_explained = _project_at(path, name)
        self.project, self.explanation = self.first, self._first_explained

    def select(self, by: SelectBy) -> Project:
        """Selects a folder by its path or URI, existing or imaginary, or the fixed project by its name."""
        [wanted] = cast("dict[str, str]", by).values()
        if wanted in (self.first.name, self.first.display_name):
            return self.unselect()
        is_uri = wanted.startswith("file:")
        self.project, self.explanation = _project_at(file_uri_to_path(wanted) if is_uri else wanted, None)
        return self.project

    def unselect(self) -> Project:
        """Makes the fixed project the current one again."""
        self.project, self.explanation = self.first, self._first_explained
        return self.project


def current_fixed() -> Fixed | None:
    """Returns what a test has fixed, where it has."""
    return _fixed[-1] if _fixed else None


def current_project() -> Project | None:
    """Returns the fixed project, where a test has set one."""
    return _fixed[-1].project if _fixed else None


def _project_at(path: str, name: str | None) -> tuple[Project, Explanation]:
    policy: Policy = {"name": "test", "sources": [{"from": "server", "verify": "none"}]}
    asked: Any = {"type": "asked", "ask": 1, "askVia": "none", "explain": True, "facts": {"server": path}}
    with Resolver(policy, host={"style": path_style()}) as resolver:
        [answer, *_] = resolver.handle(asked, 0)
    if answer["type"] != "answer" or answer["outcome"] != "resolved":
        raise RootwiseError("bad_options", f"{path!r} must be an absolute folder")
    raw = answer["project"]
    if name is not None:
        raw = {**raw, "name": name, "displayName": name, "slug": project_slug(name, raw["key"])}
    project = project_of(raw)
    assert isinstance(project, Project)
    return project, answer["explanation"]


def __getattr__(name: str) -> object:
    # Only tests need them, and every adapter imports this module.
    if name in ("FakeClient", "FakeDisk", "FakeHost", "LikeClient", "client_like"):
        from . import _fakes

        return getattr(_fakes, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
