"""What belongs to others: work that outlives its call, plain functions, data that Rootwise does not read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raw import Raw

LARGE = "x" * 1_300_000

#: An ordinary error with a code, once for each question.
OVER = ["True call_over"] * 3


def test_work_that_outlives_its_call_gets_an_ordinary_error(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    where = raw.call("where")
    raw.roots(raw.asked(), folders[0].as_uri())
    assert raw.text(where) == (False, str(folders[0]))
    assert raw.text(raw.call("start_job")) == (False, "started")
    # What its connection knows, it knows too.
    assert json.loads(raw.text(raw.call("job_result"))[1]) == [*OVER, f"knows {folders[0]}"]


@pytest.mark.only("modern")
def test_work_that_outlives_its_modern_call_gets_an_ordinary_error(raw: Raw) -> None:
    raw.modern_call("start_job")
    result = raw.modern_call("job_result")["result"]
    assert json.loads(result["content"][0]["text"]) == [*OVER, "knows None"]


@pytest.mark.only("modern")
def test_a_question_of_a_task_beside_its_call_is_asked_and_ends_only_in_an_ordinary_error(
    raw: Raw, folders: list[Path]
) -> None:
    first = raw.modern_call("asking_job")["result"]
    assert "rootwise" in first["inputRequests"], first
    again = raw.modern_call("asking_job", {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}})["result"]
    assert again["content"][0]["text"] == str(folders[0])
    assert json.loads(raw.modern_call_with("count", what="jobs")["result"]["content"][0]["text"]) == ["True call_over"]


def test_plain_functions_run_side_by_side(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    calls = [raw.call("together") for _ in range(3)]
    raw.roots(raw.asked(), folders[0].as_uri())
    assert [raw.text(call) for call in calls] == [(False, str(folders[0]))] * 3


def test_what_others_put_into_meta_fails_no_call(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    foreign = {"theirs": {"text": LARGE, "number": float("inf")}}
    for meta in (foreign, {**foreign, "agent-working-dir": float("inf")}, {"agent-working-dir": LARGE}):
        call = raw.request("tools/call", name="where", arguments={}, _meta=meta)
        raw.answer_questions(call, folders[0].as_uri())
        assert raw.text(call) == (False, str(folders[0]))


@pytest.mark.only("modern")
def test_a_large_answer_to_a_tools_own_question_fails_no_call(raw: Raw, folders: list[Path]) -> None:
    ours = {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}}
    answered = {"action": "accept", "content": {"word": LARGE}}
    result = raw.modern_call("rounds", {**ours, "first": answered}, elicitation=True)["result"]
    assert set(result["inputRequests"]) == {"second", "rootwise"}, str(result)[:500]
