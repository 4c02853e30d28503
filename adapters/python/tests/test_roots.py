"""Roots as an allow-list: what is inside, and what the texts about it show."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from rootwise import RootwiseError, host_facts, presets
from rootwise._roots import Root, Roots, verified_roots

#: Seconds that a race lasts.
RACE_S = 2

#: What no text may show: a control character, one that turns the direction of the text, and one that is invisible.
HIDDEN = "\x07\u202e\u200b"


def usable(*folders: Path) -> Roots:
    made = (Root(n, folder.as_uri(), None, str(folder), real_path=str(folder)) for n, folder in enumerate(folders))
    return Roots(tuple(made), "ok")


def verified(folder: Path, policy: Any, **host: Any) -> Root:
    async def verify() -> Roots:
        view: Any = {"index": 0, "uri": folder.as_uri(), "path": str(folder)}
        facts: Any = {**host_facts(argv=[], env={}), **host}
        return await verified_roots([view], "ok", policy, facts, 20)

    [root] = anyio.run(verify).roots
    return root


def test_a_link_that_turns_never_leads_out(tmp_path: Path) -> None:
    root, outside = (tmp_path / "root").resolve(), (tmp_path / "outside").resolve()
    for folder in (root / "inside", outside):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    link, roots, over = root / "link", usable(root), threading.Event()

    def turn() -> None:
        while not over.is_set():
            for target in (root / "inside", outside):
                os.symlink(target, root / "next")
                os.replace(root / "next", link)

    turning = threading.Thread(target=turn)
    turning.start()
    found = {"inside": 0, "outside": 0}
    try:
        end = time.monotonic() + RACE_S
        while time.monotonic() < end:
            try:
                real = roots.resolve(link / "file")
            except RootwiseError as error:
                found[error.code] += 1
                continue
            assert real.startswith(f"{root}{os.sep}"), real
            found["inside"] += 1
    finally:
        over.set()
        turning.join()
    assert all(found.values()), found


def test_a_folder_beside_a_root_is_not_inside_because_of_a_marker_above(tmp_path: Path) -> None:
    for name in ("pkg", "secret", ".git"):
        (tmp_path / "mono" / name).mkdir(parents=True)
    policy: Any = presets["recommended"]
    for source in policy["sources"]:
        if source["from"] == "roots":
            source["refine"] = {"tiers": [{"names": [".git"]}]}
    root = verified(tmp_path / "mono" / "pkg", policy)
    assert root.real_path == str((tmp_path / "mono" / "pkg").resolve())
    assert Roots((root,), "ok").containing(tmp_path / "mono" / "secret") is None


def test_a_path_is_mapped_to_this_machine_once(tmp_path: Path) -> None:
    (tmp_path / "a" / "a").mkdir(parents=True)
    mapped = [{"from": str(tmp_path), "to": str(tmp_path / "a"), "fromStyle": "posix"}]
    root = verified(tmp_path / "a", presets["recommended"], pathMap=mapped)
    assert root.path == str(tmp_path / "a")


@pytest.mark.parametrize("path", ["", "a\0b", "a/" * 20_000])
def test_a_path_that_no_system_takes_is_refused_before_the_disk_is_asked(tmp_path: Path, path: str) -> None:
    with pytest.raises(RootwiseError) as caught:
        usable(tmp_path).resolve(path)
    assert caught.value.code == "invalid"


def test_texts_show_nothing_hidden_and_have_an_end(tmp_path: Path) -> None:
    folders = [tmp_path / f"{HIDDEN}folder {number} {'x' * 80}" for number in range(400)]
    roots = usable(*folders)
    with pytest.raises(RootwiseError) as caught:
        roots.resolve("/")
    for text, most in ((str(caught.value), 1_200), (roots.text, 4_300)):
        assert len(text) < most
        assert not set(HIDDEN) & set(text)
        assert "folder 1 " in text
        assert " more" in text
