"""Real repositories, made by git, as clients over stdio and over HTTP see them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import listening
from raw import Client, Raw, RawHttp

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")

#: Every call looks again.
OPTIONS = ("--identity=repository", "--age=0")

#: What tells about a file of a project: path, key, repository and package.
Look = Callable[[str], Any]


def git(folder: Path, *arguments: str) -> None:
    settings = [part for name in ("user.name", "user.email") for part in ("-c", f"{name}=t")]
    env = {**os.environ, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *settings, *arguments], cwd=folder, env=env, check=True, capture_output=True)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository with a package and a worktree, and another repository."""
    for name in ("app", "other"):
        (tmp_path / name / "web").mkdir(parents=True)
        (tmp_path / name / "web" / "package.json").write_text("{}")
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "add", ".")
        git(tmp_path / name, "commit", "-q", "-m", "first")
    git(tmp_path / "app", "worktree", "add", "-q", "../fix")
    return tmp_path


def told(client: Client, call: int) -> Any:
    failed, text = client.text(call)
    assert not failed, text
    return json.loads(text)


@contextmanager
def over_stdio(nursery: str, _work: Path, folder: Path) -> Iterator[Look]:
    with Raw(nursery, *OPTIONS) as client:
        client.handshake()

        def look(file: str) -> Any:
            call = client.call("repository", file=file)
            client.answer_questions(call, folder.as_uri())
            return told(client, call)

        yield look


@contextmanager
def over_http(nursery: str, work: Path, folder: Path) -> Iterator[Look]:
    with listening(nursery, *OPTIONS, "--remote", f"--allowed={work}") as url, RawHttp(url) as client:
        client.handshake(capabilities={})
        client.headers = {"X-Project-Path": str(folder)}
        yield lambda file: told(client, client.call("repository", file=file))


both = pytest.mark.parametrize("reach", [over_stdio, over_http], ids=lambda reach: reach.__name__)


@both
def test_a_worktree_has_the_key_of_its_main_checkout_and_a_file_has_its_package(
    nursery: str, work: Path, reach: Any
) -> None:
    with reach(nursery, work, work / "fix") as look:
        path, key, repository, package = look("web/src/new.ts")
        assert (path, key) == (str(work / "fix"), str(work / "app"))
        assert repository["worktree"] == {"name": "fix", "main": str(work / "app")}
        assert package == {"path": f"{path}/web", "name": "web", "inside": "web", "marker": "package.json"}
        assert look("README.md")[3] is None


@both
def test_a_repository_comes_and_goes_between_calls(nursery: str, work: Path, reach: Any) -> None:
    late = work / "late"
    late.mkdir()
    with reach(nursery, work, late) as look:
        assert look(".")[1:3] == [str(late), None]
        git(work / "app", "worktree", "add", "-q", "-f", str(late))
        assert look(".")[:2] == [str(late), str(work / "app")]
        (late / ".git").rename(late / "kept")
        assert look(".")[1:3] == [str(late), None]
        (late / "kept").rename(late / ".git")
        shutil.rmtree(work / "app" / ".git" / "worktrees" / "late")
        _, key, repository, _ = look(".")
        assert (key, repository["broken"], repository["worktree"]) == (str(late), True, None)


def test_a_remote_client_learns_nothing_outside_the_allowed_folders(nursery: str, work: Path) -> None:
    with over_http(nursery, work / "fix", work / "fix" / "web") as look:
        found = look(".")
        assert str(work / "app") not in json.dumps(found)
        assert (found[1], found[2]["broken"]) == (str(work / "fix" / "web"), True)


def test_a_switch_to_another_worktree_is_announced_as_what_it_is(nursery: str, work: Path) -> None:
    with Raw(nursery, *OPTIONS) as client:
        client.handshake()
        for name in ("app", "fix", "other"):
            call = client.call("repository", file=".")
            client.answer_questions(call, (work / name).as_uri())
            assert told(client, call)[0] == str(work / name)
        changes = told(client, client.call("count", what="changes"))
        # The new folder comes first.
        assert changes[-2:] == [f"raw {work / 'fix'} {work / 'app'} repository", f"raw {work / 'other'} {work / 'fix'}"]
