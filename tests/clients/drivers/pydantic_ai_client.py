"""Calls a tool with pydantic-ai: pydantic_ai_client.py SERVER TOOL."""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai.mcp import MCPToolset


async def main(server: str, tool: str) -> None:
    notes = MCPToolset(StdioTransport(server, []))
    async with notes:
        print(await notes.direct_call_tool(tool, {}))


asyncio.run(main(*sys.argv[1:]))
