"""Adapter for the official `mcp` package, 1.x and 2.x.

1.x::

    mcp = FastMCP("demo")
    rootwise = Rootwise()

    @mcp.tool()
    async def status() -> str:
        project = await rootwise.project()
        return project.name

2.x, where the parameter is filled in before the tool runs and stays out of its schema::

    mcp = MCPServer("demo", middleware=[Rootwise()])

    @mcp.tool()
    def status(project: Project) -> str:
        return project.name
"""

from __future__ import annotations

try:
    import mcp.server.mcpserver  # noqa: F401
except ImportError:
    from ._mcp1 import Project, ProjectToolError, Rootwise
else:
    from ._mcp2 import Project, ProjectToolError, Rootwise  # type: ignore[assignment]

__all__ = ["Project", "ProjectToolError", "Rootwise"]
