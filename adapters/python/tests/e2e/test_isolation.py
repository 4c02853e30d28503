"""Calls that must not affect each other: without sessions, of several instances on one session, on dropped streams."""

from __future__ import annotations

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import listening
from frameworks import Framework
from raw import Raw, RawHttp


def named(client: RawHttp, folder: Path) -> None:
    client.headers = {"X-Project-Path": str(folder)}


def test_without_sessions_no_client_sees_anything_of_another(
    framework: Framework, stateless_url: str, folders: list[Path]
) -> None:
    with RawHttp(stateless_url) as one, RawHttp(stateless_url) as two:
        failed, text = one.text(one.call("switch_project", project=str(folders[0])))
        if framework.kind == "mcp1":
            assert failed
            assert "between calls" in text, text
            assert "x-project-path" in text, text
        else:
            assert f'Pass `path: "{folders[0]}"` with each call' in text, text
        failed, text = two.text(two.call("where"))
        assert failed, text
        named(one, folders[0])
        assert one.text(one.call("where")) == (False, str(folders[0]))
        one.call("select", value=str(folders[0]))
        assert two.text(two.call("known")) == (False, "None")
        assert two.text(two.call("where"))[0]
        one.headers = {}
        assert one.text(one.call("where"))[0]
        assert json.loads(one.text(one.call("count", what="changes"))[1]) == []


def test_with_sticky_policies_nothing_stays_without_sessions(nursery: str, folders: list[Path]) -> None:
    with listening(nursery, "--stateless", "--pin") as url, RawHttp(url) as one, RawHttp(url) as two:
        named(one, folders[0])
        named(two, folders[1])
        for _ in range(2):
            assert one.text(one.call("where")) == (False, str(folders[0]))
            assert two.text(two.call("where")) == (False, str(folders[1]))


@pytest.mark.parametrize("first_answers_last", [False, True])
def test_two_instances_on_one_session_each_get_their_answer(
    raw: Raw, folders: list[Path], first_answers_last: bool
) -> None:
    raw.handshake()
    calls, questions = [], []
    for tool in ("where", "where_second"):
        calls.append(raw.call(tool))
        questions.append(raw.asked())
    order = [1, 0] if first_answers_last else [0, 1]
    for number in order:
        raw.roots(questions[number], folders[number].as_uri())
        assert raw.text(calls[number]) == (False, str(folders[number]))
    for number, tool in enumerate(("where", "where_second")):
        assert raw.text(raw.call(tool)) == (False, str(folders[number]))
    # Whoever waited for an answer that another one took would wait longer than this test does.
    assert raw.open_questions() == 0


def test_two_instances_hear_a_change_of_the_roots(raw: Raw, folders: list[Path]) -> None:
    raw.handshake()
    for folder in folders:
        for tool in ("where", "where_second"):
            call = raw.call(tool)
            raw.roots(raw.asked(), folder.as_uri())
            assert raw.text(call) == (False, str(folder))
        raw.send(method="notifications/roots/list_changed")


def test_two_instances_over_http(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake()
        for tool in ("where", "where_second", "where", "where_second"):
            call = client.call(tool)
            if client.open_questions() or tool not in client.seen:
                client.roots(client.asked(), folders[0].as_uri())
            client.seen.add(tool)
            assert client.text(call) == (False, str(folders[0]))


@pytest.mark.only("modern")
def test_two_instances_in_a_modern_call(raw: Raw, folders: list[Path]) -> None:
    for tool in ("where", "where_second"):
        asked = raw.modern_call(tool)["result"]
        assert asked["inputRequests"] == {"rootwise": {"method": "roots/list"}}
        answered = raw.modern_call(tool, {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}})
        assert answered["result"]["content"][0]["text"] == str(folders[0])


