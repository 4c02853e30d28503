"""The text that a model reads without a project: it names the cause, and what it advises works when it is followed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import listening
from frameworks import Framework
from raw import Raw, RawHttp

OPTION, VARIABLE = "--project=/absolute/path", "ROOTWISE_PROJECT"
HEADER, QUERY = "x-project-path", "project_path"


def advice(client: Raw | RawHttp, cause: str = "the client declares no roots") -> set[str]:
    """The names in the advice that a call without a project gets."""
    failed, text = client.text(client.call("where_awaited"))
    assert failed
    assert cause in text
    return named(text)


def named(text: str) -> set[str]:
    # The working directory of the servers is the root of the disk, which is a cause and no advice.
    return set(re.findall(r"`([^`]+)`", text)) - {"/"}


@pytest.fixture
def argument(framework: Framework) -> tuple[str, ...]:
    """The SDK 1.x does not show arguments to an adapter, so its servers name the parameter themselves."""
    return ("--argument=path",) if framework.kind == "mcp1" else ()


def test_the_parameter_and_the_tool_that_are_named_take_a_project(
    nursery: str, folders: list[Path], argument: tuple[str, ...]
) -> None:
    with Raw(nursery, *argument) as raw:
        raw.handshake(capabilities={})
        assert advice(raw) == {"path", "switch_project"}
        assert raw.text(raw.call("where_awaited", path=str(folders[0]))) == (False, str(folders[0]))
        assert not raw.text(raw.call("switch_project", project=str(folders[1])))[0]
        assert raw.text(raw.call("where_awaited")) == (False, str(folders[1]))


def test_the_option_and_the_variable_that_are_named_take_a_project(nursery: str, folders: list[Path]) -> None:
    plain = ("--argument=", "--noswitch")
    with Raw(nursery, *plain) as raw:
        raw.handshake(capabilities={})
        assert advice(raw) == {OPTION, VARIABLE}
    for option in (OPTION.replace("/absolute/path", str(folders[0])), f"--env={folders[0]}"):
        with Raw(nursery, *plain, option) as raw:
            raw.handshake(capabilities={})
            assert raw.text(raw.call("where_awaited")) == (False, str(folders[0]))


def test_the_header_and_the_query_parameter_that_are_named_take_a_project(nursery: str, folders: list[Path]) -> None:
    with listening(nursery, "--argument=", "--noswitch") as url, RawHttp(url) as client:
        client.handshake(capabilities={})
        assert advice(client) == {HEADER, QUERY}
        client.headers = {HEADER: str(folders[0])}
        assert client.text(client.call("where_awaited")) == (False, str(folders[0]))
        client.headers, client.query = {}, f"{QUERY}={folders[1]}"
        assert client.text(client.call("where_awaited")) == (False, str(folders[1]))


@pytest.mark.parametrize("options", [(), ("--argument=", "--noswitch")], ids=["all ways", "no way of its own"])
def test_a_caller_whose_paths_are_out_of_reach_is_not_told_to_send_one(nursery: str, options: tuple[str, ...]) -> None:
    with listening(nursery, "--remote", *options) as url, RawHttp(url) as client:
        client.handshake(capabilities={})
        assert advice(client) == {"local", "allowedDirs", "allowed_dirs", "requirePath", "require_path"}


def test_the_ways_out_that_are_named_are_ways_out(nursery: str, tmp_path: Path) -> None:
    ways: list[tuple[tuple[str, ...], str]] = [
        ((), f'"{tmp_path}", null'),
        (("--remote", f"--allowed={tmp_path}"), f'"{tmp_path}", null'),
        (("--remote", "--any"), f'null, "{tmp_path}"'),
    ]
    for options, found in ways:
        with listening(nursery, *options) as url, RawHttp(url) as client:
            client.handshake(capabilities={})
            client.headers = {HEADER: str(tmp_path)}
            failed, text = client.text(client.call("described"))
            assert not failed, text
            assert found in text


def test_a_call_without_a_session_is_not_told_to_select(stateless_url: str) -> None:
    with RawHttp(stateless_url) as client:
        assert "switch_project" not in advice(client, "No project was found")


@pytest.mark.only("modern")
def test_a_modern_call_on_a_pipe_may_name_its_project_or_select_it(raw: Raw, folders: list[Path]) -> None:
    def call(**arguments: Any) -> tuple[bool, str]:
        result = raw.modern("tools/call", name="where_awaited", arguments=arguments, roots=False)["result"]
        return bool(result.get("isError")), result["content"][0]["text"]

    failed, text = call()
    assert failed
    names = named(text)
    assert {"path", "switch_project"} <= names
    assert call(path=str(folders[0])) == (False, str(folders[0]))


CAUSES: dict[str, Callable[[Path], tuple[list[str], str]]] = {
    "empty list": lambda _: ([], "no roots"),
    "missing": lambda folder: ([(folder / "gone").as_uri()], "does not exist"),
    "home": lambda _: ([Path.home().as_uri()], "excluded"),
    "another system": lambda _: (["file:///C:/code"], "another operating system"),
    "not a folder": lambda _: (["https://example.com/x"], "file"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_the_cause_is_named(raw: Raw, folders: list[Path], cause: str) -> None:
    uris, words = CAUSES[cause](folders[0])
    raw.handshake()
    call = raw.call("where_awaited")
    raw.roots(raw.asked(), *uris)
    failed, text = raw.text(call)
    assert failed
    assert words in text, text


def test_silence_is_named(nursery: str) -> None:
    with Raw(nursery, "--wait=1000") as raw:
        raw.handshake()
        advice(raw, "did not answer")
