"""Files inside a project, on a disk with links, and on one that changes meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_vectors import ROOT

from rootwise import (
    AnyProject,
    Project,
    RootwiseError,
    _inside,
    client_file,
    file_inside,
    open_file,
    parse_path_map,
    resolve_file,
    resolve_inside,
)
from rootwise._backend import Backend
from rootwise._roots import RootEntry, Roots

#: Seconds that a race lasts, and those that it may last until both sides have won once.
RACE_S, MAX_RACE_S = 2, 20

pytestmark = pytest.mark.skipif(os.name == "nt", reason="making links needs rights on Windows")


def project_of(folder: Path, **more: str) -> Project:
    path = str(folder)
    found = {"key": path, "id": "0", "slug": "app-0", "name": "app", "display_name": "app", "source": "cwd"}
    return Project(path=path, real_path=os.path.realpath(folder), **{**found, **more})  # type: ignore[arg-type]


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A project with a file, links inside it and out of it, and a secret beside it."""
    base = tmp_path.resolve()
    (base / "app" / "src").mkdir(parents=True)
    (base / "outside").mkdir()
    (base / "app" / "src" / "a.txt").write_text("inside")
    (base / "outside" / "a.txt").write_text("secret")
    for to, link in (
        ("app/src", "app/link"),
        ("outside", "app/out"),
        ("outside/a.txt", "app/src/out.txt"),
        ("gone", "app/src/dead"),
        ("app", "alias"),
    ):
        (base / link).symlink_to(base / to)
    return base


def test_every_case_of_functions(backend: Backend) -> None:
    cases = json.loads((ROOT / "tests" / "functions" / "paths.json").read_text("utf-8"))
    assert len(cases) >= 40
    for case in cases:
        assert json.loads(backend.call(json.dumps(case["call"]))) == case["expect"], case["name"]


@pytest.mark.parametrize("name", ["app", "alias"])
def test_links_are_followed_inside_the_project_and_never_out_of_it(disk: Path, name: str) -> None:
    project = project_of(disk / name)
    for file, real in (
        ("src/a.txt", "app/src/a.txt"),
        ("link/a.txt", "app/src/a.txt"),
        ("link/../src/./a.txt", "app/src/a.txt"),
        ("new/folder/file", "app/new/folder/file"),
        ("link/new", "app/src/new"),
        (".", "app"),
    ):
        assert resolve_file(project, file) == str(disk / real)
        assert resolve_file(project, disk / name / file) == str(disk / real)
    outside = f"The path is outside the project {disk / 'app'}"
    for file, code, *parts in (
        ("out/a.txt", "outside", outside, f"out leads to {disk / 'outside'}"),
        ("src/out.txt", "outside", outside, f"src/out.txt leads to {disk / 'outside' / 'a.txt'}"),
        ("src/dead", "outside", "src/dead in the path is a link that leads nowhere", str(disk / "gone")),
        ("src/a.txt/b", "not_directory", "src/a.txt in the path is not a folder"),
        ("../outside/a.txt", "outside", f"../outside/a.txt leads to {disk / 'outside' / 'a.txt'}"),
        ("a\0b", "invalid", "null"),
        ("", "invalid", "empty"),
        ("a\udcff", "unreadable", "UTF-8"),
        ("C:\\a", "other_system"),
        ("a" * (1 << 20), "invalid", "1048576"),
        ("a" * 300, "unreadable"),
    ):
        with pytest.raises(RootwiseError) as caught:
            resolve_file(project, file)
        assert caught.value.code == code, str(caught.value)
        for part in parts:
            assert part in str(caught.value)


def test_the_project_is_what_was_verified_even_if_its_own_link_turns(disk: Path) -> None:
    project = project_of(disk / "alias")
    (disk / "alias").unlink()
    (disk / "alias").symlink_to(disk / "outside")
    with pytest.raises(RootwiseError, match=f"{disk / 'alias'} leads to {disk / 'outside'}"):
        resolve_file(project, "a.txt")
    (disk / "alias").unlink()
    with pytest.raises(RootwiseError) as caught:
        resolve_file(project, "a.txt")
    assert caught.value.code == "missing"


def test_a_link_leads_where_the_system_goes_and_no_further(disk: Path) -> None:
    project = project_of(disk / "app")
    for number in range(1_200):
        (disk / "app" / f"chain{number}").symlink_to(f"chain{number + 1}")
    (disk / "app" / "chain1200").symlink_to("src")
    (disk / "app" / "slash").symlink_to("src/a.txt/")
    assert resolve_file(project, "chain1190/a.txt") == str(disk / "app" / "src" / "a.txt")
    for file, code, part in (
        ("chain0", "unreadable", "ELOOP"),
        ("chain0/a.txt", "unreadable", "ELOOP"),
        ("chain1100", "unreadable", "ELOOP"),
        ("slash", "outside", "slash in the path is a link that leads nowhere"),
    ):
        with pytest.raises(RootwiseError, match=part) as caught:
            resolve_file(project, file)
        assert caught.value.code == code
    root = RootEntry(0, "file:///app", "app", str(disk / "app"), real_path=str(disk / "app"))
    assert Roots((root,), "ok").containing(disk / "app" / "chain0") is None