def test_a_cancelled_call_over_http_takes_its_question_with_it(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake()
        # More often than the resolver retries after failures.
        for _ in range(6):
            cancelled = client.call("where")
            client.asked()
            client.send(method="notifications/cancelled", params={"requestId": cancelled, "reason": "changed my mind"})
        call = client.call("where")
        client.roots(client.asked(), folders[0].as_uri())
        assert client.text(call) == (False, str(folders[0]))
        assert client.text(client.call("where")) == (False, str(folders[0]))


def test_a_dropped_stream_takes_its_question_with_it(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake()
        client.call("where")
        client.asked()
        client.hang_up()
        call = client.call("where")
        client.roots(client.asked(), folders[0].as_uri())
        assert client.text(call) == (False, str(folders[0]))


@pytest.mark.parametrize("end", ["hang up", "cancel"])
def test_calls_that_end_before_their_question_is_sent_say_nothing_about_the_client(
    url: str, folders: list[Path], end: str, framework: Framework
) -> None:
    if end == "cancel" and not framework.cancels:
        pytest.skip("this framework loses the session")
    with RawHttp(url) as client:
        client.handshake()
        # More often than the resolver retries after failures.
        for _ in range(12):
            ended = client.call("where_awaited")
            if end == "cancel":
                client.send(method="notifications/cancelled", params={"requestId": ended, "reason": "changed my mind"})
            client.hang_up()
        client.take_questions()
        call = client.call("where_awaited")
        client.answer_questions(call, folders[0].as_uri())
        assert client.text(call) == (False, str(folders[0]))


def test_a_late_answer_to_a_question_that_was_given_up_harms_nothing(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake()
        client.call("where")
        old = client.asked()
        client.hang_up()
        call = client.call("where")
        new = client.asked()
        client.roots(old, folders[1].as_uri())
        client.roots(new, folders[0].as_uri())
        assert client.text(call) == (False, str(folders[0]))
        assert client.text(client.call("where")) == (False, str(folders[0]))


def test_clients_that_misbehave_at_once_never_get_the_project_of_another(
    url: str, tmp_path: Path, framework: Framework
) -> None:
    steps = ["answer", "hang up", "late", "change", *(["cancel"] if framework.cancels else [])]

    def misbehave(number: int) -> None:
        random, folder = Random(number), tmp_path / str(number)
        folder.mkdir()
        with RawHttp(url) as client:
            client.handshake()
            late: list[Any] = []
            for _ in range(12):
                call = client.call("where")
                step = random.choice(steps)
                time.sleep(random.random() / 50)
                questions = client.take_questions()
                if step == "hang up":
                    client.hang_up()
                    late += questions
                    continue
                if step == "cancel":
                    client.send(method="notifications/cancelled", params={"requestId": call, "reason": "test"})
                    late += questions
                    continue
                if step == "change":
                    client.send(method="notifications/roots/list_changed")
                if step == "late":
                    for question in late:
                        client.roots(question, folder.as_uri())
                for question in questions:
                    client.roots(question, folder.as_uri())
                client.answer_questions(call, folder.as_uri())
                assert client.text(call) == (False, str(folder))

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(misbehave, number) for number in range(6)]:
            done.result()


def test_many_users_at_once_stay_apart(url: str, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(8)]
    clients = [RawHttp(url) for _ in folders]
    try:
        for folder, client in zip(folders, clients, strict=True):
            folder.mkdir()
            client.handshake()
        for _ in range(2):
            calls = [client.call("where") for client in clients]
            for folder, client in zip(folders, clients, strict=True):
                if "where" not in client.seen:
                    client.roots(client.asked(), folder.as_uri())
                    client.seen.add("where")
            for folder, client, call in zip(folders, clients, calls, strict=True):
                assert client.text(call) == (False, str(folder))
    finally:
        for client in clients:
            client.__exit__()


@pytest.mark.only("lowlevel")
def test_an_option_that_the_framework_cannot_honour_is_an_error_at_construction(framework: Framework) -> None:
    code = "from rootwise.mcp import Rootwise; Rootwise(argument='path')"
    done = subprocess.run([framework.python, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "bad options at argument" in done.stderr
    assert "rootwise.project(argument=" in done.stderr
