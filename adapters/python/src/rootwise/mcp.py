"""Adapter for the official `mcp` package, 1.x and 2.x.

2.x fills in the parameter before the tool runs and keeps it out of the tool's schema::

    mcp = MCPServer("demo", middleware=[Rootwise()])

    @mcp.tool()
    def status(project: CurrentProject) -> str:
        return project.name

1.x::

    mcp = FastMCP("demo")
    rootwise = Rootwise()

    @mcp.tool()
    async def status() -> str:
        project = await rootwise.project()
        return project.name

On both, :meth:`Rootwise.inject` fills in a parameter of a tool, a resource or a prompt.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, overload

from ._needs import needed

if find_spec("mcp") is None:
    raise needed("rootwise.mcp", "mcp", "1.23")

from ._error import NoProjectError
from ._listeners import ConnectionInfo
from ._project import AnyProject, P, Project, RootRef
from ._roots import RootEntry, Roots

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import Unpack

    from ._adapter import Adapter, Options
    from .types import Policy

    class SdkRootwise(Adapter[P]):
        def attach_to(self, server: Any) -> None: ...
        async def serve(self, ctx: Any, call_next: Any) -> Any: ...

    CurrentProject: TypeAlias = Project
elif find_spec("mcp.server.mcpserver") is not None:
    from ._mcp2 import CurrentProject, SdkRootwise
else:
    from ._mcp1 import SdkRootwise

__all__ = [
    "AnyProject",
    "ConnectionInfo",
    "NoProjectError",
    "Project",
    "RootEntry",
    "RootRef",
    "Roots",
    "Rootwise",
]
if TYPE_CHECKING or "CurrentProject" in globals():
    __all__ += ["CurrentProject"]


class Rootwise(SdkRootwise[P]):
    """Finds the project of a call.

    On 2.x it is a middleware: ``MCPServer("demo", middleware=[Rootwise()])``. On 1.x the tools call it.
    """

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: Rootwise[Project],
            policy: str | Policy | None = None,
            *,
            require_path: Literal[True] | None = None,
            **options: Unpack[Options[Project]],
        ) -> None: ...
        @overload
        def __init__(
            self: Rootwise[AnyProject],
            policy: str | Policy | None = None,
            *,
            require_path: Literal[False],
            **options: Unpack[Options[AnyProject]],
        ) -> None: ...
        def __init__(self, policy: str | Policy | None = None, **options: Any) -> None: ...

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        """Serves one message, as the SDK 2.x asks its middleware to."""
        return await self.serve(ctx, call_next)

    def attach(self, server: Any) -> Rootwise[P]:
        """Connects a server of the SDK 1.x, which has no middleware, before a client's first call.

        It then hears of changes of the roots from the beginning, and declares the capability of ``codex_meta``.
        """
        self.attach_to(server)
        return self


def __getattr__(name: str) -> Any:
    if name == "CurrentProject":
        raise ImportError("CurrentProject needs mcp 2.x; on 1.x decorate the tool with `rootwise.inject`")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
