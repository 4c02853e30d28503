"""The reason for a missing project reaches whoever reads the result, and the log has no traceback for it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from frameworks import Framework
from raw import Raw

REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *(("tools/call", {"name": name, "arguments": {}}) for name in ("where", "where_awaited")),
    *(("resources/read", {"uri": uri}) for uri in ("project://info", "project://injected", "project://info/1")),
    *(("prompts/get", {"name": name}) for name in ("brief", "injected_brief")),
]


def is_reason(reply: dict[str, Any]) -> bool:
    text = json.dumps(reply.get("result") or reply["error"])
    # The instruction depends on the client; it is the second line.
    return "No project was found: the client declares no roots" in text and "\\n" in text


def test_the_reason_reaches_the_model_in_tools_resources_and_prompts(nursery: str) -> None:
    with Raw(nursery, "--log") as raw:
        raw.handshake(capabilities={})
        for method, params in REQUESTS:
            reply = raw.result(raw.request(method, **params))
            assert is_reason(reply), (params, reply)
    assert "Traceback" not in raw.log(), raw.log()


@pytest.mark.only("modern")
def test_the_reason_reaches_the_model_in_modern_calls(nursery: str) -> None:
    with Raw(nursery, "--log") as raw:
        for method, params in REQUESTS:
            reply = raw.modern(method, roots=False, **params)
            assert is_reason(reply), (params, reply)
    assert "Traceback" not in raw.log(), raw.log()


def test_an_error_of_the_server_about_a_missing_project_keeps_its_text(nursery: str) -> None:
    with Raw(nursery) as raw:
        raw.handshake(capabilities={})
        failed, text = raw.text(raw.call("replaced"))
        assert failed
        assert "words of the server" in text
        assert "No project was found" not in text


def test_another_failure_keeps_its_traceback(nursery: str) -> None:
    with Raw(nursery, "--log") as raw:
        raw.handshake(capabilities={})
        raw.result(raw.request("prompts/get", name="broken"))
    assert "Traceback" in raw.log()
    assert "broken on purpose" in raw.log()


TASKS = """
import asyncio, inspect
from fastmcp import Client, FastMCP
from rootwise.fastmcp import CurrentProject, Project, Rootwise, current_project

mcp = FastMCP("demo", middleware=[Rootwise()])
try:
    from fastmcp_tasks import TasksExtension
except ImportError:
    pass
else:
    mcp.add_extension(TasksExtension())

@mcp.tool(task=True)
async def awaited() -> str:
    return (await current_project()).path

@mcp.tool(task=True)
async def injected(project: Project = CurrentProject()) -> str:
    return project.path

async def main():
    async with Client(mcp) as client:
        # FastMCP 4 decides itself what runs in the background.
        asked = {"task": True} if "task" in inspect.signature(client.call_tool).parameters else {}
        for name in ("awaited", "injected"):
            try:
                begun = await client.call_tool(name, {}, **asked)
                print(await begun.result() if asked else begun)
            except Exception as problem:
                print(name, problem)

asyncio.run(main())
"""


@pytest.mark.only("tasks")
def test_a_background_task_says_why_it_has_no_project(framework: Framework, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(TASKS)
    done = subprocess.run(
        [framework.python, "-W", "ignore", "server.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if "background task runs outside" in line]
    assert [line.split()[0] for line in said] == ["awaited", "injected"], done.stdout
    assert "Traceback" not in done.stderr, done.stderr
