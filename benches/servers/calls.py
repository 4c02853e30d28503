"""Measures a tool call on one framework: `python calls.py mcp1 legacy 100`.

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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "rivals"))

from by_hand import Cached, first_folder

from rootwise import presets

CALLS = 20
FRAMEWORK, ERA = sys.argv[1], sys.argv[2]
ROUNDS = int(sys.argv[3])
MODERN = ERA == "modern"
KINDS = ["without", "equal", "known"] if MODERN else ["without", "equal", "known", "refreshed", "cached", "asking"]
FOLDER = "file:///usr/share"

OPTIONS: dict[str, Any] = {"local": True}
REFRESHED: dict[str, Any] = {**OPTIONS, "policy": {**presets["recommended"], "timing": {"maxAgeMs": 0}}}

Call = Callable[[], Awaitable[Any]]


def fastmcp(kind: str) -> Any:
    from fastmcp import Client, Context, FastMCP

    from rootwise.fastmcp import Rootwise, current_project

    knows = kind in ("known", "refreshed")
    middleware = [Rootwise(**(REFRESHED if kind == "refreshed" else OPTIONS))] if knows else []
    mcp = FastMCP("bench", middleware=middleware)
    cached = Cached()

    def asked(ctx: Context) -> Any:
        if hasattr(ctx, "list_roots"):
            return ctx.list_roots

        # FastMCP 4 leaves that to the session of the SDK.
        async def roots() -> list[Any]:
            return (await ctx.session.list_roots()).roots

        return roots

    if knows:

        @mcp.tool
        async def where() -> str:
            return (await current_project()).name

    elif kind == "cached":

        @mcp.tool
        async def where(ctx: Context) -> str:
            return (await cached.project(asked(ctx))).name

    elif kind == "asking":

        @mcp.tool
        async def where(ctx: Context) -> str:
            return (await first_folder(asked(ctx))).name

    else:

        @mcp.tool
        async def where() -> str:
            return "share"

    mode = {"mode": "2026-07-28" if MODERN else "legacy"} if FRAMEWORK == "fastmcp4" else {}
    return Client(mcp, roots=[FOLDER], **mode)


def mcp2(kind: str) -> Any:
    from mcp import Client
    from mcp.server.mcpserver import Context, MCPServer
    from mcp_types import ListRootsResult, Root

    from rootwise.mcp import Rootwise

    knows = kind in ("known", "refreshed")
    rootwise = Rootwise(**(REFRESHED if kind == "refreshed" else OPTIONS)) if knows else None
    mcp = MCPServer("bench", middleware=[rootwise] if rootwise else [])
    cached = Cached()

    def asked(ctx: Context) -> Any:
        async def roots() -> list[Any]:
            return (await ctx.session.list_roots()).roots

        return roots

    if rootwise:

        @mcp.tool()
        async def where() -> str:
            return (await rootwise.project()).name

    elif kind == "cached":

        @mcp.tool()
        async def where(ctx: Context) -> str:
            return (await cached.project(asked(ctx))).name

    elif kind == "asking":

        @mcp.tool()
        async def where(ctx: Context) -> str:
            return (await first_folder(asked(ctx))).name

    else:

        @mcp.tool()
        async def where() -> str:
            return "share"

    async def list_roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FOLDER)])

    return Client(mcp, list_roots_callback=list_roots, mode="2026-07-28" if MODERN else "legacy")


def mcp1(kind: str) -> Any:
    from mcp.server.fastmcp import Context, FastMCP
    from mcp.shared.memory import create_connected_server_and_client_session as connected
    from mcp.types import ListRootsResult, Root

    from rootwise.mcp import Rootwise

    mcp = FastMCP("bench")
    cached = Cached()

    def asked(ctx: Any) -> Any:
        async def roots() -> list[Any]:
            return (await ctx.session.list_roots()).roots

        return roots

    if kind in ("known", "refreshed"):
        rootwise = Rootwise(**(REFRESHED if kind == "refreshed" else OPTIONS))

        @mcp.tool()
        async def where() -> str:
            return (await rootwise.project()).name

        rootwise.attach(mcp)
    elif kind == "cached":

        @mcp.tool()
        async def where(ctx: Context) -> str:
            return (await cached.project(asked(ctx))).name

    elif kind == "asking":

        @mcp.tool()
        async def where(ctx: Context) -> str:
            return (await first_folder(asked(ctx))).name

    else:

        @mcp.tool()
        async def where() -> str:
            return "share"

    async def list_roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FOLDER)])

    return connected(mcp._mcp_server, list_roots_callback=list_roots)


async def measured(call: Call) -> float:
    began = time.process_time()
    for _ in range(CALLS):
        await call()
    return (time.process_time() - began) / CALLS * 1e6


async def main() -> None:
    make = {"mcp1": mcp1, "mcp2": mcp2}.get(FRAMEWORK, fastmcp)
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    async with AsyncExitStack() as stack:
        calls: dict[str, Call] = {}
        for kind in KINDS:
            client = await stack.enter_async_context(make(kind))

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
