"""What the pipe shows to connections, and what it costs those who read from it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from rootwise._pipe import ObservedStream, Pipe


class Recorder:
    """Looks like a session."""

    def __init__(self, fails: bool = False) -> None:
        self.heard: list[Any] = []
        self.fails = fails

    def _hear(self, what: Any) -> None:
        self.heard.append(what)
        if self.fails:
            raise RuntimeError("the core is dead")

    def initialized(self, params: Any, number: Any = None, previous: Any = None) -> None:
        if number is None:
            self.heard.append("initialize")
        else:
            self._hear(f"initialize {number} after {previous}")

    def ready(self) -> None:
        self._hear("ready")

    def requested(self, number: Any, method: str) -> None:
        self._hear(number if method != "ping" else f"ping {number}")

    def input_closed(self) -> None:
        self._hear("closed")


def arrived(pipe: Pipe, *messages: Any) -> None:
    """Numbers are requests, texts are methods with or without a number."""
    for message in messages:
        method, _, number = ("tools/list", "", message) if isinstance(message, int) else message.partition(" ")
        fields = {"id": int(number)} if number != "" else {}
        pipe.received(SimpleNamespace(message=SimpleNamespace(method=method, params={}, **fields)))


READY = "notifications/initialized"


def test_nothing_is_reported_before_a_second_handshake() -> None:
    pipe, connection = Pipe(), Recorder()
    arrived(pipe, "initialize 0", READY, 1)
    pipe.join(connection, {})  # type: ignore[arg-type]
    arrived(pipe, *range(2, 100), READY)
    assert connection.heard == ["initialize", "ready"]


def test_connections_hear_the_same_before_and_after_the_first_call() -> None:
    early, late, pipe = Recorder(), Recorder(), Pipe()
    arrived(pipe, "initialize 0", READY, 1, "ping 2")
    pipe.join(early, {})  # type: ignore[arg-type]
    arrived(pipe, "initialize 0", "ping 1", READY, 2, "ping 3")
    pipe.join(late, {})  # type: ignore[arg-type]
    arrived(pipe, 4)
    assert early.heard == ["initialize", "ready", "initialize 0 after 2", "ping 1", "ready", 2, "ping 3", 4]
    assert late.heard == early.heard
    arrived(pipe, "initialize 0", READY)
    assert early.heard[-3:] == [4, "initialize 0 after 4", "ready"]
    pipe.ended()
    assert early.heard[-1] == "closed"


def test_little_is_kept_for_connections_that_come_late() -> None:
    late, pipe = Recorder(), Pipe()
    arrived(pipe, "initialize 0", READY, "initialize 0", READY, *range(1, 1_000))
    pipe.join(late, {})  # type: ignore[arg-type]
    *first, last = late.heard
    assert last == 999
    assert len(first) < 80
    # The ids go on without a gap.
    number = int(late.heard[2].split()[1])
    assert late.heard[3:] == ["ready", *range(number + 1, 1_000)]


def test_a_connection_that_fails_takes_nothing_from_others_or_from_the_server() -> None:
    pipe, connections = Pipe(), [Recorder(fails=True), Recorder(), Recorder(fails=True)]
    arrived(pipe, "initialize 0")
    for connection in connections:
        pipe.join(connection, {})  # type: ignore[arg-type]
    arrived(pipe, "initialize 5", 6)
    assert [connection.heard for connection in connections] == [["initialize", "initialize 5 after 0", 6]] * 3


def test_a_message_that_cannot_be_observed_reaches_the_server() -> None:
    class Bad:
        @property
        def message(self) -> Any:
            raise RuntimeError("no message")

    class Stream:
        last_context = "context"

        def __init__(self) -> None:
            self.items: list[Any] = [ValueError("not JSON"), Bad(), Bad()]

        async def receive(self) -> Any:
            return self.items.pop(0)

        async def __anext__(self) -> Any:
            if not self.items:
                raise StopAsyncIteration
            return self.items.pop(0)

        async def __aenter__(self) -> Stream:
            return self

        async def __aexit__(self, *_: Any) -> None:
            self.items.append("closed")

    async def run() -> list[Any]:
        stream = Stream()
        expected = list(stream.items)
        async with ObservedStream(stream, Pipe()) as observed:
            assert observed.last_context == "context"
            assert [await observed.receive(), *[item async for item in observed]] == expected
        return stream.items

    assert asyncio.run(run()) == ["closed"]
