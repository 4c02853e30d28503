"""The disk: names that are not UTF-8, and folders that do not answer."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from clients import PATIENCE_OF_CALLERS, Peer, connection, roots

from rootwise import NoProjectError, RootwiseError, host_facts, probe_disk, resolve_at_start
from rootwise._adapter import Adapter
from rootwise.start import resolve_and_explain

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names on Windows are always Unicode")

#: Bytes that are no UTF-8, as Python spells them.
NAME = os.fsdecode(b"caf\xe9")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    folder = tmp_path / NAME
    try:
        (folder / ".git").mkdir(parents=True)
    except OSError:
        pytest.skip("this disk takes no names other than UTF-8")
    return folder


@contextmanager
def hanging(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> Iterator[None]:
    """Looks at these folders take as long as the block does."""
    answers, real = threading.Event(), os.stat

    def stat(path: Any, *args: Any, **more: Any) -> Any:
        if any(str(path).startswith(str(folder)) for folder in folders):
            answers.wait(60)
        return real(path, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", stat)
        try:
            yield
        finally:
            answers.set()


def test_a_process_with_such_names_around_it_starts(odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(odd)
    for variable in ("HOME", "TMPDIR", "ROOTWISE_PROJECT"):
        monkeypatch.setenv(variable, str(odd))
    assert "cwd" not in host_facts()
    assert resolve_at_start(host=host_facts(argv=[f"--project={odd}"])) is None
    Adapter()


def test_an_option_with_such_a_name_is_refused_and_names_no_other_folder(odd: Path) -> None:
    # A folder that the option would name if the bytes were replaced.
    odd.with_name("caf?").mkdir()
    found, why = resolve_and_explain(host={**host_facts(argv=["--project", str(odd)], env={}), "cwd": "/"})
    assert found is None
    assert why is not None
    [tried] = [one for one in why["tried"] if one["source"] == "configured"]
    assert tried["reason"] == "invalid", tried


def test_an_allowed_folder_with_such_a_name_is_refused_by_its_option(odd: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(odd)
    for folder in (odd, link):
        with pytest.raises(RootwiseError, match=r"allowed_dirs\[0\]: .* not UTF-8"):
            Adapter(allowed_dirs=[folder])


@pytest.mark.anyio
async def test_a_root_that_leads_to_such_a_name_cannot_be_read_and_costs_no_wait(odd: Path, tmp_path: Path) -> None:
    link, plain = tmp_path / "link", tmp_path / "plain"
    link.symlink_to(odd)
    plain.mkdir()
    [found] = probe_disk({"type": "probe", "probe": 1, "paths": [{"path": str(link)}]})["paths"]
    assert found == {"path": str(link), "found": "unreadable"}
    made, peer = connection(), Peer(roots(link))
    peer.may_answer.set()
    with anyio.fail_after(10), pytest.raises(NoProjectError):
        await made.ask(sender=peer)
    made.close()


@pytest.mark.anyio
async def test_a_folder_that_does_not_answer_takes_nothing_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = tmp_path / "slow", tmp_path / "quick"
    for folder in (slow, quick):
        folder.mkdir()
    made, peer = connection(wait=PATIENCE_OF_CALLERS), Peer(roots(slow, quick))
    peer.may_answer.set()
    with hanging(monkeypatch, slow), anyio.fail_after(30):
        assert (await made.ask(sender=peer)).path == str(quick)
    made.close()


def test_the_home_folder_is_no_project_in_any_of_its_spellings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, link = tmp_path / "home", tmp_path / "link"
    (home / ".git").mkdir(parents=True)
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(link))
    assert set(host_facts()["excludedDirs"]["home"]) == {str(link), str(home.resolve())}
    monkeypatch.chdir(home)
    assert resolve_at_start(host=host_facts(argv=[], env={})) is None
