"""The official Python client as a peer: reads scripts as JSON from its argument, plays them, prints what came of each.

A script has the server (`command`, `args`, `env`, `cwd`, or `url`), the `era`, the `roots` it answers with (a list of
URIs, null for a client that declares none, or "refuse") and `steps`: a tool to `call`, how many `times` at once, or
`roots` it has from then on.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SECOND = version("mcp").startswith("2.")
if SECOND:
    from mcp_types import ErrorData, ListRootsResult, Root
else:
    from mcp.types import ErrorData, ListRootsResult, Root


class Peer:
    def __init__(self, script):
        self.script = script
        self.roots = script["roots"]
        self.asked = 0

    async def list_roots(self, _context):
        self.asked += 1
        if self.roots == "refuse":
            return ErrorData(code=-32601, message="Method not found")
        return ListRootsResult(roots=[Root(uri=uri) for uri in self.roots])

    @asynccontextmanager
    async def connected(self):
        callback = None if self.roots is None else self.list_roots
        server = self.script["server"]
        url = server.get("url")
        target = url or StdioServerParameters(**server)
        if SECOND:
            mode = "legacy" if self.script["era"] == "legacy" else "2026-07-28"
            async with mcp.Client(target, list_roots_callback=callback, mode=mode) as client:
                yield client
            return
        async with streamable_http_client(url) if url else stdio_client(target) as streams:
            async with ClientSession(*streams[:2], list_roots_callback=callback) as session:
                await session.initialize()
                yield session

    async def call(self, client, name):
        result = await client.call_tool(name, {})
        failed = result.is_error if SECOND else result.isError
        return {"text": "\n".join(part.text for part in result.content), "failed": bool(failed)}

    async def play(self):
        results = []
        async with self.connected() as client:
            for step in self.script["steps"]:
                if "roots" in step:
                    self.roots = step["roots"]
                    await client.send_roots_list_changed()
                else:
                    calls = [self.call(client, step["call"]) for _ in range(step.get("times", 1))]
                    results.append(await asyncio.gather(*calls))
        return {"results": results, "asked": self.asked}


async def main():
    for script in json.loads(sys.argv[1]):
        try:
            outcome = await Peer(script).play()
        except Exception as error:  # The test that the script belongs to fails with it; the others go on.
            outcome = {"error": repr(error)}
        print(json.dumps(outcome), flush=True)


asyncio.run(main())
