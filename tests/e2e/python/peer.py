"""The official Python client as a peer: plays scripts and prints the result of each.

The scripts are JSON: a list as its argument, or one in each line of its input. A script has the server (`command`,
`args`, `env`, `cwd`, or `url`), the `era`, the `roots` it answers with (a list of URIs, null for a client that declares
none, "refuse" or "silent"), the result with which its user answers a `form` (absent for a client that shows none), and
`steps`: a tool to `call`, how many `times` at once, or `roots` it has from then on.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio
import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SECOND = version("mcp").startswith("2.")
if SECOND:
    from mcp_types import ElicitResult, ErrorData, ListRootsResult, Root
else:
    from mcp.types import ElicitResult, ErrorData, ListRootsResult, Root


class Peer:
    def __init__(self, script):
        self.script = script
        self.roots = script["roots"]
        self.asked = 0
        self.forms = []

    async def elicit(self, _context, params):
        self.forms.append((params.requested_schema if SECOND else params.requestedSchema)["properties"])
        return ElicitResult(**self.script["form"])

    async def list_roots(self, _context):
        self.asked += 1
        if self.roots == "refuse":
            return ErrorData(code=-32601, message="Method not found")
        # Not validated, because other clients do not validate either.
        return ListRootsResult(roots=[Root.model_construct(uri=uri) for uri in self.roots])

    @asynccontextmanager
    async def transport(self):
        server = self.script["server"]
        url = server.get("url")
        async with streamable_http_client(url) if url else stdio_client(StdioServerParameters(**server)) as streams:
            if self.roots != "silent":
                yield streams
                return
            heard, hears = anyio.create_memory_object_stream(0)
            async with anyio.create_task_group() as group:
                group.start_soon(self.overhear, streams[0], heard)
                yield hears, *streams[1:]
                group.cancel_scope.cancel()

    async def overhear(self, source, heard):
        """Drops requests for roots: the client answers inside its read loop and would block it."""
        async for message in source:
            # Version 1.x wraps the message once more.
            wire = getattr(message, "message", message)
            if getattr(getattr(wire, "root", wire), "method", None) == "roots/list":
                self.asked += 1
            else:
                await heard.send(message)

    @asynccontextmanager
    async def connected(self):
        callbacks = {}
        if self.roots is not None:
            callbacks["list_roots_callback"] = self.list_roots
        if "form" in self.script:
            callbacks["elicitation_callback"] = self.elicit
        if SECOND:
            mode = "legacy" if self.script["era"] == "legacy" else "2026-07-28"
            async with mcp.Client(self.transport(), **callbacks, mode=mode) as client:
                yield client
            return
        async with self.transport() as streams, ClientSession(*streams[:2], **callbacks) as session:
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
        return {"results": results, "asked": self.asked, "forms": self.forms}


async def main():
    for script in json.loads(sys.argv[1]) if len(sys.argv) > 1 else map(json.loads, sys.stdin):
        try:
            outcome = await Peer(script).play()
        except Exception as error:  # Only the test of this script fails.
            outcome = {"error": repr(error)}
        print(json.dumps(outcome), flush=True)


asyncio.run(main())
