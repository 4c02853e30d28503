"""Only over HTTP: isolated sessions, facts of single requests, clients that disappear."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from subprocess import PIPE

from conftest import HERE, listening
from frameworks import Framework
from raw import PATIENCE, RawHttp


def test_two_sessions_never_see_each_other(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as one, RawHttp(url) as two:
        one.handshake()
        two.handshake()
        calls = one.call("where"), two.call("where")
        questions = one.asked(), two.asked()
        # In the other order, and each over its own session.
        two.roots(questions[1], folders[1].as_uri())
        assert two.text(calls[1]) == (False, str(folders[1]))
        one.roots(questions[0], folders[0].as_uri())
        assert one.text(calls[0]) == (False, str(folders[0]))
        inside = str(folders[0] / ".git")
        assert one.text(one.call("select", value=inside)) == (False, inside)
        assert one.text(one.call("where")) == (False, inside)
        assert two.text(two.call("where")) == (False, str(folders[1]))


def test_a_header_counts_for_its_request_alone(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake()
        call = client.call("where")
        client.roots(client.asked(), folders[0].as_uri())
        assert client.text(call) == (False, str(folders[0]))
        for _ in range(2):
            client.headers = {"X-Project-Path": str(folders[1])}
            assert client.text(client.call("where")) == (False, str(folders[1]))
            client.headers = {}
            assert client.text(client.call("where")) == (False, str(folders[0]))


def test_a_client_that_hangs_up_while_it_is_asked_can_come_back(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake()
        client.call("where")
        question = client.asked()
        client.hang_up()
        client.roots(question, folders[0].as_uri())
        assert client.text(client.call("where")) == (False, str(folders[0]))


def test_where_calls_are_answered_in_json_the_client_is_not_asked_and_the_call_says_so_at_once(
    nursery: str, folders: list[Path]
) -> None:
    # Callers wait longer than this test does.
    with listening(nursery, "--json") as url, RawHttp(url) as client:
        client.handshake()
        failed, text = client.text(client.call("where"))
        assert failed
        assert "cannot be asked for its roots in this call" in text, text
        assert client.text(client.call("select", value=str(folders[0]))) == (False, str(folders[0]))
        assert client.text(client.call("where")) == (False, str(folders[0]))


def test_the_end_of_a_session_leaves_nothing_behind(nursery: str) -> None:
    # A question lives for two minutes. SDK 1.x does not tell a call that its session is over, so it waits its time.
    with listening(nursery, "--wait=1000") as url, RawHttp(url) as other:
        other.handshake()
        with RawHttp(url) as client:
            client.handshake()
            client.call("where")
            client.asked()
            assert other.text(other.call("tasks"))[1] != "0"
        deadline = time.monotonic() + PATIENCE
        while (running := other.text(other.call("tasks"))[1]) != "0":
            assert time.monotonic() < deadline, f"{running} tasks are still running"
            time.sleep(0.05)


def test_the_log_says_once_why_a_client_is_not_asked(framework: Framework) -> None:
    """And that a client took too long."""
    command = [framework.python, "-W", "ignore", str(HERE / "server.py"), "--http", "--log"]
    environment = {**os.environ, "FRAMEWORK": framework.kind}
    for option, code in {"--json": "cannot_ask", "--stateless": "cannot_ask", "--wait=100": "wait_expired"}.items():
        started = subprocess.Popen([*command, option], stdout=PIPE, stderr=PIPE, text=True, env=environment)
        with started as server:
            assert server.stdout
            assert server.stderr
            with RawHttp(server.stdout.readline().strip()) as client:
                client.handshake()
                for _ in range(2):
                    client.text(client.call("where"))
            server.terminate()
            log = server.stderr.read()
        found = re.findall(r"\[(cannot_ask|wait_expired|event_failed)\]", log)
        assert set(found) == {code}, log
        # The server has two adapters, and the client makes two calls.
        assert len(found) <= 2, log