def test_a_project_without_a_folder_has_no_files(disk: Path) -> None:
    anywhere = {name: "x" for name in ("key", "id", "slug", "name", "display_name", "source")}
    for client_path, code in (("/home/me/app", "other_machine"), (None, "no_path")):
        with pytest.raises(RootwiseError) as caught:
            resolve_file(AnyProject(**anywhere, client_path=client_path), "a")
        assert caught.value.code == code
    with pytest.raises(RootwiseError, match="must be a project"):
        resolve_file(str(disk), "a")  # type: ignore[arg-type]


def test_files_are_opened_as_open_does(disk: Path) -> None:
    project = project_of(disk / "app")
    with open_file(project, "link/a.txt") as file:
        assert file.read() == "inside"
    with open_file(project, "link/new", "xb") as file:
        file.write(b"one")
    with pytest.raises(FileExistsError):
        open_file(project, "src/new", "x")
    with open_file(project, "src/new", "a", encoding="utf-8") as file:
        file.write("two")
    assert (disk / "app" / "src" / "new").read_text() == "onetwo"
    with pytest.raises(FileNotFoundError):
        open_file(project, "src/none")
    with pytest.raises(FileNotFoundError):
        open_file(project, "none/new", "w")
    with pytest.raises(IsADirectoryError):
        open_file(project, "src", "w")
    for path in ("out/a.txt", "src/out.txt", "../outside/a.txt", "src/dead"):
        for mode in ("r", "w", "a", "x"):
            with pytest.raises(RootwiseError):
                open_file(project, path, mode)
    assert (disk / "outside" / "a.txt").read_text() == "secret"


@pytest.mark.parametrize("mode", ["r", "rb", "w", "a"])
def test_nobody_waits_for_the_other_end_of_a_pipe(disk: Path, mode: str) -> None:
    os.mkfifo(disk / "app" / "pipe")
    with pytest.raises(OSError, match=r"neither a file nor a folder|No such device or address"):
        open_file(project_of(disk / "app"), "pipe", mode)


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="folders above the project may not be readable here")
def test_no_link_above_the_project_is_followed_either(disk: Path) -> None:
    fence = str(disk / "app")
    os.close(_inside._open_beneath(fence, f"{fence}/src/a.txt", os.O_RDONLY))
    kept = disk.with_name("kept")
    disk.rename(kept)
    disk.symlink_to(kept)
    try:
        with pytest.raises(NotADirectoryError):
            _inside._open_beneath(fence, f"{fence}/src/a.txt", os.O_RDONLY)
    finally:
        disk.unlink()
        kept.rename(disk)


def test_a_path_inside_one_of_several_folders(disk: Path) -> None:
    folders = [disk / "app", disk / "outside"]
    assert resolve_inside(folders, "out/a.txt") == str(disk / "outside" / "a.txt")
    assert resolve_inside(folders, "a.txt", base=disk / "outside") == str(disk / "outside" / "a.txt")
    for allowed, path, code in (
        (folders, disk / "alone", "outside"),
        ([], "/etc", "outside"),
        ([], "etc", "relative"),
        (folders, "src/dead", "outside"),
        (folders, "", "invalid"),
    ):
        with pytest.raises(RootwiseError) as caught:
            resolve_inside(allowed, path)
        assert caught.value.code == code


def test_a_path_map_works_in_both_directions() -> None:
    assert parse_path_map("C:\\code=/srv", "posix") == [{"from": "C:\\code", "fromStyle": "windows", "to": "/srv"}]
    with pytest.raises(RootwiseError, match=r"bad options at X\[1\]"):
        parse_path_map("/a=/b;c", "posix", "X")
    project = replace(project_of(Path("/srv/app")), client_path="C:\\code\\app", real_path="/srv/app")
    assert file_inside(project, "C:\\code\\app\\a", "posix") == "/srv/app/a"
    assert client_file(project, "/srv/app/a", "posix") == "C:\\code\\app\\a"


