"""A file inside the project of a call, from whichever source the project came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from raw import Raw, RawHttp
from test_elsewhere import by_header, by_query, by_selection


@pytest.fixture
def one(folders: list[Path], tmp_path: Path) -> Path:
    """A project with a link inside it and one that leads out of it."""
    one, two = folders
    for folder in folders:
        (folder / "src").mkdir()
        (folder / "src" / "same.txt").write_text(folder.name)
    (one / "link").symlink_to(one / "src")
    (one / "out").symlink_to(two / "src")
    return one


def knows(client: Any, project: Path) -> None:
    """What every server says about files of a project."""

    def answer(path: str) -> tuple[bool, str]:
        return client.text(client.call("resolved_file", file=path))

    for path, real in (
        ("src/same.txt", "src/same.txt"),
        ("link/same.txt", "src/same.txt"),
        ("new/file", "new/file"),
        (str(project / "link"), "src"),
        ((project / "link" / "new").as_uri(), "src/new"),
    ):
        assert answer(path) == (False, str(project / real))
    other = project.parent / "two" / "src"
    for path, message in (
        ("out/same.txt", f"outside the project {project}: out leads to {other}"),
        ("../two/src/same.txt", f"leads to {other / 'same.txt'}"),
        (str(other / "same.txt"), f"outside the project {project}"),
        ("C:\\one", "another operating system"),
    ):
        failed, text = answer(path)
        assert failed, text
        assert message in text


def test_of_the_first_of_two_roots(raw: Raw, one: Path, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("resolved_file", file="src/same.txt")
    raw.roots(raw.asked(), *(folder.as_uri() for folder in folders))
    assert raw.text(call) == (False, str(one / "src" / "same.txt"))
    knows(raw, one)


def test_of_a_selection_among_two_roots(raw: Raw, one: Path, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("where")
    raw.roots(raw.asked(), *(folder.as_uri() for folder in reversed(folders)))
    assert raw.text(call) == (False, str(folders[1]))
    assert not raw.text(raw.call("select", value=str(one)))[0]
    knows(raw, one)


def test_of_the_working_directory(nursery: str, one: Path) -> None:
    with Raw(nursery, f"--cwd={one}") as client:
        client.handshake(capabilities={})
        knows(client, one)


@pytest.mark.parametrize("way", [by_header, by_query, by_selection], ids=lambda way: way.__name__)
def test_of_a_header_a_query_and_a_selection_over_http(url: str, one: Path, way: Any) -> None:
    with RawHttp(url) as client:
        assert not way(client, str(one), "where")[0]
        knows(client, one)
