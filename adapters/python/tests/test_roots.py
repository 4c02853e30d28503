"""Roots as an allow-list: what is inside, and what the texts about it show."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from clients import HOST, Connection, Peer
from clients import roots as listed

from rootwise import RootwiseError, presets
from rootwise._roots import RootEntry, Roots, roots_of

#: Seconds that a race lasts, and those that it may last until both sides have won once.
RACE_S, MAX_RACE_S = 2, 20

#: What no text may show: a control character, one that turns the direction of the text, and one that is invisible.
HIDDEN = "\x07\u202e\u200b"


def usable(*folders: Path) -> Roots:
    made = (
        RootEntry(n, folder.as_uri(), None, str(folder), real_path=str(folder), usable=True)
        for n, folder in enumerate(folders)
    )
    return Roots(tuple(made), "ok")


async def verified(folder: Path, policy: Any, **host: Any) -> RootEntry:
    facts: Any = {**HOST, **host}
    made, peer = Connection(policy, host=facts), Peer(listed(folder))
    peer.may_answer.set()
    answer: Any = await made.answer(peer, want="roots")
    made.close()
    [root] = roots_of(answer).roots
    return root


def test_a_relative_path_starts_from_the_first_root_as_its_client_spells_it(tmp_path: Path) -> None:
    real, link, other = tmp_path / "real", tmp_path / "near" / "link", tmp_path / "near" / "other"
    for folder in (real, other):
        folder.mkdir(parents=True)
    link.symlink_to(real)
    first = RootEntry(0, link.as_uri(), None, str(link), real_path=str(real.resolve()), usable=True)
    roots = Roots((first, *usable(other.resolve()).roots), "ok")
    assert roots.resolve("../other") == str(other.resolve())


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
        began = time.monotonic()
        while time.monotonic() - began < (RACE_S if all(found.values()) else MAX_RACE_S):
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


@pytest.mark.anyio
async def test_a_folder_beside_a_root_is_not_inside_because_of_a_marker_above(tmp_path: Path) -> None:
    for name in ("pkg", "secret", ".git"):
        (tmp_path / "mono" / name).mkdir(parents=True)
    policy: Any = presets["recommended"]
    for source in policy["sources"]:
        if source["from"] == "roots":
            source["refine"] = {"tiers": [{"names": [".git"]}]}
    root = await verified(tmp_path / "mono" / "pkg", policy)
    assert root.real_path == str((tmp_path / "mono" / "pkg").resolve())
    assert Roots((root,), "ok").containing(tmp_path / "mono" / "secret") is None


@pytest.mark.anyio
async def test_a_path_is_mapped_to_this_machine_once(tmp_path: Path) -> None:
    (tmp_path / "a" / "a").mkdir(parents=True)
    mapped = [{"from": str(tmp_path), "to": str(tmp_path / "a"), "fromStyle": "posix"}]
    root = await verified(tmp_path, presets["recommended"], pathMap=mapped)
    assert root.path == str(tmp_path / "a")


@pytest.mark.parametrize("path", ["", "a\0b", "a/" * 20_000])
def test_a_path_that_no_system_takes_is_refused_before_the_disk_is_asked(tmp_path: Path, path: str) -> None:
    with pytest.raises(RootwiseError) as caught:
        usable(tmp_path).resolve(path)
    assert caught.value.code == "invalid"


def test_a_path_may_be_a_file_uri_and_has_one_reading(tmp_path: Path) -> None:
    root, beside = tmp_path / "root", tmp_path / "beside"
    root.mkdir()
    beside.mkdir()
    (root / "dead").symlink_to(root / "gone")
    roots = usable(root)
    assert roots.resolve((root / "new file").as_uri()) == str(root / "new file")
    for path, code in (
        (beside.as_uri(), "outside"),
        ("https://host/root", "not_file_uri"),
        ("C:\\root", "other_system"),
        ("dead", "outside"),  # A link could lead anywhere by the time it is used.
    ):
        with pytest.raises(RootwiseError) as caught:
            roots.resolve(path)
        assert caught.value.code == code, path


def test_texts_show_nothing_hidden_and_have_an_end(tmp_path: Path) -> None:
    folders = [tmp_path / f"{HIDDEN}folder {number} {'x' * 80}" for number in range(400)]
    roots = usable(*folders)
    with pytest.raises(RootwiseError) as caught:
        roots.resolve("/")
    text = str(caught.value)
    assert len(text) < 1_200
    assert not set(HIDDEN) & set(text)
    assert "folder 1 " in text
    assert " more" in text
