"""A guide that keeps categories for each project: `server.py [--preset mcp-guide-shipped] [--http PORT]`.

Runs on PrefectHQ's FastMCP 3, as mcp-guide does, and on the official SDK: 1.x, for which the ADR was written, and 2.x,
which serves clients of revision 2026-07-28 too.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

from rootwise import AnyProject, presets, resolve_at_start

try:
    from fastmcp import FastMCP

    from rootwise.fastmcp import ConnectionInfo, NoProjectError, Rootwise
except ImportError:
    from rootwise.mcp import ConnectionInfo, NoProjectError, Rootwise  # type: ignore[assignment]

    try:
        from mcp.server.mcpserver import MCPServer as FastMCP  # type: ignore[assignment]
    except ImportError:
        from mcp.server.fastmcp import FastMCP  # type: ignore[assignment]

parser = argparse.ArgumentParser(description="A guide that keeps categories for each project.")
parser.add_argument("--preset", choices=["mcp-guide", "mcp-guide-shipped"], default="mcp-guide")
parser.add_argument("--http", type=int, metavar="PORT", help="serve Streamable HTTP on this port of 127.0.0.1")
options = parser.parse_args()

logging.basicConfig(format="%(levelname)s %(message)s")
logger = logging.getLogger("guide")
for name in ("guide", "rootwise"):
    logging.getLogger(name).setLevel(logging.DEBUG)

policy = presets[options.preset]
# A client without connection state cannot switch projects, so it names the project in the call.
policy["sources"].insert(0, {"from": "argument", "format": "any", "verify": "none"})
unbound = policy["texts"].get("host.unbound", "none yet")


def called(project: AnyProject | None) -> str:
    return (project.uri or project.display_name) if project else unbound


async def changed(project: AnyProject | None, previous: AnyProject | None, connection: ConnectionInfo) -> None:
    if not connection.ended:
        logger.info("project: %s -> %s", called(previous), called(project))
    if previous is not None and connection.session is not None:
        # The framework's own session: the client of this connection reads other categories from now on.
        await connection.session.send_resource_list_changed()


rootwise = Rootwise(policy, require_path=False, host={"tool_argument": "project"}, on_change=changed)

# The official SDK 1.x has no middleware: there the tools call Rootwise themselves.
middleware: dict[str, Any] = {} if FastMCP.__module__.startswith("mcp.server.fastmcp") else {"middleware": [rootwise]}
mcp: Any = FastMCP("guide", **middleware)

#: Keyed by project id: two folders of the same name are two projects.
categories: defaultdict[str, list[str]] = defaultdict(list)


async def told(finding: Awaitable[AnyProject], work: Callable[[AnyProject], object]) -> str:
    """Returns the result for the model: the work done in the project, or the error and an instruction."""
    try:
        project = await finding
    except NoProjectError as error:
        failure = {"error": error.message, "error_type": error.code, "instruction": error.instruction}
        return json.dumps({"success": False, **{key: value for key, value in failure.items() if value}})
    return json.dumps(
        {"success": True, "project": project.name, "path": project.path or project.client_path, "value": work(project)}
    )


@mcp.tool()
async def category_list(project: str | None = None) -> str:
    """List the categories of the project."""
    return await told(rootwise.project(argument=project), lambda found: categories[found.id])


@mcp.tool()
async def category_add(category: str, project: str | None = None) -> str:
    """Add a category to the project."""
    return await told(rootwise.project(argument=project), lambda found: categories[found.id].append(category))


@mcp.tool(name="set_project" if options.preset == "mcp-guide-shipped" else "switch_project")
async def switch_project(project: str) -> str:
    """Work in this project from now on: a name, an absolute path or a file:// URI."""
    return await told(rootwise.select(project), lambda found: found.source)


@mcp.tool()
async def get_project() -> str:
    """The project as far as it is known, without asking the client."""
    session = rootwise.call().session
    return called(session and session.project)


async def project_name(context: Any = None) -> str | None:
    """The project of a context; without one the last known project, then that of PWD."""
    try:
        return (await rootwise.project(context)).name
    except NoProjectError:
        known = rootwise.current(context) or resolve_at_start(policy, require_path=False)
        return known.name if known else None


@mcp.resource("guide://categories")
async def read_categories() -> str:
    return await told(rootwise.project(), lambda found: categories[found.id])


@mcp.prompt()
async def guide() -> str:
    """How to work in the project."""
    return await told(rootwise.project(), lambda found: f"Work in {found.display_name}.")


if __name__ == "__main__":
    logger.info("starting; without a client the project is %s", called(resolve_at_start(policy, require_path=False)))
    if options.http is None:
        mcp.run()
    else:
        import uvicorn

        app = mcp.http_app() if hasattr(mcp, "http_app") else mcp.streamable_http_app()
        uvicorn.run(app, host="127.0.0.1", port=options.http, log_level="warning")