@pytest.mark.parametrize("turned", ["app/src", "app/src/a.txt"])
@pytest.mark.parametrize("mode", ["r", "w", "a", "r+"])
def test_a_link_that_turns_between_the_check_and_the_use_is_not_followed(
    disk: Path, monkeypatch: pytest.MonkeyPatch, turned: str, mode: str
) -> None:
    check, looks = _inside._checked, []

    def turn_after_the_check(project: AnyProject, file: str) -> tuple[str, str]:
        checked = check(project, file)
        looks.append(checked)
        # What was examined is elsewhere by the time it is used.
        (disk / turned).rename(disk / "kept")
        (disk / turned).symlink_to(disk / "outside" / "a.txt" if turned.endswith("txt") else disk / "outside")
        return checked

    monkeypatch.setattr(_inside, "_checked", turn_after_the_check)
    with pytest.raises(RootwiseError) as caught, open_file(project_of(disk / "app"), "src/a.txt", mode) as file:
        file.write("written")
    assert caught.value.code == "outside"
    assert len(looks) == 1
    assert (disk / "outside" / "a.txt").read_text() == "secret"


#: Paths on a disk of two folders, and what links there lead to: each other, themselves, nothing.
PLACES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
BOTH = st.tuples(st.sampled_from(["app", "outside"]), PLACES).map("/".join)
TARGETS = BOTH.map("/".__add__) | st.sampled_from(["/app", "/outside", ".", "a", "b/c", "../a", "../outside/a"])
CHANGES = st.tuples(st.sampled_from(["folder", "file", "link", "link", "gone"]), BOTH, TARGETS)
FILES = st.lists(st.sampled_from(["a", "b", "c", "..", ".", "outside"]), max_size=4).map("/".join)


def change(base: str, kind: str, place: str, target: str) -> None:
    path = f"{base}/{place}"
    if not (os.path.realpath(os.path.dirname(path)) + os.sep).startswith(base + os.sep):
        return
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
        if kind != "gone":
            os.makedirs(os.path.dirname(path), exist_ok=True)
        if kind == "folder":
            os.mkdir(path)
        elif kind == "file":
            Path(path).write_text("")
        elif kind == "link":
            os.symlink(base + target if target.startswith("/") else target, path)
    except OSError:
        pass  # A file or a loop is in the way.


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(CHANGES, FILES), min_size=1, max_size=12))
def test_a_file_is_where_the_disk_has_it_however_that_changes(steps: list[tuple[tuple[str, str, str], str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.realpath(folder)
        app = f"{base}/app"
        os.mkdir(app)
        project = project_of(Path(app))
        for (kind, place, target), file in steps:
            change(base, kind, place, target)
            found = None
            with contextlib.suppress(RootwiseError):
                found = resolve_file(project, file)
            wanted = os.path.normpath(os.path.join(app, file))
            try:
                real = os.path.realpath(wanted, strict=True)
            except OSError:
                # Nothing is there: what is found is free, and no link is on the way.
                assert found is None or (is_below(app, found) and not os.path.lexists(found)), (steps, found)
                assert found is None or os.path.realpath(found) == found, (steps, found)
            else:
                # What is named outside stays there, also where a link leads back.
                counts = file and is_below(app, wanted) and is_below(app, real)
                assert found == (real if counts else None), (steps, found, real)


def is_below(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def test_nothing_outside_is_found_read_or_written_while_links_turn(disk: Path) -> None:
    project, over = project_of(disk / "app"), threading.Event()
    (disk / "app" / "src" / "b.txt").write_text("inside")

    def turn(name: str, *targets: str) -> None:
        following = disk / f"next-{threading.get_ident()}"
        while not over.is_set():
            for target in targets:
                following.symlink_to(disk / target)
                following.replace(disk / name)

    turning = [
        threading.Thread(target=turn, args=("app/turning", "outside", "app/src")),
        threading.Thread(target=turn, args=("app/src/b.txt", "outside/a.txt", "app/src/a.txt")),
    ]
    for thread in turning:
        thread.start()
    found = {"read": 0, "refused": 0}
    codes = set()
    try:
        began = time.monotonic()
        while time.monotonic() - began < (RACE_S if all(found.values()) else MAX_RACE_S):
            for path in ("turning/a.txt", "src/b.txt"):
                try:
                    assert resolve_file(project, path).startswith(f"{disk / 'app'}{os.sep}")
                except RootwiseError as error:
                    codes.add(error.code)
                try:
                    with open_file(project, path) as file:
                        assert file.read() != "secret"
                    with open_file(project, path, "a") as file:
                        file.write(".")
                    found["read"] += 1
                except (RootwiseError, OSError):
                    found["refused"] += 1
    finally:
        over.set()
        for thread in turning:
            thread.join()
    assert all(found.values()), found
    assert codes <= {"outside", "unreadable"}
    assert (disk / "outside" / "a.txt").read_text() == "secret"
