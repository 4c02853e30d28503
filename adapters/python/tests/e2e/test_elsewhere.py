"""Clients on other machines: what they name is a folder there, and nothing on this disk is checked for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import listening
from frameworks import Framework
from raw import RawHttp

WAYS_OUT = ("`local`", "`allowed_dirs`", "`require_path`")


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder below which servers record what is checked."""
    return tmp_path_factory.mktemp("canary")


@pytest.fixture
def remote_url(nursery: str, started: Callable[..., str], canary: Path) -> str:
    return started(listening, nursery, "--remote", f"--watch={canary}")


@pytest.fixture
def any_url(nursery: str, started: Callable[..., str], canary: Path) -> str:
    return started(listening, nursery, "--remote", "--any", f"--watch={canary}")


@pytest.fixture
def allowed_url(nursery: str, started: Callable[..., str], canary: Path) -> str:
    (canary / "allowed").mkdir(exist_ok=True)
    return started(listening, nursery, "--remote", f"--allowed={canary / 'allowed'}")


def by_root(client: RawHttp, folder: str, tool: str) -> tuple[bool, str]:
    client.handshake()
    call = client.call(tool)
    client.roots(client.asked(), "file://" + folder)
    return client.text(call)


def by_header(client: RawHttp, folder: str, tool: str) -> tuple[bool, str]:
    client.handshake(capabilities={})
    client.headers = {"X-Project-Path": folder}
    return client.text(client.call(tool))


def by_query(client: RawHttp, folder: str, tool: str) -> tuple[bool, str]:
    client.handshake(capabilities={})
    client.query = f"project_path={folder}"
    return client.text(client.call(tool))


def by_argument(client: RawHttp, folder: str, tool: str) -> tuple[bool, str]:
    client.handshake(capabilities={})
    return client.text(client.call(tool, path=folder))


def by_selection(client: RawHttp, folder: str, tool: str) -> tuple[bool, str]:
    client.handshake(capabilities={})
    failed, text = client.text(client.call("select", value=folder))
    return (failed, text) if failed else client.text(client.call(tool))


def by_modern_root(client: RawHttp, folder: str, tool: str) -> tuple[bool, str]:
    client.headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
    result = client.modern_call(tool, {"rootwise": {"roots": [{"uri": "file://" + folder}]}})["result"]
    client.headers = {}
    return bool(result.get("isError")), result["content"][0]["text"]


WAYS = [by_root, by_header, by_query, by_argument, by_selection]


@pytest.fixture(params=[*WAYS, by_modern_root], ids=lambda way: way.__name__)
def way(request: pytest.FixtureRequest, framework: Framework) -> Any:
    if request.param is by_modern_root and not framework.modern:
        pytest.skip("this framework does not speak revision 2026-07-28")
    return request.param


def touched(url: str) -> Any:
    with RawHttp(url) as client:
        client.handshake()
        return json.loads(client.text(client.call("count", what="touched"))[1])


def test_a_folder_on_another_machine_is_refused_with_the_ways_out_and_never_looked_at(
    remote_url: str, canary: Path, way: Any
) -> None:
    folder, answers = canary / way.__name__, []
    for make in (lambda: None, folder.mkdir, lambda: (folder.rmdir(), folder.write_text(""))):
        make()
        with RawHttp(remote_url) as client:
            answers.append(way(client, str(folder), "described"))
    folder.unlink()
    assert len(set(answers)) == 1, answers
    failed, text = answers[0]
    assert failed
    assert "machine" in text
    for name in WAYS_OUT:
        assert name in text
    assert touched(remote_url) == []


def test_it_is_a_client_path_where_no_path_is_required(any_url: str, canary: Path, way: Any) -> None:
    for given, client_path in ((str(canary), str(canary)), ("/C:/Users/me/proj", "C:\\Users\\me\\proj")):
        if not (given.startswith("/C:") and way not in (by_root, by_modern_root)):
            with RawHttp(any_url) as client:
                failed, text = way(client, given, "described")
            assert not failed, text
            kind, path, found, refs = json.loads(text)
            assert (kind, path, found) == ("AnyProject", None, client_path)
            assert refs in ([], [[None, client_path]])
    assert touched(any_url) == []


@pytest.mark.parametrize("tool", ["listed", "resolved_path"])
def test_the_roots_of_another_machine_are_listed_and_nothing_is_inside_them(
    any_url: str, remote_url: str, canary: Path, tool: str
) -> None:
    for url in (remote_url, any_url):
        with RawHttp(url) as client:
            client.handshake()
            call = client.call(tool, path=str(canary / "a"))
            client.roots(client.asked(), canary.as_uri())
            failed, text = client.text(call)
        assert not failed, text
        if tool == "listed":
            assert json.loads(text) == [[str(canary), None, "other_machine" if url == remote_url else None], None]
        else:
            assert text.startswith("False ")
        assert touched(url) == []


