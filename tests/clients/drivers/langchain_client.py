"""Calls a tool with langchain-mcp-adapters: langchain_client.py SERVER TOOL."""

import asyncio
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main(server: str, tool: str) -> None:
    client = MultiServerMCPClient({"notes": {"transport": "stdio", "command": server, "args": []}})
    tools = {each.name: each for each in await client.get_tools()}
    print(await tools[tool].ainvoke({}))


asyncio.run(main(*sys.argv[1:]))
