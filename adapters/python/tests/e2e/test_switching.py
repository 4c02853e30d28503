"""Switching the project in every era: on a pipe, with a handle, and as a caller that the server knows."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import listening
from frameworks import Framework
from raw import Client, Raw, RawHttp


def said(client: Client, tool: str, *roots: Path, conversation: str | None = None, **arguments: str) -> str:
    """A call of revision 2026-07-28, to its end: the client answers with these roots if it is asked."""
    if isinstance(client, RawHttp):
        client.headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
    given: dict[str, Any] = {"name": tool, "arguments": arguments, "conversation": conversation}
    result = client.modern("tools/call", **given)
    assert "result" in result, result
    if result["result"].get("resultType") == "input_required":
        listed = {"roots": [{"uri": root.as_uri()} for root in roots]}
        result = client.modern("tools/call", {key: listed for key in result["result"]["inputRequests"]}, **given)
        assert "result" in result, result
    text = result["result"]["content"][0]["text"]
    return f"failed: {text}" if result["result"].get("isError") else text


def handle_in(answer: str) -> str:
    """The handle in the answer to a selection."""
    found = re.search('`project: "([^"]+)"`', answer)
    assert found, answer
    return found[1]


def legacy(client: Client, tool: str, *roots: Path, **arguments: str) -> str:
    """A call of an older revision."""
    number = client.call(tool, **arguments)
    client.answer_questions(number, *(root.as_uri() for root in roots))
    failed, text = client.text(number)
    return f"failed: {text}" if failed else text


def parameters(listed: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the tools in a list, by the name of the tool."""
    return {tool["name"]: tool["inputSchema"].get("properties", {}) for tool in listed["result"]["tools"]}


@pytest.mark.only("modern")
def test_on_a_pipe_the_next_call_works_in_the_new_project(raw: Raw, folders: list[Path]) -> None:
    one, two = folders
    assert said(raw, "where", *folders) == str(one)
    assert "two" in said(raw, "switch_project", *folders, project="two")
    assert said(raw, "where", *folders) == str(two)


def in_the_guide(pattern: str) -> tuple[str, ...]:
    """What docs/guides/switching.md says about Claude Code; tests/e2e/switching.test.mjs reads it too."""
    page = (Path(__file__).resolve().parents[4] / "docs" / "guides" / "switching.md").read_text("utf-8")
    [section] = re.findall(r"^## Switch the project in Claude Code\n(.*?)^## ", page, re.M | re.S)
    found = re.search(pattern, section, re.M)
    assert found, f"the section says nothing like {pattern}"
    return found.groups()


@pytest.mark.only("modern")
@pytest.mark.parametrize("spelling", ["name", "path", "uri"])
def test_the_story_of_the_guide(raw: Raw, tmp_path: Path, spelling: str) -> None:
    opened = in_the_guide(r"The folders `(\w+)` and `(\w+)` are open")
    kinds = "the name of a root, an absolute path or a `file:` URI"
    tool, arguments = in_the_guide(rf"^\| the model calls \| `(\w+)` with `({{.*?}})`: {kinds} \|$")
    [reply] = in_the_guide(r"^\| the model gets \| `(.+)` \|$")
    [following] = in_the_guide(r"^\| the next call \| of any tool works in `(\w+)`")
    folders = [tmp_path / name for name in opened]
    for folder in folders:
        folder.mkdir()
    wanted = tmp_path / following
    project = {"name": json.loads(arguments)["project"], "path": str(wanted), "uri": wanted.as_uri()}[spelling]
    raw.info = {"name": "claude-code", "version": "2.1.326"}
    assert said(raw, "where", *folders) == str(folders[0])
    assert said(raw, tool, *folders, project=project) == reply
    for name in ("where", "which_project", "where_awaited"):
        assert str(wanted) in said(raw, name, *folders)
    # Until the user wants another folder.
    said(raw, tool, *folders, project=opened[0])
    assert said(raw, "where", *folders) == str(folders[0])


