"""Tests that users write: an in-memory client under pytest, with and without a fixed project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from frameworks import Framework

SERVERS = {
    "fastmcp": """
from fastmcp import Client, FastMCP
from rootwise.fastmcp import CurrentProject, Project, Rootwise

rootwise = Rootwise()
mcp = FastMCP("demo", middleware=[rootwise])

@mcp.tool
def where(project: Project = CurrentProject()) -> str:
    return str(project.path)

async def call():
    async with Client(mcp) as client:
        result = await client.call_tool("where", {}, raise_on_error=False)
        return result.is_error, result.content[0].text
""",
    "mcp2": """
from mcp import Client
from mcp.server.mcpserver import MCPServer
from rootwise.mcp import CurrentProject, Rootwise

rootwise = Rootwise()
mcp = MCPServer("demo", middleware=[rootwise])

@mcp.tool()
def where(project: CurrentProject) -> str:
    return str(project.path)

async def call():
    async with Client(mcp) as client:
        result = await client.call_tool("where", {})
        return bool(result.is_error), result.content[0].text
""",
    "mcp1": """
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session as connected
from rootwise.mcp import Rootwise

mcp = FastMCP("demo")
rootwise = Rootwise()

@mcp.tool()
async def where() -> str:
    return str((await rootwise.project()).path)

async def call():
    async with connected(mcp._mcp_server) as client:
        result = await client.call_tool("where", {})
        return result.isError, result.content[0].text
""",
}

TESTS = """
import anyio
import pytest
from rootwise import RootwiseError
from rootwise.testing import fixed_project
from server import call, rootwise

@pytest.fixture
def project(tmp_path):
    with fixed_project(tmp_path, name="fixed") as project:
        yield project

def test_the_working_directory_of_the_tests_is_not_picked_up():
    failed, text = anyio.run(call)
    assert failed
    assert "No project was found" in text

def test_a_fixed_project(project, tmp_path):
    assert project.name == "fixed"
    assert anyio.run(call) == (False, str(tmp_path))

def test_a_fixed_project_is_the_only_root(project, tmp_path):
    (tmp_path / "out").symlink_to(tmp_path.parent)
    assert anyio.run(rootwise.resolve, "new.txt") == str(tmp_path / "new.txt")
    assert not anyio.run(rootwise.inside, "out/new.txt")
    assert [root.path for root in anyio.run(rootwise.roots).usable] == [str(tmp_path)]

def test_a_fixed_project_is_explained_and_can_be_replaced(project, tmp_path):
    async def work():
        assert str(tmp_path) in (await rootwise.explain())["text"]
        for by in ({"path": str(tmp_path / "a")}, {"uri": (tmp_path / "a").as_uri()}):
            assert (await rootwise.select(**by)).path == str(tmp_path / "a")
            assert rootwise.current().path == str(tmp_path / "a")
            assert str(tmp_path / "a") in (await rootwise.explain())["text"]
        assert await rootwise.select("fixed") == project
        await rootwise.select(str(tmp_path / "a"))
        assert await rootwise.unselect() == await rootwise.project() == project
        with pytest.raises(RootwiseError):
            await rootwise.select("relative")

    anyio.run(work)

def test_it_ends_with_its_block():
    assert anyio.run(call)[0]
"""


def test_a_users_own_tests(framework: Framework, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "server.py").write_text(SERVERS[framework.kind])
    (tmp_path / "test_server.py").write_text(TESTS)
    command = [framework.python, "-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_server.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_everything_can_be_imported_at_once(framework: Framework) -> None:
    module = "fastmcp" if framework.kind == "fastmcp" else "mcp"
    code = f"from rootwise.{module} import *; print(Rootwise.__name__, 'CurrentProject' in globals())"
    done = subprocess.run([framework.python, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.stdout == f"Rootwise {framework.kind != 'mcp1'}\n", done.stderr


CACHED = """
import asyncio, logging
from fastmcp import Client, FastMCP
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from rootwise.fastmcp import CurrentProject, Project, Rootwise

logging.basicConfig(format="%(message)s")
cache = ResponseCachingMiddleware(call_tool_settings={"excluded_tools": ["excluded"]})
mcp = FastMCP("demo", middleware=[cache, Rootwise()])

@mcp.tool
def where(project: Project = CurrentProject()) -> str:
    return project.path

@mcp.tool
def excluded(project: Project = CurrentProject()) -> str:
    return project.path

@mcp.tool
def time() -> str:
    return "now"

@mcp.resource("project://info")
def info(project: Project = CurrentProject()) -> str:
    return project.path

async def main():
    async with Client(mcp, roots=["file:///usr/share"]) as client:
        for name in ("where", "where", "excluded", "time"):
            await client.call_tool(name, {})
        await client.read_resource("project://info")

asyncio.run(main())
"""


def test_a_cache_that_would_mix_projects_is_reported_once_for_each_result(framework: Framework) -> None:
    if framework.kind != "fastmcp":
        pytest.skip("only FastMCP has such a cache")
    done = subprocess.run([framework.python, "-W", "ignore", "-c", CACHED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "[cached_result]" in line]
    kept = [line.split(" keeps the result of ")[1].split(",")[0] for line in lines]
    assert kept == ["tools/call 'where'", "resources/read 'project://info'"], done.stderr


KNOWN = """
import asyncio, json
from rootwise import presets
from rootwise.driver import Driver

events = []
feed = Driver.feed

def counted(self, event, by=None):
    events.append(event["type"])
    feed(self, event, by)

Driver.feed = counted
# Fresh for as long as the test may take.
policy = {**presets["recommended"], "timing": {"maxAgeMs": 600_000}}
%s
async def where() -> str:
    return (await rootwise.project()).path

async def main():
    seen = []
    async with connected("file:///usr/share") as one, connected("file:///usr/lib") as two:
        for client in (one, one, one, two, two, two, one):
            events.clear()
            result = await client.call_tool("where", {})
            seen.append([result.content[0].text, len(events)])
    print(json.dumps(seen))

asyncio.run(main())
"""

KNOWING = {
    "mcp2": """
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import ListRootsResult, Root
from rootwise.mcp import Rootwise

rootwise = Rootwise(policy)
mcp = MCPServer("demo", middleware=[rootwise])

def connected(folder):
    async def roots(_context):
        return ListRootsResult(roots=[Root(uri=folder)])

    return Client(mcp, list_roots_callback=roots, mode="2026-07-28")

@mcp.tool()
""",
    "fastmcp": """
from fastmcp import Client, FastMCP
from rootwise.fastmcp import Rootwise

rootwise = Rootwise(policy)
mcp = FastMCP("demo", middleware=[rootwise])

def connected(folder):
    return Client(mcp, roots=[folder], mode="2026-07-28")

@mcp.tool
""",
}


@pytest.mark.only("modern")
def test_a_known_project_costs_a_call_no_event_and_each_client_has_its_own(framework: Framework) -> None:
    code = KNOWN % KNOWING[framework.kind]
    done = subprocess.run([framework.python, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    one, two = "/usr/share", "/usr/lib"
    assert [folder for folder, _ in seen] == [one, one, one, two, two, two, one], seen
    # The roots of the first call count for the second one, whose answer serves all that follow.
    assert [events > 0 for _, events in seen] == [True, True, False, True, True, False, False], seen
