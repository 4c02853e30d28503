"""Servers in every framework with one tool that names the project, in every kind that is compared.

`python python.py mcp1 stdio known` serves one of them; its tool `computed` says what the process computed.
"""

import socket
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "rivals"))

from by_hand import Cached, asking_by_result, first_folder

from rootwise import presets

FOLDER = "file:///usr/share"

OPTIONS: dict[str, Any] = {"local": True}
REFRESHED: dict[str, Any] = {**OPTIONS, "policy": {**presets["recommended"], "timing": {"maxAgeMs": 0}}}

#: What the kinds of servers do about the project; "without" and "equal" do nothing.
KNOWING = ("known", "refreshed")


def options(kind: str) -> dict[str, Any]:
    return REFRESHED if kind == "refreshed" else OPTIONS


def computed() -> str:
    return str(time.process_time() * 1e6)


def by_hand(kind: str, context: Any, roots_of: Callable[[Any], Callable[[], Awaitable[Any]]]) -> Any:
    """The tool of a server without Rootwise; the frameworks look for their context in the types of its parameters."""
    if kind == "cached":
        cached = Cached()

        async def where(ctx: context) -> str:
            return (await cached.project(roots_of(ctx))).name

    elif kind == "asking":

        async def where(ctx: context) -> str:
            return (await first_folder(roots_of(ctx))).name

    elif kind == "asking by result":

        async def where(ctx: context) -> Any:
            return await asking_by_result(ctx.input_responses)

    else:

        async def where() -> str:
            return "share"

    return where


def fastmcp(kind: str) -> Any:
    from fastmcp import Context, FastMCP

    from rootwise.fastmcp import Rootwise, current_project

    mcp = FastMCP("bench", middleware=[Rootwise(**options(kind))] if kind in KNOWING else [])

    def roots_of(ctx: Any) -> Any:
        if hasattr(ctx, "list_roots"):
            return ctx.list_roots

        # FastMCP 4 leaves that to the session of the SDK.
        async def roots() -> list[Any]:
            return (await ctx.session.list_roots()).roots

        return roots

    async def known() -> str:
        return (await current_project()).name

    mcp.tool(known if kind in KNOWING else by_hand(kind, Context, roots_of), name="where")
    mcp.tool(computed)
    return mcp


def session_roots(ctx: Any) -> Any:
    async def roots() -> list[Any]:
        return (await ctx.session.list_roots()).roots

    return roots


def mcp2(kind: str) -> Any:
    from mcp.server.mcpserver import Context, MCPServer

    from rootwise.mcp import Rootwise

    rootwise = Rootwise(**options(kind)) if kind in KNOWING else None
    mcp = MCPServer("bench", middleware=[rootwise] if rootwise else [])

    async def known() -> str:
        assert rootwise
        return (await rootwise.project()).name

    mcp.add_tool(known if rootwise else by_hand(kind, Context, session_roots), name="where")
    mcp.add_tool(computed)
    return mcp


def mcp1(kind: str) -> Any:
    from mcp.server.fastmcp import Context, FastMCP

    from rootwise.mcp import Rootwise

    mcp = FastMCP("bench")
    rootwise = Rootwise(**options(kind)) if kind in KNOWING else None

    async def known() -> str:
        assert rootwise
        return (await rootwise.project()).name

    mcp.add_tool(known if rootwise else by_hand(kind, Context, session_roots), name="where")
    mcp.add_tool(computed)
    if rootwise:
        rootwise.attach(mcp)
    return mcp


def server_of(framework: str, kind: str) -> Any:
    return {"mcp1": mcp1, "mcp2": mcp2}.get(framework, fastmcp)(kind)


def serve(framework: str, way: str, kind: str) -> None:
    mcp = server_of(framework, kind)
    is_fastmcp = framework.startswith("fastmcp")
    if way == "stdio":
        mcp.run(**({"show_banner": False} if is_fastmcp else {}))
        return
    import uvicorn

    app = mcp.http_app() if is_fastmcp else mcp.streamable_http_app()
    # Bound here, so that the system picks the port.
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    serve(*sys.argv[1:])
