"""One small server in whichever framework this environment has: `server.py [--http PORT]`. Its callers wait 400 ms."""

from __future__ import annotations

import os
import sys
from typing import Any

from rootwise import presets

policy = presets["recommended"]
policy["timing"] = {"waitMs": 400, "lifeMs": 2000}
options: dict[str, Any] = {"policy": policy, "local": True, "argument": "path", "host": {"cwd": "/", "env": {}}}

framework = os.environ["FRAMEWORK"]
runs: list[str] = []

if framework == "fastmcp":
    from fastmcp import FastMCP

    from rootwise.fastmcp import CurrentProject, Project, Rootwise, current_project

    rootwise = Rootwise(**options)
    mcp = FastMCP("demo", middleware=[rootwise])

    @mcp.tool
    def where(project: Project = CurrentProject()) -> str:
        return str(project.path)

    @mcp.tool
    async def where_awaited(path: str = "") -> str:
        return str((await current_project()).path)

elif framework == "mcp2":
    from mcp.server.mcpserver import MCPServer

    from rootwise.mcp import Project, Rootwise

    rootwise = Rootwise(**options)
    mcp = MCPServer("demo", middleware=[rootwise])

    @mcp.tool()
    def where(project: Project) -> str:
        return str(project.path)

    @mcp.tool()
    async def where_awaited(path: str = "") -> str:
        return str((await rootwise.project()).path)

else:
    from mcp.server.fastmcp import FastMCP

    from rootwise.mcp import Rootwise

    rootwise = Rootwise(**options)
    mcp = FastMCP("demo", port=int(sys.argv[2]) if len(sys.argv) > 2 else 0)

    @mcp.tool()
    async def where() -> str:
        return str((await rootwise.project()).path)

    @mcp.tool()
    async def where_awaited(path: str = "") -> str:
        return str((await rootwise.project(argument=path or None)).path)


def tool(function: Any) -> Any:
    return mcp.tool()(function)


@tool
async def swallowed() -> str:
    """A tool that catches everything must not turn a question into an answer."""
    try:
        return str((await rootwise.project()).path)
    except Exception as problem:
        return f"swallowed {type(problem).__name__} {getattr(problem, 'code', '')}"


@tool
async def counted() -> str:
    """What runs after the project is known runs once."""
    project = await rootwise.project()
    runs.append(str(project.path))
    return str(len(runs))


@tool
async def select(value: str) -> str:
    return str((await rootwise.select({"value": value})).path)


@tool
async def tasks() -> str:
    """How much of ours is still running."""
    from rootwise import _background

    return str(len(_background._tasks))


def serve() -> None:
    if len(sys.argv) > 2:
        extra: dict[str, Any] = {} if framework == "mcp1" else {"host": "127.0.0.1", "port": int(sys.argv[2])}
        if framework == "fastmcp":
            extra["show_banner"] = False
        mcp.run(transport="streamable-http", **extra)
    elif os.environ.get("BACKEND") == "trio":
        import anyio

        anyio.run(mcp.run_stdio_async, backend="trio")
    else:
        mcp.run(**({"show_banner": False} if framework == "fastmcp" else {}))


if __name__ == "__main__":
    serve()
