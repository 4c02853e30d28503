"""Calls a server with the SDK client of this environment and prints what came back, as JSON.

client.py MODE WHERE TOOL... with MODE `legacy` or `modern`, WHERE a URL or `stdio PYTHON`; roots come from ROOTS.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio

SERVER = Path(__file__).with_name("server.py")
ROOTS = os.environ.get("ROOTS", "")
asked = 0


def result_of(result: Any) -> dict[str, Any]:
    failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
    return {"failed": bool(failed), "text": result.content[0].text}


def roots_of(types: Any) -> Any:
    async def roots(*_: Any) -> Any:
        global asked
        asked += 1
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in ROOTS.split()])

    return roots


async def first(where: list[str], tools: list[str]) -> list[Any]:
    """SDK 1.x."""
    from mcp import ClientSession, StdioServerParameters, stdio_client, types

    if where[0] == "stdio":
        opened: Any = stdio_client(StdioServerParameters(command=where[1], args=[str(SERVER)], env=dict(os.environ)))
    else:
        from mcp.client.streamable_http import streamablehttp_client

        opened = streamablehttp_client(where[0], headers=json.loads(os.environ.get("HEADERS", "{}")))
    async with opened as streams, ClientSession(streams[0], streams[1], list_roots_callback=roots_of(types)) as session:
        await session.initialize()
        return [result_of(await session.call_tool(tool, {})) for tool in tools]


async def second(mode: str, where: list[str], tools: list[str]) -> list[Any]:
    """SDK 2.x."""
    import mcp_types
    from mcp import Client, StdioServerParameters

    server: Any = where[0]
    if server == "stdio":
        server = StdioServerParameters(command=where[1], args=[str(SERVER)], env=dict(os.environ))
    negotiation: Any = "legacy" if mode == "legacy" else "2026-07-28"
    async with Client(server, mode=negotiation, list_roots_callback=roots_of(mcp_types)) as client:
        return [result_of(await client.call_tool(tool, {})) for tool in tools]


async def main() -> None:
    mode, kind, *rest = sys.argv[1:]
    where, tools = ([kind, rest[0]], rest[1:]) if kind == "stdio" else ([kind], rest)
    with anyio.fail_after(60):
        try:
            import mcp_types  # noqa: F401
        except ImportError:
            results = await first(where, tools)
        else:
            results = await second(mode, where, tools)
    print(json.dumps({"results": results, "asked": asked}))


anyio.run(main)
