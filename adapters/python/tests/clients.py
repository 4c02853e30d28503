"""Clients that answer when a test says so, and connections for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio

from rootwise import presets
from rootwise.driver import Connection

#: Milliseconds; a probe has no more time, also on a busy machine.
PATIENCE_OF_CALLERS = 1_000

HOST: Any = {"style": "posix", "transport": "stdio", "push": False}


def connection(wait: int = 20_000, **options: Any) -> Connection:
    policy = presets["recommended"]
    policy["timing"] = {"waitMs": wait, "lifeMs": 60_000}
    made = Connection(policy, host=HOST, **options)
    made.initialized({"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}})
    made.ready()
    return made


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
