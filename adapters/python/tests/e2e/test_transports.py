"""Who is behind a connection: the process's own streams, the same process, HTTP, or anybody."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import listening
from frameworks import Framework
from raw import Raw, RawSse

#: `folder` is the only root of the client; `where` and `which` are tools.
CLIENT = """
import json
import sys
import anyio
from pathlib import Path

folder = Path(sys.argv[1])
rootwise = Rootwise(**json.loads(sys.argv[2]))

async def results(client):
    found = [await client.call_tool(name, {}) for name in ("where", "which_project")]
    return [result.content[0].text for result in found]

async def in_memory():
    async with connected() as client:
        return await results(client)

async def over_streams():
    '''A transport of the server's own: all that the SDK sees are two streams.'''
    to_server, from_client = anyio.create_memory_object_stream(10)
    to_client, from_server = anyio.create_memory_object_stream(10)
    async with lifespan(), anyio.create_task_group() as group:
        group.start_soon(lambda: low.run(from_client, to_client, low.create_initialization_options()))
        async with ClientSession(from_server, to_server, list_roots_callback=roots) as client:
            await client.initialize()
            found = await results(client)
        group.cancel_scope.cancel()
        return found
"""

SERVERS = {
    "fastmcp": """
from fastmcp import Client, FastMCP
from mcp import ClientSession
from rootwise.fastmcp import Rootwise
try:
    from mcp_types import ListRootsResult
except ImportError:
    from mcp.types import ListRootsResult
CLIENT
mcp = FastMCP("demo", middleware=[rootwise])
low, lifespan = mcp._mcp_server, mcp._lifespan_manager

async def roots(_):
    return ListRootsResult.model_validate({"roots": [{"uri": folder.as_uri()}]})

def connected():
    return Client(mcp, roots=[folder.as_uri()])
""",
    "mcp2": """
import contextlib
from mcp import Client, ClientSession
from mcp.server.mcpserver import MCPServer
from mcp_types import ListRootsResult
from rootwise.mcp import Rootwise
CLIENT
mcp = MCPServer("demo", middleware=[rootwise])
low, lifespan = mcp._lowlevel_server, contextlib.AsyncExitStack

async def roots(_):
    return ListRootsResult.model_validate({"roots": [{"uri": folder.as_uri()}]})

def connected():
    return Client(mcp, list_roots_callback=roots)
""",
    "mcp1": """
import contextlib
from mcp import ClientSession
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import ListRootsResult
from rootwise.mcp import Rootwise
CLIENT
mcp = FastMCP("demo")
low, lifespan = mcp._mcp_server, contextlib.AsyncExitStack

async def roots(_):
    return ListRootsResult.model_validate({"roots": [{"uri": folder.as_uri()}]})

def connected():
    return create_connected_server_and_client_session(low, list_roots_callback=roots)
""",
}

TOOLS = """
@mcp.tool()
async def where() -> str:
    try:
        return str((await rootwise.project()).path)
    except Exception as problem:
        return problem.code

rootwise.register_tools(mcp)
print(json.dumps(anyio.run(globals()[sys.argv[3]])))
"""


def played(framework: Framework, folder: Path, how: str, **options: object) -> list[str]:
    script = SERVERS[framework.kind].replace("CLIENT", CLIENT) + TOOLS
    command = [framework.python, "-W", "ignore", "-c", script, str(folder), json.dumps(options), how]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("options", [[], ["--lowlevel"], ["--trio"]], ids=" ".join)
def test_the_client_that_started_the_process_is_local(
    framework: Framework, nursery: str, folders: list[Path], options: list[str]
) -> None:
    if not all(getattr(framework, option[2:]) for option in options):
        pytest.skip(f"{framework.name} does not run with {options}")
    with Raw(nursery, "--remote", *options) as client:
        client.handshake()
        call = client.call("where")
        client.roots(client.asked(), folders[0].as_uri())
        assert client.text(call) == (False, str(folders[0]))


@pytest.mark.only("modern")
def test_the_modern_client_that_started_the_process_is_local(nursery: str, folders: list[Path]) -> None:
    with Raw(nursery, "--remote") as client:
        ours = {"rootwise": {"roots": [{"uri": folders[0].as_uri()}]}}
        result = client.modern_call("where", ours)["result"]
        assert result["content"][0]["text"] == str(folders[0])


def test_a_client_in_the_same_process_is_local(framework: Framework, folders: list[Path]) -> None:
    where, which = played(framework, folders[0], "in_memory")
    assert where == str(folders[0])
    assert "stdio" not in which


def test_a_client_behind_a_transport_that_nobody_knows_is_remote(framework: Framework, folders: list[Path]) -> None:
    where, which = played(framework, folders[0], "over_streams")
    assert where == "other_machine", which
    assert "stdio" not in which
    assert played(framework, folders[0], "over_streams", local=True)[0] == str(folders[0])


def test_the_address_of_an_sse_stream_names_the_project_of_its_calls(nursery: str, folders: list[Path]) -> None:
    with listening(nursery, "--sse") as url:
        for folder in folders:
            with RawSse(f"{url}?project_path={folder}") as client:
                client.handshake({})
                assert client.text(client.call("where")) == (False, str(folder))
        with RawSse(url) as client:
            client.handshake({})
            assert client.text(client.call("where"))[0]


@pytest.mark.parametrize(("second", "counts"), [(0, True), (1, False)])
def test_a_repeated_header_counts_only_if_it_says_the_same(
    nursery: str, folders: list[Path], second: int, counts: bool
) -> None:
    with listening(nursery, "--sse") as url, RawSse(url) as client:
        client.handshake({})
        client.headers = [("X-Project-Path", str(folders[0])), ("x-project-path", str(folders[second]))]
        failed, text = client.text(client.call("where"))
        assert failed is not counts
        assert (text == str(folders[0])) is counts
