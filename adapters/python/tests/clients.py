"""Clients that answer when a test says so, and connections for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio

from rootwise import NoProjectError, presets
from rootwise._project import AnyProject, project_of
from rootwise.driver import Call, Driver
from rootwise.types import Answer

#: Milliseconds; a probe has no more time, also on a busy machine.
PATIENCE_OF_CALLERS = 1_000

HOST: Any = {"style": "posix", "push": False}


class Connection:
    """A client's session, in which every ask is a call of its own."""

    def __init__(
        self,
        policy: Any = None,
        host: Any = HOST,
        transport: Any = "stdio",
        capabilities: Any = {"roots": {}},  # noqa: B006
        **listeners: Any,
    ) -> None:
        self.driver = Driver(policy, host=host, **listeners)
        self.session = self.driver.open(transport, local=True)
        if capabilities is not None:
            self.session.initialized({"protocolVersion": "2025-06-18", "capabilities": capabilities})
            self.session.ready()

    @property
    def project(self) -> AnyProject | None:
        return self.session.project

    async def answer(self, sender: Any = None, kind: str = "asked", **more: Any) -> Answer:
        call, cancelled = Call(self.driver, {}, self.session, sender), False
        try:
            return await call.ask(kind, **more)
        except anyio.get_cancelled_exc_class():
            cancelled = True
            raise
        finally:
            call.end(cancelled)

    async def ask(self, sender: Any = None, **more: Any) -> AnyProject:
        answer: Any = await self.answer(sender, **more)
        if "project" not in answer:
            raise NoProjectError.from_answer(answer)
        found = project_of(answer["project"], answer.get("explanation"))
        assert found is not None
        return found

    def close(self) -> None:
        self.session.close()


def connection(wait: int = 20_000, **options: Any) -> Connection:
    policy = presets["recommended"]
    policy["timing"] = {"callerTimeoutMs": wait, "requestTimeoutMs": 60_000}
    return Connection(policy, **options)


class Peer:
    """A client that answers when the test says so."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.asked = 0
        self.cancelled = 0
        self.may_answer = anyio.Event()

    async def send(self, request: Any, /) -> Any:
        self.asked += 1
        try:
            await self.may_answer.wait()
        except anyio.get_cancelled_exc_class():
            self.cancelled += 1
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def roots(*folders: Path) -> Any:
    return {"roots": [{"uri": folder.as_uri()} for folder in folders]}


async def settled(condition: Any) -> None:
    with anyio.fail_after(20):
        while not condition():
            await anyio.sleep(0.001)
