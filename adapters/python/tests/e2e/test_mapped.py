"""The same folder elsewhere: the client's paths do not exist here, and the path map says where the server has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import listening
from raw import Client, Raw, RawHttp

#: Folders of clients, none of which exists on this disk.
LINUX, WINDOWS = "/home/somebody-else/code", "C:\\code"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "app" / "src").mkdir(parents=True)
    (tmp_path / "app" / "src" / "a.txt").write_text("text")
    return tmp_path


def path_map(workspace: Path) -> dict[str, str]:
    return {"ROOTWISE_PATH_MAP": f"{LINUX}={workspace};{WINDOWS}={workspace}"}


def told(client: Client, call: int) -> str:
    failed, text = client.text(call)
    assert not failed, text
    return text


ROOTS = [
    (f"file://{LINUX}/app", f"{LINUX}/app", f"{LINUX}/app/src/a.txt"),
    ("file:///c%3A/code/app", f"{WINDOWS}\\app", f"{WINDOWS}\\app\\src\\a.txt"),
]


@pytest.mark.parametrize(("root", "client_path", "file"), ROOTS, ids=["linux", "windows"])
def test_over_stdio_both_sides_name_the_same_file(
    nursery: str, workspace: Path, root: str, client_path: str, file: str
) -> None:
    with Raw(nursery, "--environment", environment=path_map(workspace)) as client:
        client.handshake()
        call = client.call("described")
        client.roots(client.asked(), root)
        assert json.loads(told(client, call))[1:3] == [str(workspace / "app"), client_path]
        real = str(workspace / "app" / "src" / "a.txt")
        for spelled in ("src/a.txt", file, real):
            call = client.call("resolved_file", file=spelled)
            client.answer_questions(call, root)
            assert told(client, call) == real, spelled
        call = client.call("resolved_file", file=f"{LINUX}/secret")
        client.answer_questions(call, root)
        assert client.text(call)[0], "outside the project"


def test_over_stdio_without_a_map_the_folder_does_not_exist(nursery: str) -> None:
    with Raw(nursery, "--environment") as client:
        client.handshake()
        call = client.call("described")
        client.roots(client.asked(), ROOTS[0][0])
        failed, text = client.text(call)
        assert failed
        assert "does not exist" in text


def test_over_http_a_header_names_the_folder_as_its_client_does(nursery: str, workspace: Path) -> None:
    options = ("--remote", f"--allowed={workspace}", "--environment")
    with listening(nursery, *options, environment=path_map(workspace)) as url:
        for client_path in (f"{LINUX}/app", f"{WINDOWS}\\app"):
            with RawHttp(url) as client:
                client.handshake(capabilities={})
                client.headers = {"X-Project-Path": client_path}
                described = json.loads(told(client, client.call("described")))
                assert described[1:3] == [str(workspace / "app"), client_path]
        with RawHttp(url) as client:
            client.handshake(capabilities={})
            client.headers = {"X-Project-Path": f"{LINUX}/../app"}
            failed, text = client.text(client.call("described"))
            assert failed
            assert "outside the allowed folders" in text
