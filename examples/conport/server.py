"""A small ConPort: every workspace has a database of decisions, and Rootwise finds the workspace of a call."""

from __future__ import annotations

import argparse
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import database
from fastmcp import FastMCP
from fastmcp.dependencies import Depends
from fastmcp.exceptions import ToolError

from rootwise import host_facts, resolve_at_start
from rootwise.fastmcp import NoProjectError, Rootwise, current_project


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
    async def get_workspace_detection_info() -> str:
        return (await rootwise.explain())["text"]


TOOLS = {"conport": as_designed, "conport-shipped": as_shipped}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", choices=list(TOOLS), default="conport")
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=8000, help="port for http, on loopback only")
    # The plan uses the first spelling, the shipped version the second.
    spellings = ("workspace-id", "workspace_id")
    parser.add_argument(*(f"--{name}" for name in spellings), default="", help="initial workspace")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)

    known = host_facts(options.transport, policy=options.preset)
    known["local"] = True
    known["arguments"] = dict.fromkeys(spellings, options.workspace_id)
    # Logs the workspace before a client connects.
    resolve_at_start(options.preset, host=known)
    rootwise = Rootwise(options.preset, host=known, argument="workspace_id")
    mcp: FastMCP[Any] = FastMCP("ConPort", middleware=[rootwise], mask_error_details=True)
    TOOLS[options.preset](mcp, rootwise)
    if options.transport == "stdio":
        mcp.run(show_banner=False)
    else:
        mcp.run(transport="http", host="127.0.0.1", port=options.port, show_banner=False)


if __name__ == "__main__":
    main()