@pytest.mark.parametrize("tool", ["known", "explained"])
def test_what_is_known_and_explained_looks_at_nothing(remote_url: str, canary: Path, tool: str) -> None:
    with RawHttp(remote_url) as client:
        client.handshake(capabilities={})
        client.headers = {"X-Project-Path": str(canary)}
        failed, text = client.text(client.call(tool))
        assert not failed
        assert text == "None" if tool == "known" else "other_machine" in text
    assert touched(remote_url) == []


def test_a_project_without_a_folder_is_injected(any_url: str, canary: Path) -> None:
    with RawHttp(any_url) as client:
        client.handshake(capabilities={})
        client.headers = {"X-Project-Path": str(canary)}
        assert client.text(client.call("injected_any")) == (False, str(canary))


def test_a_server_without_folders_has_no_injected_folder(any_url: str, canary: Path, framework: Framework) -> None:
    if framework.kind == "mcp1":
        pytest.skip("the SDK 1.x injects nothing by itself")
    with RawHttp(any_url) as client:
        client.handshake(capabilities={})
        client.headers = {"X-Project-Path": str(canary)}
        failed, text = client.text(client.call("where"))
    assert failed
    assert "require_path=False" in text


def test_only_what_is_verified_inside_the_allowed_folders_counts(
    allowed_url: str, canary: Path, way: Any, request: pytest.FixtureRequest
) -> None:
    allowed, outside = canary / "allowed", canary / "outside"
    for folder in (allowed / "in", outside):
        folder.mkdir(exist_ok=True)
    (allowed / "file").write_text("")
    links = {"link-in": allowed / "in", "link-out": outside, "link-nowhere": canary / "nowhere"}
    for name, target in links.items():
        (allowed / name).unlink(missing_ok=True)
        (allowed / name).symlink_to(target)

    def answer(folder: Path | str) -> tuple[bool, str]:
        with RawHttp(allowed_url) as client:
            return way(client, str(folder), "described")

    for name in ("in", "link-in"):
        failed, text = answer(allowed / name)
        assert not failed, text
        assert json.loads(text)[:3] == ["Project", str(allowed / name), None]
    refused = [
        (str(folder), answer(folder))
        for folder in (
            *(allowed / "link-out", allowed / "link-nowhere", allowed / "gone"),
            *(outside, canary / "nowhere", "/etc", "/nope/there", allowed / ".." / "outside"),
        )
    ]
    for folder, (failed, text) in refused:
        assert failed
        assert "outside the allowed folders" in text, (folder, text)
    # The texts differ only where they repeat the path.
    shown = {text.replace(folder, "").replace(str(outside), "") for folder, (_, text) in refused}
    assert len(shown) == 1, shown


def test_what_is_known_inside_the_allowed_folders_costs_no_wait(allowed_url: str, canary: Path) -> None:
    (canary / "allowed" / "in").mkdir(exist_ok=True)
    with RawHttp(allowed_url) as client:
        failed, text = by_root(client, str(canary / "allowed" / "in"), "described")
        assert not failed, text
        assert client.text(client.call("known")) == (False, str(canary / "allowed" / "in"))
        assert client.text(client.call("known_in_plain_function")) == (False, str(canary / "allowed" / "in"))
        client.headers = {"X-Project-Path": "/etc"}
        assert client.text(client.call("known")) == (False, "None")


def test_a_link_that_turns_out_of_the_allowed_folders_is_refused_by_the_next_call(
    allowed_url: str, canary: Path
) -> None:
    allowed, outside = canary / "allowed", canary / "outside"
    for folder in (allowed / "in", outside):
        folder.mkdir(exist_ok=True)
    link = allowed / "turning"
    link.symlink_to(allowed / "in")
    try:
        with RawHttp(allowed_url) as by_name, RawHttp(allowed_url) as by_list:
            by_name.handshake(capabilities={})
            by_name.headers = {"X-Project-Path": str(link)}
            assert not by_name.text(by_name.call("described"))[0]
            by_list.handshake()
            call = by_list.call("described")
            by_list.roots(by_list.asked(), link.as_uri())
            assert not by_list.text(call)[0]
            link.unlink()
            link.symlink_to(outside)
            for client in (by_name, by_list):
                failed, text = client.text(client.call("described"))
                assert failed, text
                assert "outside" in text
    finally:
        link.unlink()
