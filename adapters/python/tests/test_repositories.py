"""Real repositories, made by git, and what only a hostile disk has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rootwise import Project, Repository, host_facts, recover_session, resolve_at_start
from rootwise.testing import FakeDisk, FakeHost

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths"),
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git"),
]


class Place:
    """A folder with repositories."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def at(self, path: str) -> str:
        return os.path.normpath(self.folder / path)

    def git(self, folder: str, *arguments: str) -> None:
        settings = {"user.name": "t", "user.email": "t@example.org", "protocol.file.allow": "always"}
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        env = {**os.environ, "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *given, *arguments], cwd=self.at(folder), env=env, check=True, capture_output=True)

    def repository(self, folder: str) -> None:
        (self.folder / folder / "web").mkdir(parents=True)
        (self.folder / folder / "web/package.json").write_text("{}")
        self.git(folder, "init", "-q")
        self.git(folder, "add", ".")
        self.git(folder, "commit", "-q", "-m", "first")

    def project(self, folder: str, identity: Any = "repository", allowed: str | None = None) -> Project:
        host = host_facts("stdio")
        host["arguments"] = {"project": self.at(folder)}
        if allowed is not None:
            host["allowedDirs"] = [self.at(allowed)]
        project = resolve_at_start({"identity": identity}, host=host)
        assert project is not None
        return project

    def found(self, folder: str) -> Repository:
        found = self.project(folder).repository
        assert found is not None
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.repository("app")
    place.git("app", "worktree", "add", "-q", "../fix")
    return place


def test_worktrees_share_key_and_slug_and_path_stays(place: Place) -> None:
    main, fix = place.project("app/web"), place.project("fix/web")
    assert main.key == place.at("app/web")
    assert (fix.key, fix.id, fix.slug, fix.path) == (main.key, main.id, main.slug, place.at("fix/web"))
    found = place.found("fix/web")
    assert (found.path, found.key, found.name, found.inside) == (place.at("fix"), place.at("app"), "app", "web")
    assert found.worktree is not None
    assert (found.worktree.name, found.worktree.main) == ("fix", place.at("app"))
    assert recover_session([{"id": "monday", "project": main.key}], project=fix).get("sessionId") == "monday"
    assert place.project("fix/web", "folder").key == place.at("fix/web")


def test_submodules_and_bare_repositories_are_their_own(place: Place) -> None:
    place.repository("lib")
    place.git("app", "submodule", "add", "-q", "../lib", "lib")
    assert place.found("app/lib").key == place.at("app/lib")
    place.git("app/lib", "worktree", "add", "-q", "../../lib-fix")
    fix = place.found("lib-fix")
    assert fix.worktree is not None
    assert (fix.key, fix.worktree.main) == (place.at("app/lib"), place.at("app/lib"))
    place.git(".", "clone", "-q", "--bare", "app", "bare.git")
    place.git("bare.git", "worktree", "add", "-q", "../tree")
    tree = place.found("tree")
    assert (tree.key, tree.name) == (f"bare:{place.at('bare.git')}", "bare")
    assert tree.worktree is not None
    assert tree.worktree.main is None
    place.repository("app/web/inner")
    assert place.found("app/web/inner/web").path == place.at("app/web/inner")


def test_a_workspace_of_jujutsu_that_git_knows_too_is_a_worktree(place: Place) -> None:
    for folder in ("app", "fix"):
        os.mkdir(place.at(f"{folder}/.jj"))
    os.mkdir(place.at("app/.jj/repo"))
    Path(place.at("fix/.jj/repo")).write_text("../../app/.jj/repo")
    found = place.found("fix")
    assert (found.key, found.kind) == (place.at("app"), "git")


def test_a_git_file_leads_nowhere_unless_the_repository_confirms_it(place: Place) -> None:
    place.git("app", "worktree", "add", "-q", "../gone")
    os.rename(place.at("gone"), place.at("moved"))
    os.mkdir(place.at("liar"))
    entry = Path(place.at("liar/.git"))
    shutil.copy(place.at("fix/.git"), entry)

    def assert_own(folder: str) -> None:
        found = place.found(folder)
        assert (found.key, found.broken, found.worktree) == (place.at(folder), True, None)

    assert_own("moved")
    assert_own("liar")
    for content in (b"", b"gitdir:", b"gitdir: a\0b", b"gitdir: \xff\xfe", b"x" * (1 << 20)):
        entry.write_bytes(content)
        assert_own("liar")
    entry.unlink()
    entry.symlink_to(place.at("fix/.git"))
    assert_own("liar")
    entry.unlink()
    os.mkfifo(entry)
    assert_own("liar")
    entry.unlink()
    entry.symlink_to(entry)
    assert place.project("liar").repository is None


def test_nothing_outside_the_allowed_folders_is_told(place: Place) -> None:
    assert place.project("app/web", allowed="app/web").repository is None
    narrow = place.project("fix/web", allowed="fix").repository
    assert narrow is not None
    assert (narrow.key, narrow.broken) == (place.at("fix"), True)
    wide = place.project("fix/web", allowed=".").repository
    assert wide is not None
    assert (wide.key, wide.broken) == (place.at("app"), False)


def test_clones_share_a_key_where_the_remote_decides(place: Place) -> None:
    for clone, url in {"one": "git@example.org:acme/app.git", "two": "https://u:p@Example.org/acme/app"}.items():
        place.git(".", "clone", "-q", "app", clone)
        place.git(clone, "remote", "set-url", "origin", url)
        project = place.project(f"{clone}/web", "remote")
        assert project.key == "remote:example.org/acme/app//web"
        assert project.repository is not None
        assert project.repository.remote == "example.org/acme/app"


def test_a_disk_for_tests_has_worktrees_and_packages_too() -> None:
    disk = FakeDisk("/w/app/.git/", "/w/fix/web/package.json")
    disk.write("/w/fix/.git", "gitdir: /w/app/.git/worktrees/fix")
    disk.write("/w/app/.git/worktrees/fix/commondir", "../..")
    disk.write("/w/app/.git/worktrees/fix/gitdir", "/w/fix/.git")
    policy: Any = {"identity": "repository"}
    client = FakeHost(policy, disk=disk).connect(["/w/fix"])
    project = client.project(target="web/src/page.ts")
    assert project.key == "/w/app"
    assert project.package is not None
    assert (project.package.inside, project.package.marker) == ("web", "package.json")
    client.close()
