"""Real servers in every framework, seen over stdio by a client that does exactly what a test says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import Framework
from raw import Raw

modern_only = pytest.mark.only("modern")


@pytest.fixture
def hasty(nursery: str) -> Iterator[Raw]:
    with Raw(nursery, "--wait=1000", "--life=2000") as client:
        yield client


def ours(*folders: Path) -> dict[str, Any]:
    """The answer to our question in a modern call."""
    return {"rootwise": {"roots": [{"uri": folder.as_uri()} for folder in folders]}}


@pytest.mark.parametrize("tool", ["where", "where_awaited", "swallowed"])
def test_the_client_is_asked_once_and_its_root_is_the_project(raw: Raw, folders: list[Path], tool: str) -> None:
    raw.handshake()
    call = raw.call(tool)
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.text(call) == (False, str(folders[0]))
    assert raw.text(raw.call(tool)) == (False, str(folders[0]))
    assert raw.open_questions() == 0


def test_a_prompt_and_a_resource_get_the_same_project(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    prompt = raw.request("prompts/get", name="brief")
    resource = raw.request("resources/read", uri="project://info")
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.result(prompt)["result"]["messages"][0]["content"]["text"] == str(folders[0])
    assert raw.result(resource)["result"]["contents"][0]["text"] == str(folders[0])
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
    assert "`switch_project`" in text
    assert raw.open_questions() == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32601, "message": "Method not found"}},
        {"result": {"roots": []}},
        {"result": {"roots": "none"}},
        {"result": {}},
    ],
    ids=["-32601", "an empty list", "no list", "nothing"],
)
def test_an_answer_without_roots_is_an_answer(raw: Raw, answer: Any) -> None:
    raw.handshake()
    call = raw.call("where")
    raw.send(id=raw.asked()["id"], **answer)
    failed, text = raw.text(call)
    assert failed
    assert "No project was found" in text
    assert raw.text(raw.call("where"))[0]
    assert raw.open_questions() == 0


def test_a_silent_client_costs_one_wait_and_a_late_answer_lands(hasty: Raw, folders: list[Path]) -> None:
    hasty.handshake()
    call = hasty.call("where")
    question = hasty.asked()
    assert hasty.text(call)[0]
    assert hasty.text(hasty.call("where"))[0]
    hasty.roots(question, folders[0].as_uri())
    # The answer and the next call are read in this order, and what the answer needs from the disk is quick.
    for _ in range(50):
        failed, text = hasty.text(hasty.call("where"))
        if not failed:
            break
    assert text == str(folders[0])
    assert hasty.open_questions() == 0


def test_a_request_whose_life_is_over_is_cancelled_and_leaves_nothing(hasty: Raw) -> None:
    hasty.handshake()
    call = hasty.call("where")
    question = hasty.asked()
    assert hasty.text(call)[0]
    cancelled = hasty.next(lambda message: message.get("method") == "notifications/cancelled")
    assert cancelled["params"]["requestId"] == question["id"]
    assert hasty.text(hasty.call("tasks"))[1] == "0"


def test_a_client_that_goes_while_it_is_asked_lets_the_server_end(nursery: str) -> None:
    # Some frameworks let a call end first; none may wait as long as the question lives.
    with Raw(nursery, "--wait=1000") as raw:
        raw.handshake()
        raw.call("where")
        raw.asked()
    assert "Traceback" not in raw.log()


def test_parallel_calls_share_one_question(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    calls = [raw.call("where_awaited") for _ in range(50)]
    raw.roots(raw.asked(), folders[0].as_uri())
    assert [raw.text(call) for call in calls] == [(False, str(folders[0]))] * 50
    assert raw.open_questions() == 0


def test_a_cancelled_call_does_not_take_the_question_from_another(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    first = raw.call("where_awaited")
    question = raw.asked()
    second = raw.call("where_awaited")
    raw.send(method="notifications/cancelled", params={"requestId": first, "reason": "changed my mind"})
    raw.roots(question, folders[0].as_uri())
    assert raw.text(second) == (False, str(folders[0]))


def change(raw: Raw, folders: list[Path]) -> None:
    """Names one folder, then says that its roots changed and names the other."""
    raw.handshake()
    call = raw.call("where")
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.text(call) == (False, str(folders[0]))
    raw.send(method="notifications/roots/list_changed")
    call = raw.call("where")
    raw.roots(raw.asked(), folders[1].as_uri())
    assert raw.text(call) == (False, str(folders[1]))
    assert raw.open_questions() == 0


def test_a_change_of_the_roots(raw: Raw, folders: list[Path]) -> None:
    change(raw, folders)


@pytest.mark.only("lowlevel")
def test_a_low_level_server_hears_a_change_of_the_roots(nursery: str, folders: list[Path]) -> None:
    with Raw(nursery, "--lowlevel") as raw:
        change(raw, folders)


@pytest.mark.only("trio")
def test_on_trio(nursery: str, folders: list[Path]) -> None:
    with Raw(nursery, "--trio", "--wait=1000") as raw:
        change(raw, folders)
        raw.send(method="notifications/roots/list_changed")
        silent = raw.call("where")
        raw.asked()
        assert raw.text(silent) == (False, str(folders[1]))


def test_a_named_argument_wins_without_a_question_to_a_client_that_has_no_roots(raw: Raw, folders: list[Path]) -> None:
    raw.handshake({})
    assert raw.text(raw.call("where_awaited", path=str(folders[1]))) == (False, str(folders[1]))
    assert raw.open_questions() == 0


def test_a_named_argument_must_be_one_of_the_roots(raw: Raw, folders: list[Path], tmp_path: Path) -> None:
    raw.handshake()
    call = raw.call("where_awaited", path=str(folders[1]))
    raw.roots(raw.asked(), *(folder.as_uri() for folder in folders))
    assert raw.text(call) == (False, str(folders[1]))
    assert raw.text(raw.call("where_awaited", path=str(tmp_path)))[0]


def test_a_selection_holds_for_the_connection(raw: Raw, folders: list[Path]) -> None:
    raw.handshake({})
    assert raw.text(raw.call("select", value=str(folders[1]))) == (False, str(folders[1]))
    assert raw.text(raw.call("where")) == (False, str(folders[1]))


def test_an_injected_parameter_is_not_in_the_schema(raw: Raw) -> None:
    raw.handshake()
    listed = raw.result(raw.request("tools/list"))["result"]["tools"]
    schemas = {tool["name"]: tool["inputSchema"].get("properties", {}) for tool in listed}
    assert schemas["where"] == {}
    assert list(schemas["where_awaited"]) == ["path"]


@modern_only
@pytest.mark.parametrize(
    ("method", "params", "where"),
    [
        ("tools/call", {"name": "where", "arguments": {}}, ("content", 0, "text")),
        ("tools/call", {"name": "where_awaited", "arguments": {}}, ("content", 0, "text")),
        ("tools/call", {"name": "swallowed", "arguments": {}}, ("content", 0, "text")),
        ("prompts/get", {"name": "brief"}, ("messages", 0, "content", "text")),
        ("resources/read", {"uri": "project://info"}, ("contents", 0, "text")),
    ],
)
def test_a_modern_request_returns_a_question_and_is_made_again(
    raw: Raw, folders: list[Path], method: str, params: Any, where: tuple[Any, ...]
) -> None:
    asked = raw.modern(method, **params)["result"]
    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"] == {"rootwise": {"method": "roots/list"}}
    # The roots that came with the call count for the next one, because a pipe has one client.
    for responses in (ours(folders[0]), None):
        found = raw.modern(method, responses, **params)["result"]
        for part in where:
            found = found[part]
        assert found == str(folders[0])


@modern_only
def test_a_modern_client_on_a_pipe_switches_its_project(raw: Raw, folders: list[Path]) -> None:
    roots = {"rootwise": {"roots": [{"uri": folder.as_uri()} for folder in folders]}}
    switched = raw.modern("tools/call", roots, name="switch_project", arguments={"project": "two"})["result"]
    assert not switched.get("isError"), switched
    assert raw.modern_call("where")["result"]["content"][0]["text"] == str(folders[1])


@modern_only
def test_a_modern_call_runs_its_own_work_once(raw: Raw, folders: list[Path]) -> None:
    raw.modern_call("counted")
    answered = raw.modern_call("counted", ours(folders[0]))
    assert answered["result"]["content"][0]["text"] == "1"


@modern_only
def test_a_tool_with_questions_of_its_own_is_asked_ours_in_every_round(raw: Raw, folders: list[Path]) -> None:
    def word(value: str) -> dict[str, Any]:
        return {"action": "accept", "content": {"word": value}}

    asked = raw.modern_call("rounds", elicitation=True)["result"]
    assert list(asked["inputRequests"]) == ["rootwise"]
    # A client sends the responses of the last round only, so each round must ask for all that the next one needs.
    for answered, own in (({}, "first"), ({"first": word("a")}, "second")):
        asked = raw.modern_call("rounds", {**ours(folders[0]), **answered}, elicitation=True)["result"]
        assert asked["resultType"] == "input_required"
        assert sorted(asked["inputRequests"]) == sorted([own, "rootwise"])
        assert asked["inputRequests"]["rootwise"] == {"method": "roots/list"}
        assert asked["inputRequests"][own]["method"] == "elicitation/create"
    done = raw.modern_call("rounds", {**ours(folders[0]), "second": word("b")}, elicitation=True)["result"]
    assert done["content"][0]["text"] == f"{folders[0]} b"


@modern_only
def test_a_modern_client_without_roots_gets_an_error_and_no_question(raw: Raw) -> None:
    result = raw.modern_call("where", roots=False)["result"]
    assert result["isError"]
    assert "No project was found" in result["content"][0]["text"]


@modern_only
def test_one_bad_root_in_a_modern_call(raw: Raw, folders: list[Path], framework: Framework) -> None:
    roots = {"rootwise": {"roots": [{"uri": "C:\\x\\beta"}, {"uri": folders[0].as_uri()}]}}
    reply = raw.modern_call("where", roots)
    if framework.raw_responses:
        assert reply["result"]["content"][0]["text"] == str(folders[0])
    else:
        # FastMCP checks the responses before any public hook sees them.
        assert reply["error"]["code"] == -32602
