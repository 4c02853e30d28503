"""The roots that clients of every framework provide: to a server that listens, and to one on Rootwise over stdio."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from frameworks import Framework

HERE = Path(__file__).parent

#: How each framework makes a client, and a server in the same process that counts what it is told.
SIDES = {
    "fastmcp": """
import fastmcp
from fastmcp import Client, FastMCP
mcp = FastMCP("listener")
server = mcp._mcp_server
MODERN = fastmcp.__version__ >= "4"
LEGACY = {"mode": "legacy"} if MODERN else {}

def over_stdio(mode):
    from fastmcp.client.transports import StdioTransport
    modes = {"mode": mode} if MODERN else {}
    return Client(StdioTransport(*SERVER, env=ENV), **modes)

def in_memory():
    return Client(mcp, **LEGACY)

def text(result):
    return result.content[0].text
""",
    "mcp2": """
from mcp import Client, StdioServerParameters
from mcp.server import MCPServer
mcp = MCPServer("listener")
server = mcp._lowlevel_server

def over_stdio(mode):
    return Client(StdioServerParameters(command=SERVER[0], args=SERVER[1], env=ENV), mode=mode)

def in_memory():
    return Client(mcp, mode="legacy")

def text(result):
    return result.content[0].text
""",
    "mcp1": """
from contextlib import AsyncExitStack
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_client_server_memory_streams
mcp = FastMCP("listener")
server = mcp._mcp_server

class Connected:
    # A session needs its streams first.
    def __init__(self, streams):
        self.streams = streams
    def provide(self, folders):
        self.folders = folders
        return self
    async def __aenter__(self):
        self.stack = AsyncExitStack()
        read, write = await self.stack.enter_async_context(self.streams)
        session = ClientSession(read, write)
        self.roots = provide_roots(session, self.folders)
        await self.stack.enter_async_context(session)
        await session.initialize()
        self.call_tool = session.call_tool
        self.session = session
        return self
    async def __aexit__(self, *problem):
        await self.stack.aclose()
    async def update(self, folders):
        await self.roots.update(folders)
    @property
    def list(self):
        return self.roots.list

def over_stdio(mode):
    return Connected(stdio_client(StdioServerParameters(command=SERVER[0], args=SERVER[1], env=ENV)))

@__import__("contextlib").asynccontextmanager
async def memory():
    import anyio
    async with create_client_server_memory_streams() as (near, far), anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: server.run(*far, server.create_initialization_options()))
        yield near
        tasks.cancel_scope.cancel()

def in_memory():
    return Connected(memory())

def text(result):
    return result.content[0].text
""",
}

PROGRAM = """
import asyncio, json, os, sys
from rootwise import RootwiseError
from rootwise.client import provide_roots
SERVER = [sys.executable, ["-W", "ignore", {server!r}, "--age=100"]]
ENV = dict(os.environ, FRAMEWORK={kind!r})
ONE, OTHER = {folders!r}
{side}

def provided(client, folders):
    return client.provide(folders) if hasattr(client, "provide") else provide_roots(client, folders)
{test}
asyncio.run(main())
"""

STDIO = """
async def main():
    for mode in {modes!r}:
        client = over_stdio(mode)
        roots = provided(client, [ONE])
        async with client:
            async def where():
                return text(await client.call_tool("where", {{}}))
            assert await where() == ONE, await where()
            await roots.update([{{"uri": OTHER, "name": "other"}}, ONE])
            # In 2026-07-28 nobody tells the server of a change, and it may keep a list for a second.
            while mode != "legacy" and await where() == ONE:
                await asyncio.sleep(0.1)
            assert await where() == OTHER, await where()
            assert [root["name"] for root in roots.list] == ["other", os.path.basename(ONE)]
        await roots.update([ONE])
    print("done")
"""

LISTENER = """
async def main():
    told = []
    client = in_memory()
    roots = provided(client, [ONE])
    async with client:
        session = client.session
        send = session.send_roots_list_changed
        async def counted():
            await send()
            told.append(1)
        session.send_roots_list_changed = counted
        await roots.update([ONE])
        assert told == []
        await asyncio.gather(roots.update(["/a"]), roots.update(["/b"]), roots.update(["/c#", "/c#/"]))
        assert told == [1], told
        assert roots.list == ({"uri": "file:///c%23", "name": "c#"},), roots.list
        await asyncio.gather(roots.update([ONE]), roots.update(["/c#"]))
        assert told == [1], told
        for wrong in (["c"], ["/c", {"path": "/d"}], ["~/c"], "/c", [7], ["https://example.com"]):
            try:
                await roots.update(wrong)
            except RootwiseError as error:
                assert error.code == "bad_options" and "folders" in str(error), error
            else:
                raise AssertionError(wrong)
        assert told == [1], told
        async def fails():
            raise OSError("the wire is cut")
        session.send_roots_list_changed = fails
        await roots.update([OTHER])
        session.send_roots_list_changed = counted
        await roots.update([OTHER])
        assert told == [1, 1], told
        if client is not session and not hasattr(client, "provide"):
            for again in (client,):
                try:
                    provide_roots(again, [ONE])
                except RootwiseError as error:
                    assert "already" in str(error)
                else:
                    raise AssertionError("provided twice")
    await roots.update([ONE])
    assert told == [1, 1], told
    print("done")
"""

STRANGERS = """
async def main():
    for nobody in (None, 7, "client", object()):
        try:
            provide_roots(nobody, [ONE])
        except RootwiseError as error:
            assert "client" in str(error), error
        else:
            raise AssertionError(nobody)
    client = in_memory()
    if not hasattr(client, "provide"):
        async with client:
            try:
                provide_roots(client, [ONE])
            except RootwiseError as error:
                assert "connected already" in str(error), error
            else:
                raise AssertionError("connected")
    print("done")
"""


def run(framework: Framework, test: str, folders: list[Path], tmp_path: Path) -> None:
    program = PROGRAM.format(
        server=str(HERE / "server.py"),
        kind=framework.kind,
        folders=[str(folder) for folder in folders],
        side=SIDES[framework.kind],
        test=test,
    )
    (tmp_path / "program.py").write_text(program, "utf-8")
    done = subprocess.run(
        [framework.python, "-W", "ignore", "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "done\n", done.stdout + done.stderr


def test_a_server_on_rootwise_works_in_the_folders(framework: Framework, folders: list[Path], tmp_path: Path) -> None:
    modes = ["legacy", "auto"] if framework.modern else ["legacy"]
    run(framework, STDIO.format(modes=modes), folders, tmp_path)


@pytest.mark.parametrize("test", [LISTENER, STRANGERS], ids=["listener", "strangers"])
def test_a_server_is_told_once_of_each_change(
    framework: Framework, test: str, folders: list[Path], tmp_path: Path
) -> None:
    run(framework, test, folders, tmp_path)
