"""Calls a tool with mcp-use: mcp_use_client.py SERVER TOOL."""

import asyncio
import sys

from mcp_use import MCPClient


async def main(server: str, tool: str) -> None:
    client = MCPClient({"mcpServers": {"notes": {"command": server, "args": []}}})
    session = await client.create_session("notes")
    print(await session.call_tool(tool, {}))
    await client.close_all_sessions()


asyncio.run(main(*sys.argv[1:]))