@pytest.mark.only("modern")
def test_two_conversations_on_a_pipe_have_a_selection_each(raw: Raw, folders: list[Path]) -> None:
    one, two = folders
    said(raw, "switch_project", *folders, conversation="a", project="two")
    assert said(raw, "where", *folders, conversation="a") == str(two)
    assert said(raw, "where", *folders, conversation="b") == str(one)


@pytest.mark.only("modern")
def test_without_a_session_a_selection_is_answered_with_a_handle(
    nursery: str, folders: list[Path], tmp_path: Path
) -> None:
    one, two = folders
    allowed = f"--allowed={tmp_path}"
    with listening(nursery, "--remote", "--declare", allowed) as url, RawHttp(url) as client, RawHttp(url) as other:
        assert said(client, "where", *folders) == str(one)
        answer = said(client, "switch_project", *folders, project="two")
        assert "with each call: this server cannot tell your calls" in answer
        assert re.fullmatch("two-[0-9a-f]{4}", handle_in(answer))
        assert said(client, "where", *folders) == str(one), "nothing is kept"
        assert said(client, "where", *folders, project=handle_in(answer)) == str(two)
        assert said(client, "where", *folders, project="two") == str(two), "the name of a root"
        # The name is one of the client's own roots, and of nobody else's.
        assert said(other, "where", one, project="two").startswith("failed: ")
        away = tmp_path / "away" / "two"
        away.mkdir(parents=True)
        assert said(other, "where", away, project="two") == str(away)
        # Another root of that name is not what the handle names.
        assert "neither one of the client's roots" in said(client, "where", away, project=handle_in(answer))
        # Conversations are somebody's only if it is known whose.
        said(client, "switch_project", *folders, conversation="a", project="two")
        assert said(client, "where", *folders, conversation="a") == str(one)


@pytest.mark.only("modern")
def test_a_handle_is_checked_again_with_each_use(nursery: str, folders: list[Path], tmp_path: Path) -> None:
    one, two = folders
    with listening(nursery, "--remote", "--declare", f"--callers={tmp_path}") as url, RawHttp(url) as client:
        client.headers = {"X-User": "two"}
        handle = handle_in(said(client, "switch_project", *folders, project="two"))
        client.headers = {"X-User": "one"}
        assert "outside the allowed folders" in said(client, "where", *folders, project=handle)
        assert "outside the allowed folders" in said(client, "where", *folders, project=str(two))
        assert said(client, "where", *folders, project="one") == str(one)


@pytest.mark.only("modern")
def test_what_a_caller_selects_counts_for_its_next_calls(nursery: str, folders: list[Path], tmp_path: Path) -> None:
    one, two = folders
    options = ("--remote", "--caller", f"--allowed={tmp_path}")
    with listening(nursery, *options) as url, RawHttp(url) as client:
        client.headers = {"X-User": "ann"}
        assert "two" in said(client, "switch_project", *folders, project="two")
        assert said(client, "where", *folders) == str(two)
        users: list[dict[str, str | bytes]] = [{"X-User": "bob"}, {}]
        for headers in users:
            client.headers = headers
            assert said(client, "where", *folders) == str(one)
        for user in ("junk", "empty"):
            client.headers = {"X-User": user}
            # FastMCP may hide what it says.
            assert said(client, "where_awaited", *folders).startswith("failed: ")
        client.headers = {"X-User": "ann"}
        assert said(client, "where", *folders) == str(two)


@pytest.mark.only("modern")
@pytest.mark.parametrize("replicas", [False, True])
def test_a_handle_names_the_project_in_another_process(
    nursery: str, folders: list[Path], tmp_path: Path, replicas: bool
) -> None:
    one, two = folders
    options = ["--remote", "--caller", "--declare", f"--allowed={tmp_path}", *(["--replicas"] if replicas else [])]
    with (
        listening(nursery, *options) as url,
        listening(nursery, *options) as other_url,
        RawHttp(url) as client,
        RawHttp(other_url) as other,
    ):
        for each in (client, other):
            each.headers = {"X-User": "ann"}
        handle = handle_in(said(client, "switch_project", *folders, project="two"))
        assert said(client, "where", *folders) == str(one if replicas else two)
        assert said(other, "where", *folders) == str(one), "another process does not know it"
        for each in (client, other):
            assert said(each, "where", *folders, project=handle) == str(two)


