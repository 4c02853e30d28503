"""The rest of the API in every framework: explanations, roots, selection, injection, logs."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import listening
from frameworks import Framework
from raw import Raw, RawHttp

modern_only = pytest.mark.only("modern")


def resolved(raw: Any, folder: Path, *others: Path) -> None:
    raw.handshake()
    call = raw.call("where")
    raw.roots(raw.asked(), folder.as_uri(), *(other.as_uri() for other in others))
    assert raw.text(call) == (False, str(folder))


def ours(*uris: str) -> dict[str, Any]:
    return {"rootwise": {"roots": [{"uri": uri} for uri in uris]}}


def test_an_explanation_is_about_its_call(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake(capabilities={})
        client.headers = {"X-Project-Path": str(folders[1])}
        failed, text = client.text(client.call("explained"))
        assert not failed
        assert text.startswith(f"Project: {folders[1].name} ({folders[1]}), from header")
        client.headers = {}
        assert "from header" not in client.text(client.call("explained"))[1]


@modern_only
def test_an_explanation_of_a_modern_call(raw: Raw, folders: list[Path]) -> None:
    assert raw.modern_call("explained")["result"]["resultType"] == "input_required"
    reply = raw.modern_call("explained", ours(folders[0].as_uri()))["result"]["content"][0]["text"]
    assert reply.startswith(f"Project: {folders[0].name} ({folders[0]}), from roots")


def test_a_selection_can_be_dropped(raw: Raw, folders: list[Path]) -> None:
    resolved(raw, *folders)
    assert raw.text(raw.call("select", value=str(folders[1]))) == (False, str(folders[1]))
    assert raw.text(raw.call("known")) == (False, str(folders[1]))
    assert raw.text(raw.call("unselect")) == (False, str(folders[0]))
    assert raw.text(raw.call("where")) == (False, str(folders[0]))


@modern_only
def test_a_modern_call_that_drops_a_selection_asks_for_the_roots_and_drops_it_again(
    raw: Raw, folders: list[Path]
) -> None:
    assert raw.modern_call("unselect")["result"]["resultType"] == "input_required"
    reply = raw.modern_call("unselect", ours(folders[0].as_uri()))["result"]["content"][0]["text"]
    assert reply == str(folders[0])


def test_what_is_known_costs_no_question(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    assert raw.text(raw.call("known")) == (False, "None")
    assert raw.open_questions() == 0
    call = raw.call("where")
    raw.roots(raw.asked(), folders[0].as_uri())
    raw.text(call)
    assert raw.text(raw.call("known")) == (False, str(folders[0]))


def test_all_roots_are_verified(raw: Raw, folders: list[Path], tmp_path: Path) -> None:
    link, file, gone = tmp_path / "link", tmp_path / "file", tmp_path / "gone"
    link.symlink_to(folders[1])
    file.write_text("")
    raw.handshake()
    call = raw.call("listed", path=str(folders[1] / "deep" / "new.txt"))
    raw.roots(raw.asked(), folders[0].as_uri(), link.as_uri(), gone.as_uri(), file.as_uri(), "https://example.com/x")
    failed, text = raw.text(call)
    assert not failed
    assert json.loads(text) == [
        [str(folders[0]), str(folders[0]), None],
        [str(link), str(folders[1]), None],
        [str(gone), None, "missing"],
        # A file stands for its folder.
        [str(tmp_path), str(tmp_path), None],
        [None, None, "not_file_uri"],
        link.as_uri(),
    ]


def test_a_root_is_verified_as_it_was_sent_and_not_as_it_is_shown(raw: Raw, tmp_path: Path) -> None:
    # Shown without the invisible character, and cut off.
    invisible, long = tmp_path / "pro\u200bject", tmp_path.joinpath(*["d" * 200] * 8)
    for folder in (invisible, long):
        folder.mkdir(parents=True)
    raw.handshake()
    call = raw.call("listed")
    raw.roots(raw.asked(), invisible.as_uri(), long.as_uri(), f"{tmp_path}/pro\u200bject")
    found = json.loads(raw.text(call)[1])
    assert [real for _, real, _ in found[:3]] == [str(invisible), str(long), str(invisible)]


def test_paths_are_checked_against_all_roots(raw: Raw, folders: list[Path], tmp_path: Path) -> None:
    (folders[1] / "out").symlink_to(tmp_path)
    raw.handshake()
    call = raw.call("resolved_path", path="new/file.txt")
    raw.roots(raw.asked(), *(folder.as_uri() for folder in folders))
    assert raw.text(call) == (False, f"True {folders[0] / 'new' / 'file.txt'}")
    for path in (folders[1] / "deep" / "x", folders[0]):
        assert raw.text(raw.call("resolved_path", path=str(path))) == (False, f"True {path}")
    for path in (tmp_path / "other", folders[1] / "out" / "other", folders[0] / ".." / "other"):
        failed, text = raw.text(raw.call("resolved_path", path=str(path)))
        assert (failed, text.split()[0]) == (False, "False")
        assert "outside" in text


def test_a_change_of_the_roots_is_told_with_both_lists(raw: Raw, folders: list[Path]) -> None:
    resolved(raw, folders[0])
    raw.send(method="notifications/roots/list_changed")
    call = raw.call("where")
    raw.roots(raw.asked(), *(folder.as_uri() for folder in folders))
    assert raw.text(call) == (False, str(folders[0]))
    wanted = [[[str(folders[0])], None], [[str(folder) for folder in folders], [str(folders[0])]]]
    for _ in range(200):
        told = json.loads(raw.text(raw.call("count", what="roots"))[1])
        if len(told) == 2:
            break
    assert told == wanted


def test_ready_made_tools(raw: Raw, framework: Framework, folders: list[Path]) -> None:
    code = "import json, rootwise; print(json.dumps(rootwise.ready_tools()))"
    ready_tools = json.loads(subprocess.check_output([framework.python, "-c", code]))
    resolved(raw, *folders)
    listed = {tool["name"]: tool for tool in raw.result(raw.request("tools/list"))["result"]["tools"]}
    for ready in ready_tools.values():
        tool = listed[ready["name"]]
        for member in ("title", "description"):
            assert tool[member] == ready[member]
        assert tool.get("annotations", {}).get("readOnlyHint") == ready.get("annotations", {}).get("readOnlyHint")
        for name, parameter in ready["inputSchema"]["properties"].items():
            assert tool["inputSchema"]["properties"][name].items() >= parameter.items()
    assert raw.text(raw.call("which_project"))[1].startswith(f"Project: {folders[0].name}")
    assert str(folders[0]) in raw.text(raw.call("list_roots"))[1]
    failed, text = raw.text(raw.call("switch_project", project=str(folders[1])))
    assert not failed
    assert str(folders[1]) in text or folders[1].name in text
    assert raw.text(raw.call("where")) == (False, str(folders[1]))
    failed, text = raw.text(raw.call("switch_project", project="relative/path"))
    assert failed


def test_a_change_names_its_connection(raw: Raw, folders: list[Path]) -> None:
    resolved(raw, *folders)
    raw.text(raw.call("select", value=str(folders[1])))
    told = json.loads(raw.text(raw.call("count", what="changes"))[1])
    assert told == [f"raw {folders[0]} None", f"raw {folders[1]} {folders[0]}"]


def test_the_end_of_a_connection_is_told_without_a_collection(nursery: str, folders: list[Path]) -> None:
    with listening(nursery, "--nogc") as url, RawHttp(url) as other:
        other.handshake()
        with RawHttp(url) as client:
            resolved(client, folders[0])
        for _ in range(200):
            told = json.loads(other.text(other.call("count", what="changes"))[1])
            if f"raw None {folders[0]} ended" in told:
                break
        assert f"raw None {folders[0]} ended" in told


def test_connections_that_ended_leave_nothing(nursery: str, folders: list[Path]) -> None:
    with listening(nursery) as url, RawHttp(url) as other:
        other.handshake()
        at_first = int(other.text(other.call("objects"))[1])
        for _ in range(20):
            with RawHttp(url) as client:
                resolved(client, folders[0])
        for _ in range(200):
            # The server ends the last ones after their clients are gone.
            left = int(other.text(other.call("objects"))[1])
            if left <= at_first + 10:
                break
        assert left <= at_first + 10


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_connection_leads_to_its_session_and_project_outside_calls(
    transport: str, nursery: str, url: str, folders: list[Path]
) -> None:
    with Raw(nursery) if transport == "stdio" else RawHttp(url) as client:
        resolved(client, *folders)
        reaches, *paths = json.loads(client.text(client.call("seen_outside"))[1])
        assert reaches
        # Over HTTP there may be other clients, so none is meant without a name.
        only = str(folders[0]) if transport == "stdio" else None
        assert paths == [str(folders[0]), str(folders[0]), only, str(folders[0])]


def test_a_parameter_is_injected_into_resources_prompts_and_plain_functions(
    raw: Raw, folders: list[Path], framework: Framework
) -> None:
    resolved(raw, folders[0])
    read = raw.result(raw.request("resources/read", uri="project://injected"))
    assert read["result"]["contents"][0]["text"] == str(folders[0])
    prompt = raw.result(raw.request("prompts/get", name="injected_brief"))
    assert prompt["result"]["messages"][0]["content"]["text"] == str(folders[0])
    if framework.kind != "fastmcp":
        assert raw.text(raw.call("injected_tool", more="!")) == (False, f"{folders[0]}!")
        listed = raw.result(raw.request("tools/list"))["result"]["tools"]
        [schema] = [tool["inputSchema"]["properties"] for tool in listed if tool["name"] == "injected_tool"]
        assert list(schema) == ["more"]
        assert schema["more"]["description"] == "any text"


@modern_only
def test_a_parameter_is_injected_into_modern_resources_and_prompts(forgetful: Raw, folders: list[Path]) -> None:
    for method, params in (
        ("resources/read", {"uri": "project://injected"}),
        ("prompts/get", {"name": "injected_brief"}),
    ):
        assert forgetful.modern(method, **params)["result"]["resultType"] == "input_required"
        assert str(folders[0]) in json.dumps(forgetful.modern(method, ours(folders[0].as_uri()), **params)["result"])


@modern_only
def test_a_round_of_questions_is_no_error_anywhere(nursery: str, folders: list[Path]) -> None:
    with Raw(nursery, "--log", "--age=0") as raw:
        requests: list[tuple[str, dict[str, Any]]] = [
            *(
                ("tools/call", {"name": name, "arguments": {}})
                for name in ("where", "where_awaited", "swallowed", "nested")
            ),
            *(("prompts/get", {"name": name}) for name in ("brief", "injected_brief")),
            *(("resources/read", {"uri": uri}) for uri in ("project://info", "project://injected")),
        ]
        for method, params in requests:
            assert raw.modern(method, **params)["result"]["resultType"] == "input_required", params
            assert str(folders[0]) in json.dumps(raw.modern(method, ours(folders[0].as_uri()), **params)["result"])
        count = raw.modern("tools/call", name="count", arguments={"what": "failures"})
        assert count["result"]["content"][0]["text"] == "[]"
    log = raw.log()
    for word in (
        "Traceback",
        "rror calling",
        "rror reading",
        "rror rendering",
        "failed",
        "exception",
        "ERROR",
        "WARNING",
    ):
        assert word not in log, log


def test_a_tool_that_calls_a_tool(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("nested")
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.text(call) == (False, str(folders[0]))


@modern_only
def test_a_tool_that_calls_a_tool_in_a_modern_call(raw: Raw, folders: list[Path]) -> None:
    assert raw.modern_call("nested")["result"]["resultType"] == "input_required"
    reply = raw.modern_call("nested", ours(folders[0].as_uri()))["result"]
    assert reply["content"][0]["text"] == str(folders[0])


def test_a_header_in_utf_8(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "jürgen"
    folder.mkdir()
    with RawHttp(url) as client:
        client.handshake()
        client.headers = {"X-Project-Path": str(folder).encode()}
        assert client.text(client.call("where")) == (False, str(folder))


@pytest.mark.only("lowlevel")
def test_attach_refuses_what_is_no_server(framework: Framework) -> None:
    code = "from rootwise.mcp import Rootwise; Rootwise().attach(object())"
    done = subprocess.run([framework.python, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "RootwiseError: bad options at server: object is no server of the SDK" in done.stderr, done.stderr


def test_codex_is_asked_for_its_folder_unless_an_option_says_no(
    framework: Framework, nursery: str, folders: list[Path]
) -> None:
    # Without `attach`, nothing connects Rootwise with a server of the SDK 1.x before the first call.
    attach = ["--attach"] if framework.kind == "mcp1" else []
    key = "codex/sandbox-state-meta"
    # FastMCP 2 shows no session before the handshake is over.
    for options, asks in ([], not framework.name.startswith("fastmcp2")), (["--nocodex"], False):
        with Raw(nursery, *attach, *options) as client:
            client.handshake({})
            assert (key in (client.server["capabilities"].get("experimental") or {})) is asks
            meta = {key: {"sandboxCwd": str(folders[0])}}
            call = client.request("tools/call", name="where", arguments={}, _meta=meta)
            assert client.text(call) == (False, str(folders[0]))


def test_the_folders_of_codex_are_read_as_keys_of_an_object(raw: Raw, folders: list[Path]) -> None:
    raw.handshake({})
    one, two = map(str, folders)
    many = {one: {"git": "x"}, **{f"/nowhere/{index}": None for index in range(20_000)}}
    for workspaces, expected in (({one: {"git": "x"}}, one), ({two: None}, two), (many, one)):
        meta = {"x-codex-turn-metadata": {"workspaces": workspaces}}
        call = raw.request("tools/call", name="where", arguments={}, _meta=meta)
        assert raw.text(call) == (False, expected)


@pytest.mark.only("modern")
def test_codex_is_asked_for_its_folder_by_modern_servers_too(raw: Raw) -> None:
    result = raw.modern("server/discover")["result"]
    assert "codex/sandbox-state-meta" in result["capabilities"]["experimental"]


@pytest.mark.only("modern")
def test_the_state_of_a_tools_own_rounds_survives_our_question(forgetful: Raw, folders: list[Path]) -> None:
    """A tool that asks first and needs its project later asks its user once."""
    first = forgetful.modern_call("late_project", elicitation=True)["result"]
    # Our question travels with the first one of the tool, so that one round is enough.
    assert set(first["inputRequests"]) == {"word", "rootwise"}
    word = {"action": "accept", "content": {"word": "x"}}
    ours = {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}}
    params = {"name": "late_project", "arguments": {}, "requestState": first["requestState"]}
    both = forgetful.modern("tools/call", {"word": word, **ours}, elicitation=True, **params)["result"]
    assert both["content"][0]["text"] == f"{folders[0]} x"
    # A client that answered only the tool is asked for the rest, and the tool still knows its state.
    second = forgetful.modern("tools/call", {"word": word}, elicitation=True, **params)["result"]
    assert set(second["inputRequests"]) == {"rootwise"}
    params["requestState"] = second["requestState"]
    last = forgetful.modern("tools/call", ours, elicitation=True, **params)["result"]
    assert last["content"][0]["text"] == f"{folders[0]} asked"


def test_a_list_that_the_client_changed_without_a_word_counts_for_a_moment_only(
    nursery: str, folders: list[Path]
) -> None:
    with Raw(nursery, "--age=100") as client:
        resolved(client, folders[0])
        time.sleep(0.2)
        call = client.call("where")
        client.roots(client.asked(), folders[1].as_uri())
        assert client.text(call) == (False, str(folders[1]))
        time.sleep(0.2)
        # It does not confirm the list: the last one counts, and says so.
        assert json.loads(client.text(client.call("described"))[1])[-1] == "stale"


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_change_is_asked_about_at_once_where_the_client_listens(
    transport: str, nursery: str, url: str, folders: list[Path]
) -> None:
    with Raw(nursery) if transport == "stdio" else RawHttp(url) as client:
        resolved(client, folders[0])
        if isinstance(client, RawHttp):
            client.listen()
        client.send(method="notifications/roots/list_changed")
        # No call is waiting for it.
        client.roots(client.asked(), folders[1].as_uri())
        for _ in range(200):
            known = client.text(client.call("known"))[1]
            if known == str(folders[1]):
                break
        assert known == str(folders[1])
        if isinstance(client, RawHttp):
            # The stream of the session breaks while it carries a question: the next call asks again.
            client.send(method="notifications/roots/list_changed")
            client.asked()
            client.hang_up()
            call = client.call("where")
            client.roots(client.asked(), folders[0].as_uri())
            assert client.text(call) == (False, str(folders[0]))
