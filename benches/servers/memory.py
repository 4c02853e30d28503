"""`python memory.py COUNT CHURN`: as memory.mjs, for sessions of one driver."""

import gc
import json
import sys
from collections import deque
from pathlib import Path
from typing import Any

import anyio

from rootwise import host_facts
from rootwise.driver import Driver

COUNT, CHURN = int(sys.argv[1]), int(sys.argv[2])
PARAMS = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Client:
    async def send(self, _request: Any, /) -> Any:
        return {"roots": [{"uri": "file:///usr/share"}]}


def resident() -> int:
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


async def opened(driver: Driver) -> Any:
    session = driver.open("stdio", sender=Client())
    session.initialized(PARAMS)
    session.ready()
    answer = await session.ask()
    assert answer["outcome"] == "resolved", answer
    return session


async def main() -> None:
    driver = Driver(host=host_facts())
    sessions = deque([await opened(driver) for _ in range(200)])
    before = resident()
    for _ in range(COUNT):
        sessions.append(await opened(driver))
    each = (resident() - before) // COUNT
    after = []
    for _ in range(10):
        for _ in range(CHURN // 10):
            sessions.popleft().close()
            sessions.append(await opened(driver))
        after.append(resident())
    print(json.dumps({"bytesEach": each, "resident": after}))
    for session in sessions:
        session.close()


anyio.run(main)
