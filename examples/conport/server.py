"""A small ConPort: every workspace has a database of decisions, and Rootwise finds the workspace of a call."""

from __future__ import annotations

import argparse
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import database
import uvicorn
from fastmcp import FastMCP
from fastmcp.dependencies import Depends
from fastmcp.exceptions import ToolError

from rootwise import host_facts, presets, resolve_at_start
from rootwise.fastmcp import NoProjectError, Rootwise, current_project
from rootwise.types import Policy

#: The option of the plan, and that of the shipped version.
SPELLINGS = ("workspace-id", "workspace_id")


@dataclass(frozen=True)
class Workspace:
    path: str
    database: Path


async def workspace_of_the_call() -> Workspace:
    try:
        path = (await current_project()).path or ""
        return Workspace(path, database.database_path(path))
    except NoProjectError as error:
        # The texts about a selected workspace already begin with this word.
        reason = error.message.removeprefix("Error: ")
    except ValueError as error:
        reason = str(error)
    raise ToolError(database.TEXTS["host.error"].format(message=reason))


CurrentWorkspace: Workspace = Depends(workspace_of_the_call)


def record(workspace: Workspace, summary: str) -> str:
    database.log_decision(workspace.database, summary)
    return database.TEXTS["host.operated"].format(path=workspace.path)


def as_designed(mcp: FastMCP[Any], rootwise: Rootwise) -> None:
    """The tools of the plan: a workspace is set once, and no call names it."""

    @mcp.tool
    def log_decision(summary: str, workspace: Workspace = CurrentWorkspace) -> str:
        return record(workspace, summary)

    @mcp.tool
    def get_decisions(workspace: Workspace = CurrentWorkspace) -> list[str]:
        return database.get_decisions(workspace.database)

    @mcp.tool
    async def set_workspace_id(workspace_uri: str) -> str:
        project = await rootwise.select(uri=workspace_uri)
        return database.TEXTS["selected"].format(path=project.path)


def as_shipped(mcp: FastMCP[Any], rootwise: Rootwise) -> None:
    """The tools of ConPort 0.3: Rootwise reads the workspace from the call, or finds it if the call names none."""

    @mcp.tool
    def log_decision(summary: str, workspace_id: str | None = None, workspace: Workspace = CurrentWorkspace) -> str:
        return record(workspace, summary)

    @mcp.tool
    def get_decisions(workspace_id: str | None = None, workspace: Workspace = CurrentWorkspace) -> list[str]:
        return database.get_decisions(workspace.database)

    @mcp.tool
    async def get_workspace_detection_info() -> dict[str, Any]:
        """Tells how the workspace was found."""
        explanation = await rootwise.explain()
        try:
            workspace = (await rootwise.project()).path
        except NoProjectError:
            workspace = None
        return database.detection_info(workspace, explanation)


TOOLS = {"conport": as_designed, "conport-shipped": as_shipped}


def at_start(policy: Policy, options: argparse.Namespace) -> dict[str, Any]:
    """Logs the workspace before a client connects, and returns what the server knows better than its process."""
    known = host_facts("stdio" if options.transport == "stdio" else "http", policy=policy)
    known["local"] = True
    known["arguments"] = dict.fromkeys(SPELLINGS, options.workspace_id)
    if options.workspace_search_start:
        known["cwd"] = str(options.workspace_search_start.resolve())
    started = resolve_at_start(policy, host=known)
    if options.preset == "conport":
        # What the command line named counts from now on, even if it disappears; what was not accepted never counts.
        accepted = started is not None and started.source == "configured"
        known["arguments"] = {"workspace": str(started.path)} if started and accepted else {}
    return {name: value for name, value in known.items() if name in ("local", "arguments", "cwd")}


def web(mcp: FastMCP[Any]) -> Any:
    """The application that ConPort serves: SSE at /mcp/sse, under FastAPI."""
    from fastapi import FastAPI

    sse = mcp.http_app(transport="sse")
    app = FastAPI(title="ConPort", lifespan=sse.router.lifespan_context)
    app.mount("/mcp", sse)
    return app


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", choices=list(TOOLS), default="conport")
    parser.add_argument("--transport", choices=["stdio", "http", "sse"], default="stdio")
    parser.add_argument("--port", type=int, default=8000, help="port for http and sse, on loopback only")
    parser.add_argument("--workspace-search-start", type=Path, help="where the search begins, in place of the cwd")
    parser.add_argument("--no-auto-detect", dest="auto_detect", action="store_false", help="search nowhere")
    parser.add_argument(*(f"--{name}" for name in SPELLINGS), default="", help="initial workspace")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)

    policy = presets[options.preset]
    if not options.auto_detect:
        policy["sources"] = [source for source in policy["sources"] if source["from"] not in ("env", "cwd")]
    # As shipped, every tool takes the workspace as an argument; as designed, none does.
    argument = "workspace_id" if options.preset == "conport-shipped" else None
    rootwise = Rootwise(policy, host=at_start(policy, options), argument=argument)
    mcp: FastMCP[Any] = FastMCP("ConPort", middleware=[rootwise], mask_error_details=True)
    TOOLS[options.preset](mcp, rootwise)
    if options.transport == "stdio":
        mcp.run(show_banner=False)
    elif options.transport == "sse":
        uvicorn.run(web(mcp), host="127.0.0.1", port=options.port, log_level="warning", timeout_graceful_shutdown=2)
    else:
        mcp.run(transport="http", host="127.0.0.1", port=options.port, show_banner=False)


if __name__ == "__main__":
    main()