@pytest.mark.only("modern")
def test_two_users_with_one_conversation_id_never_mix(nursery: str, tmp_path: Path) -> None:
    users = ("carl", "dora", "emil", "fred")
    faults: list[object] = []

    def work(url: str, user: str) -> None:
        try:
            switch(url, user)
        except BaseException as problem:
            faults.append(problem)

    def switch(url: str, user: str) -> None:
        folders = [tmp_path / user / name for name in ("one", "two", "three")]
        for folder in folders:
            (folder / ".git").mkdir(parents=True)
        with RawHttp(url) as client:
            client.headers = {"X-User": user}
            for turn in range(30):
                chosen = folders[turn % 3]
                said(client, "switch_project", *folders, conversation="the same", project=str(chosen))
                seen = said(client, "where", *folders, conversation="the same")
                if seen != str(chosen):
                    faults.append((user, str(chosen), seen))

    with listening(nursery, "--remote", "--caller", f"--callers={tmp_path}") as url:
        threads = [threading.Thread(target=work, args=(url, user)) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
    assert faults == []


def test_a_stateless_client_of_an_older_revision_has_the_selection_of_its_caller(
    framework: Framework, nursery: str, folders: list[Path], tmp_path: Path
) -> None:
    options = ("--remote", "--caller", "--stateless", f"--allowed={tmp_path}")
    with listening(nursery, *options) as url, RawHttp(url) as client:
        client.headers = {"X-User": "ann"}
        assert "two" in legacy(client, "switch_project", project=str(folders[1]))
        assert legacy(client, "where") == str(folders[1])
        client.headers = {"X-User": "bob"}
        assert legacy(client, "where").startswith("failed: ")


def test_a_declared_parameter_names_the_roots_and_leaves_tools_as_they_are(
    framework: Framework, nursery: str, folders: list[Path]
) -> None:
    one, two = folders
    with Raw(nursery, "--declare") as client:
        client.handshake()
        assert legacy(client, "where", *folders, project="two") == str(two), "before any list of tools"
        assert legacy(client, "where", *folders) == str(one)
        listed = parameters(client.result(client.request("tools/list")))
        assert re.search(r"\(one, two\)", listed["where"]["project"]["description"])
        assert listed["which_project"]["project"]["type"] == "string"
        assert "one, two" not in str(listed["switch_project"]["project"])
        assert "project" not in listed["list_roots"]
        assert legacy(client, "counted", *folders, project=str(two)) == "1"
        assert legacy(client, "where_awaited", *folders, path="") == str(one)
        assert "nowhere" in legacy(client, "where", *folders, project="nowhere")
        legacy(client, "switch_project", *folders, project="two")
        assert legacy(client, "where", *folders) == str(two)
        assert legacy(client, "where", *folders, project="one") == str(one)


@pytest.mark.only("modern")
def test_a_declared_parameter_reaches_clients_of_2026_07_28(nursery: str, folders: list[Path]) -> None:
    one, two = folders
    with Raw(nursery, "--declare") as client:
        assert said(client, "where", *folders) == str(one)
        listed = parameters(client.modern("tools/list"))
        assert "one, two" in listed["where"]["project"]["description"]
        assert said(client, "where", *folders, project="two") == str(two)


@pytest.mark.only("lowlevel")
def test_a_tool_that_accepts_nothing_else_gets_nothing_else(nursery: str, folders: list[Path]) -> None:
    one, two = folders
    with Raw(nursery, "--declare", "--lowlevel") as client:
        client.handshake()
        assert legacy(client, "where", *folders, project="two") == str(two)
        assert legacy(client, "where", *folders) == str(one)
        assert legacy(client, "where", *folders, other="x").startswith("failed: ")
        assert "one, two" in parameters(client.result(client.request("tools/list")))["where"]["project"]["description"]
