"""Calls a tool with OpenAI Agents: openai_agents_client.py SERVER TOOL."""

import asyncio
import sys

from agents.mcp import MCPServerStdio


async def main(server: str, tool: str) -> None:
    params = {"command": server, "args": []}
    async with MCPServerStdio(params=params, client_session_timeout_seconds=30) as notes:
        await notes.list_tools()
        print(await notes.call_tool(tool, {}))


asyncio.run(main(*sys.argv[1:]))
