"""Measures a tool call on one framework, with client and server in one process: `python calls.py mcp1 legacy 100`.

Prints the microseconds of processor time of a call in each round, by kind of server, as JSON. Servers take turns.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from python import FOLDER, server_of

CALLS = 20
FRAMEWORK, ERA = sys.argv[1], sys.argv[2]
ROUNDS = int(sys.argv[3])
MODERN = ERA == "modern"
KINDS = ["without", "equal", "known", "refreshed", *(["asking by result"] if MODERN else ["cached", "asking"])]

Call = Callable[[], Awaitable[Any]]


def connected(kind: str) -> Any:
    mcp = server_of(FRAMEWORK, kind)
    if FRAMEWORK.startswith("fastmcp"):
        from fastmcp import Client

        mode = {"mode": "2026-07-28" if MODERN else "legacy"} if FRAMEWORK == "fastmcp4" else {}
        return Client(mcp, roots=[FOLDER], **mode)
    if FRAMEWORK == "mcp1":
        from mcp.shared.memory import create_connected_server_and_client_session
        from mcp.types import ListRootsResult, Root
    else:
        from mcp import Client
        from mcp_types import ListRootsResult, Root

    async def list_roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FOLDER)])

    if FRAMEWORK == "mcp1":
        return create_connected_server_and_client_session(mcp._mcp_server, list_roots_callback=list_roots)
    return Client(mcp, list_roots_callback=list_roots, mode="2026-07-28" if MODERN else "legacy")


async def measured(call: Call) -> float:
    began = time.process_time()
    for _ in range(CALLS):
        await call()
    return (time.process_time() - began) / CALLS * 1e6


async def main() -> None:
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    async with AsyncExitStack() as stack:
        calls: dict[str, Call] = {}
        for kind in KINDS:
            client = await stack.enter_async_context(connected(kind))

            async def call(client: Any = client, kind: str = kind) -> None:
                result = await client.call_tool("where", {})
                if "share" not in str(result.content):
                    raise SystemExit(f"{FRAMEWORK}, {kind}: {result}")

            calls[kind] = call
            await call()
        for turn in range(-3, ROUNDS):
            for at in range(len(KINDS)):
                kind = KINDS[(turn + at) % len(KINDS)]
                each = await measured(calls[kind])
                if turn >= 0:
                    took[kind].append(each)
    print(json.dumps(took))


asyncio.run(main())
