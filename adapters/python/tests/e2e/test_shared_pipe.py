"""Several clients on one pipe, as some gateways put them: nobody gets the project of another."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from raw import Raw


def resolved(raw: Raw, folder: Path) -> None:
    call = raw.call("where")
    raw.answer_questions(call, folder.as_uri())
    assert raw.text(call) == (False, str(folder))


def refused(raw: Raw, call: int) -> None:
    failed, text = raw.text(call)
    assert failed, text
    assert "gateway" in text, text


def listed(raw: Raw) -> None:
    """What clients do before the first call, and what has no project."""
    raw.result(raw.request("tools/list"))


def test_a_client_that_merely_comes_again_gets_its_project(raw: Raw, folders: list[Path]) -> None:
    for folder in [*folders, *folders]:
        raw.handshake()
        listed(raw)
        resolved(raw, folder)
        # Several questions of one call are no sign of another client.
        assert raw.text(raw.call("resolved_path", path="x"))[1].startswith(f"True {folder}")


def test_a_client_that_starts_to_count_again_gets_its_project(raw: Raw, folders: list[Path]) -> None:
    for folder in [*folders, *folders]:
        raw.last = 0
        raw.handshake()
        listed(raw)
        # It passes the number that it had reached before.
        for _ in range(3):
            resolved(raw, folder)
            raw.result(raw.request("ping"))


def test_a_client_that_comes_again_before_its_first_call_gets_its_project(raw: Raw, folders: list[Path]) -> None:
    for _ in range(3):
        raw.last = 0
        raw.handshake()
        # More than is kept of the messages before a first call.
        for _ in range(150):
            listed(raw)
    for _ in range(3):
        resolved(raw, folders[0])


def test_parallel_calls_are_no_sign_of_another_client(raw: Raw, folders: list[Path]) -> None:
    for folder in folders:
        raw.handshake()
        calls = [raw.call(name) for name in ("where", "where_awaited", "where_second", "where", "where_second")]
        for call in calls:
            raw.answer_questions(call, folder.as_uri())
        assert [raw.text(call) for call in calls] == [(False, str(folder))] * len(calls)


@pytest.mark.parametrize("tool", ["where", "where_second"])
def test_two_clients_that_take_turns_get_no_project(raw: Raw, folders: list[Path], tool: str) -> None:
    raw.handshake()
    resolved(raw, folders[0])
    first, raw.last = raw.last, 1_000
    raw.handshake()
    resolved(raw, folders[1])
    # The first client goes on, with the numbers that it has reached.
    raw.last = first
    refused(raw, raw.call(tool))
    raw.last = 1_100
    refused(raw, raw.call(tool))


def test_a_call_of_the_first_client_during_the_second_handshake_shows_two(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    resolved(raw, folders[0])
    first, raw.last = raw.last, 1_000
    raw.initialize()
    raw.last = first + 10
    refused(raw, raw.call("where"))


def test_two_clients_that_count_alike_get_no_project(raw: Raw, folders: list[Path]) -> None:
    for _ in range(2):
        raw.last = 0
        raw.handshake()
    for _ in range(2):
        raw.last = 1
        listed(raw)
    refused(raw, raw.call("where"))


@pytest.mark.parametrize("answers_first", [0, 1])
def test_two_clients_that_answer_the_first_question_get_no_project(
    raw: Raw, folders: list[Path], answers_first: int
) -> None:
    for start in (0, 1_000):
        raw.last = start
        raw.handshake()
        listed(raw)
    call = raw.call("where")
    question = raw.asked()
    for folder in (folders[answers_first], folders[1 - answers_first]):
        raw.roots(question, folder.as_uri())
    refused(raw, call)


def test_a_second_client_may_take_its_time_to_answer(nursery: str, folders: list[Path]) -> None:
    texts: list[str] = []
    # A server that stalls for as long as it waits for a second answer misses it; it does not stall every time.
    for _ in range(3):
        with Raw(nursery) as raw:
            for start in (0, 1_000):
                raw.last = start
                raw.handshake()
            call = raw.call("where")
            question = raw.asked()
            raw.roots(question, folders[0].as_uri())
            # Enough for an answer that does not wait.
            time.sleep(0.1)
            raw.roots(question, folders[1].as_uri())
            texts.append(raw.text(call)[1])
            refused(raw, raw.call("where"))
    assert any("gateway" in text for text in texts), texts


def test_a_second_client_that_has_no_roots_to_answer_with_shows_two(raw: Raw, folders: list[Path]) -> None:
    for start in (0, 1_000):
        raw.last = start
        raw.handshake()
    call = raw.call("where")
    question = raw.asked()
    raw.roots(question, folders[0].as_uri())
    raw.send(id=question["id"], error={"code": -32601, "message": "Method not found"})
    refused(raw, call)


def test_two_answers_to_one_question_show_two_clients(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    call = raw.call("where")
    question = raw.asked()
    raw.roots(question, folders[0].as_uri())
    raw.text(call)
    raw.roots(question, folders[1].as_uri())
    refused(raw, raw.call("where"))


def test_a_huge_handshake_ends_nothing_and_its_roots_count(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    resolved(raw, folders[0])
    raw.handshake({"roots": {}, "experimental": {"large": {"text": "x" * 2_000_000}}})
    resolved(raw, folders[1])
    raw.handshake()
    resolved(raw, folders[0])
