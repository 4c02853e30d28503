"""Real servers in every framework, seen by a raw client and by the clients of both SDK generations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from environment import FRAMEWORK, MODERN
from raw import Raw

modern_only = pytest.mark.skipif(not MODERN, reason="this framework speaks only the revisions up to 2025-11-25")
#: Frameworks that tell a server when the client's roots change; the others ask again when the list has aged.
HEARS_CHANGES = MODERN


@pytest.fixture
def raw(nursery: str) -> Iterator[Raw]:
    with Raw(nursery) as peer:
        yield peer


@pytest.mark.parametrize("tool", ["where", "where_awaited", "swallowed"])
def test_the_client_is_asked_once_and_its_root_is_the_project(raw: Raw, folders: list[Path], tool: str) -> None:
    raw.handshake()
    call = raw.call(tool)
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.text(call) == (False, str(folders[0]))
    assert raw.text(raw.call(tool)) == (False, str(folders[0]))
    assert raw.open_questions() == 0


def test_one_bad_root_does_not_lose_the_list(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("where")
    raw.roots(raw.asked(), "C:\\x\\beta", "nonsense", folders[1].as_uri())
    assert raw.text(call) == (False, str(folders[1]))


def test_a_client_without_roots_is_not_asked_and_the_model_is_told_what_to_do(raw: Raw) -> None:
    raw.handshake(capabilities={})
    failed, text = raw.text(raw.call("where"))
    assert failed
    assert "No project was found" in text
    assert "--project=" in text
    assert raw.open_questions() == 0


def test_an_error_instead_of_roots_is_no_crash(raw: Raw) -> None:
    raw.handshake()
    call = raw.call("where")
    raw.send(id=raw.asked()["id"], error={"code": -32601, "message": "Method not found"})
    failed, text = raw.text(call)
    assert failed
    assert "No project was found" in text
    assert raw.text(raw.call("where"))[0]
    assert raw.open_questions() == 0


def test_a_silent_client_costs_one_wait_and_a_late_answer_lands(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("where")
    question = raw.asked()
    assert raw.text(call)[0]
    assert raw.text(raw.call("where"))[0]
    raw.roots(question, folders[0].as_uri())
    # The answer and the next call are read in this order, and what the answer needs from the disk is quick.
    for _ in range(50):
        failed, text = raw.text(raw.call("where"))
        if not failed:
            break
    assert text == str(folders[0])
    assert raw.open_questions() == 0


def test_a_request_whose_life_is_over_is_cancelled_and_leaves_nothing(raw: Raw) -> None:
    raw.handshake()
    call = raw.call("where")
    question = raw.asked()
    assert raw.text(call)[0]
    cancelled = raw.next(lambda message: message.get("method") == "notifications/cancelled")
    assert cancelled["params"]["requestId"] == question["id"]
    assert raw.text(raw.call("tasks"))[1] == "0"


def test_metadata_beyond_the_limit_is_an_error_of_that_call_alone(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    large = raw.request("tools/call", name="where_awaited", arguments={}, _meta={"junk": "x" * (2 << 20)})
    failed, text = raw.text(large)
    assert failed
    assert "limit" in text
    assert raw.text(raw.call("where_awaited", path=str(folders[0]))) == (False, str(folders[0]))


def test_parallel_calls_share_one_question(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    calls = [raw.call("where_awaited") for _ in range(5)]
    raw.roots(raw.asked(), folders[0].as_uri())
    assert [raw.text(call) for call in calls] == [(False, str(folders[0]))] * 5
    assert raw.open_questions() == 0


def test_a_cancelled_call_does_not_take_the_question_from_another(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    first = raw.call("where_awaited")
    question = raw.asked()
    second = raw.call("where_awaited")
    raw.send(method="notifications/cancelled", params={"requestId": first, "reason": "changed my mind"})
    raw.roots(question, folders[0].as_uri())
    assert raw.text(second) == (False, str(folders[0]))


def test_a_change_of_the_roots(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("where")
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.text(call) == (False, str(folders[0]))
    raw.send(method="notifications/roots/list_changed")
    call = raw.call("where")
    if HEARS_CHANGES:
        raw.roots(raw.asked(), folders[1].as_uri())
        assert raw.text(call) == (False, str(folders[1]))
    else:
        assert raw.text(call) == (False, str(folders[0]))


def test_a_named_argument_wins_and_nobody_is_asked(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    assert raw.text(raw.call("where_awaited", path=str(folders[1]))) == (False, str(folders[1]))
    assert raw.open_questions() == 0


def test_a_selection_holds_for_the_connection(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    assert raw.text(raw.call("select", value=str(folders[1]))) == (False, str(folders[1]))
    assert raw.text(raw.call("where")) == (False, str(folders[1]))


def test_an_injected_parameter_is_not_in_the_schema(raw: Raw) -> None:
    raw.handshake()
    listed = raw.result(raw.request("tools/list"))["result"]["tools"]
    schemas = {tool["name"]: tool["inputSchema"].get("properties", {}) for tool in listed}
    assert schemas["where"] == {}
    assert list(schemas["where_awaited"]) == ["path"]


@pytest.mark.skipif(FRAMEWORK == "fastmcp", reason="FastMCP starts its own event loop, which is always asyncio")
def test_on_trio(nursery: str, folders: list[Path]) -> None:
    with Raw(nursery, BACKEND="trio") as raw:
        raw.handshake()
        call = raw.call("where")
        raw.roots(raw.asked(), folders[0].as_uri())
        assert raw.text(call) == (False, str(folders[0]))
        raw.send(method="notifications/roots/list_changed")
        silent = raw.call("where")
        if HEARS_CHANGES:
            raw.asked()
        assert raw.text(silent) == (False, str(folders[0]))


@modern_only
@pytest.mark.parametrize("tool", ["where", "where_awaited", "swallowed"])
def test_a_modern_call_returns_a_question_and_is_made_again(raw: Raw, folders: list[Path], tool: str) -> None:
    asked = raw.modern(tool)["result"]
    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"] == {"rootwise": {"method": "roots/list"}}
    answered = raw.modern(tool, {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}})["result"]
    assert answered["content"][0]["text"] == str(folders[0])
    assert raw.modern(tool)["result"]["resultType"] == "input_required"


@modern_only
def test_a_modern_call_runs_its_own_work_once(raw: Raw, folders: list[Path]) -> None:
    raw.modern("counted")
    answered = raw.modern("counted", {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}})
    assert answered["result"]["content"][0]["text"] == "1"


@modern_only
def test_a_modern_client_without_roots_gets_an_error_and_no_question(raw: Raw) -> None:
    result = raw.modern("where", capabilities={})["result"]
    assert result["isError"]
    assert "No project was found" in result["content"][0]["text"]


@modern_only
def test_one_bad_root_in_a_modern_call(raw: Raw, folders: list[Path]) -> None:
    roots = {"rootwise": {"roots": [{"uri": "C:\\x\\beta"}, {"uri": folders[0].as_uri()}]}}
    said = raw.modern("where", roots)
    if FRAMEWORK == "fastmcp":
        # FastMCP checks the responses before any public hook sees them.
        assert said["error"]["code"] == -32602
    else:
        assert said["result"]["content"][0]["text"] == str(folders[0])


def clients() -> list[tuple[str, str, str]]:
    """Environment, interpreter and era of every client: PEERS is `name=interpreter` for each."""
    peers = [peer.split("=", 1) for peer in os.environ.get("PEERS", "").split() if peer]
    eras = {"mcp1": ["legacy"], "mcp2": ["legacy", "modern"] if MODERN else ["legacy"]}
    return [(name, python, era) for name, python in peers for era in eras[name]]


def run_client(python: str, era: str, where: list[str], folder: Path, **env: str) -> Any:
    script = Path(__file__).with_name("client.py")
    done = subprocess.run(
        [python, str(script), era, *where, "where", "where_awaited"],
        capture_output=True,
        text=True,
        env={**os.environ, "ROOTS": folder.as_uri(), **env},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize(("name", "python", "era"), clients(), ids=lambda value: str(value).rsplit("/", 1)[-1])
def test_a_real_client(name: str, python: str, era: str, transport: str, folders: list[Path], url: str) -> None:
    where = ["stdio", sys.executable] if transport == "stdio" else [url]
    said = run_client(python, era, where, folders[0])
    assert said["results"] == [{"failed": False, "text": str(folders[0])}] * 2
    # A legacy connection remembers; modern calls stand alone.
    assert said["asked"] == (1 if era == "legacy" else 2)


def test_a_header_names_the_project_of_its_request(folders: list[Path], url: str) -> None:
    [python] = [python for name, python, _ in clients() if name == "mcp1"]
    headers = json.dumps({"X-Project-Path": str(folders[1])})
    said = run_client(python, "legacy", [url], folders[0], HEADERS=headers)
    assert said["results"] == [{"failed": False, "text": str(folders[1])}] * 2
    assert said["asked"] == 0


def test_there_are_real_clients() -> None:
    assert clients(), "PEERS is empty: run `python3 adapters/python/test.py`, which sets it"
