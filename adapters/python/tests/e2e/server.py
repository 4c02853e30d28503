"""One small server in whichever framework this environment has.

It serves over stdio, perhaps with `--trio` or `--lowlevel`, or with `--http`, perhaps with `--sse`, `--stateless` or
`--json`, and then prints where. Its callers wait, its questions live and its lists count longer than any test lasts,
unless `--wait=`, `--life=` and `--age=` name milliseconds. `--remote`, `--any`, `--allowed=`, `--callers=`,
`--caller`, `--replicas`, `--declare`, `--argument=`, `--elicit=` and `--identity=` are options of Rootwise;
`--environment` lets it read the variables of its process, and `--watch=` records what is checked below a folder.
"""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import gc
import json
import logging
import os
import socket
import sys
import threading
from typing import Annotated, Any

import anyio
import anyio.lowlevel
from pydantic import Field

from rootwise import AnyProject, NoProjectError, presets

options: dict[str, Any] = {"local": True, "argument": "path", "host": {"cwd": "/", "env": {}}}

framework = os.environ["FRAMEWORK"]
runs: list[str] = []
#: Methods that failed, as a middleware inside Rootwise sees it.
failures: list[str] = []
#: What `on_roots_change` was told.
lists: list[Any] = []
#: What `on_change` was told.
changes: list[str] = []
#: The connections that it was told with the changes.
sessions: list[Any] = []
#: How the questions of jobs ended that outlived their calls.
jobs: list[str] = []
kept: list[Any] = []
job_may_ask = anyio.Event()
#: Lets three plain functions go on as soon as they all run.
three = threading.Barrier(3)
#: Paths on the disk that something checked.
touched: list[str] = []


def spawn(work: Any) -> None:
    """Starts a task that keeps the context of the call it began in, as one in the server's lifespan does."""
    kept.append(asyncio.get_running_loop().create_task(work()))


def changed(project: Any, previous: Any, connection: Any) -> None:
    paths = [one.path if one else None for one in (project, previous)]
    shared = f" {connection.shared}" if connection.shared else ""
    changes.append(f"{connection.client} {paths[0]} {paths[1]}{' ended' if connection.ended else ''}{shared}")
    sessions.append(connection)


def roots_changed(roots: Any, previous: Any) -> None:
    lists.append([one and [root.real_path for root in one.usable] for one in (roots, previous)])


options["on_change"] = changed
options["on_roots_change"] = roots_changed

if framework == "fastmcp":
    from fastmcp import FastMCP
    from fastmcp.exceptions import ToolError
    from fastmcp.server.middleware import Middleware

    from rootwise.fastmcp import CurrentProject, Project, Rootwise, current_project

    class Counting(Middleware):
        """Counts the failures that a user's own middleware sees."""

        async def on_request(self, context: Any, call_next: Any) -> Any:
            try:
                return await call_next(context)
            except Exception:
                failures.append(context.method)
                raise

    rootwise = Rootwise(**options)
    mcp = FastMCP("demo", middleware=[rootwise, Counting()])
    second = Rootwise(**options)
    child = FastMCP("child", middleware=[second])

    @child.tool
    def where_second(project: Project = CurrentProject()) -> str:
        return str(project.path)

    mcp.mount(child)

    @mcp.tool
    def where(project: Project = CurrentProject()) -> str:
        return str(project.path)

    @mcp.tool
    async def where_awaited(path: str = "") -> str:
        return str((await current_project()).path)

elif framework == "mcp2":
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    from rootwise.mcp import CurrentProject, Rootwise

    rootwise, second = Rootwise(**options), Rootwise(**options)

    async def counting(ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next(ctx)
        except Exception:
            failures.append(ctx.method)
            raise

    mcp = MCPServer("demo", middleware=[second, rootwise, counting])

    @mcp.tool()
    async def where_second() -> str:
        return str((await second.project()).path)

    @mcp.tool()
    def where(project: CurrentProject) -> str:
        return str(project.path)

    @mcp.tool()
    async def where_awaited(path: str = "") -> str:
        return str((await rootwise.project()).path)

else:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    from rootwise.mcp import Rootwise

    del options["argument"]
    rootwise, second = Rootwise(**options), Rootwise(**options)
    mcp = FastMCP("demo")

    @mcp.tool()
    async def where_second() -> str:
        return str((await second.project()).path)

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
    """Code after the project is known runs once."""
    project = await rootwise.project()
    runs.append(str(project.path))
    return str(len(runs))


@tool
async def select(value: str) -> str:
    return str((await rootwise.select(value)).path)


@tool
async def unselect() -> str:
    project = await rootwise.unselect()
    return str(project and project.path)


@tool
async def known() -> str:
    project = rootwise.current()
    return str(project and project.path)


@tool
def known_in_plain_function() -> str:
    """FastMCP runs a function that is not async in a thread."""
    project = rootwise.current()
    return str(project and project.path)


@tool
async def explained() -> str:
    return (await rootwise.explain())["text"]


@tool
async def listed(path: str = "") -> str:
    roots = await rootwise.roots()
    inside = roots.containing(path) if path else None
    found = [[root.path or root.client_path, root.real_path, root.problem] for root in roots.roots]
    return json.dumps([*found, inside and inside.uri])


@tool
async def resolved_path(path: str) -> str:
    try:
        real = await rootwise.resolve(path)
    except Exception as problem:
        return f"{await rootwise.inside(path)} {problem}"
    return f"{await rootwise.inside(path)} {real}"


@tool
async def resolved_file(file: str) -> str:
    return await rootwise.resolve_file(file)


@tool
async def repository(file: str) -> str:
    project = await rootwise.project(target=file)
    found = [one and dataclasses.asdict(one) for one in (project.repository, project.package)]
    return json.dumps([project.path, project.key, *found])


@tool
async def count(what: str) -> str:
    return json.dumps(
        {"failures": failures, "changes": changes, "roots": lists, "touched": touched, "jobs": jobs}[what]
    )


@tool
async def seen_outside() -> str:
    """What code outside of calls sees of the connection that changed last."""
    connection, seen = sessions[-1], []

    async def look() -> None:
        seen.append(hasattr(connection.session, "send_resource_updated"))
        for known in (rootwise.current(connection), rootwise.current(connection.session), rootwise.current()):
            seen.append(known and known.path)
        seen.append((await rootwise.project(connection)).path)

    context = contextvars.Context()
    task = context.run(asyncio.get_running_loop().create_task, look())
    await task
    return json.dumps(seen)


@tool
async def described(path: str = "") -> str:
    project = await (rootwise.project(argument=path or None) if framework == "mcp1" else rootwise.project())
    refs = [project.root, *project.other_roots]
    return json.dumps(
        [
            type(project).__name__,
            project.path,
            project.client_path,
            [[ref.path, ref.client_path] for ref in refs if ref],
            *(["stale"] if project.stale else []),
        ]
    )


@tool
async def nested() -> str:
    """A tool that calls a tool."""
    if framework == "fastmcp":
        if hasattr(mcp, "call_tool"):
            result = await mcp.call_tool("where_awaited", {})
        else:
            result = await (await mcp.get_tool("where_awaited")).run({})
        return str(result.content[0].text)
    result = await mcp.call_tool("where_awaited", {})
    content = result.content if hasattr(result, "content") else result[0]
    return str(content[0].text)


@tool
async def tasks() -> str:
    """Counts the background tasks of Rootwise after garbage collection."""
    from rootwise import _background

    gc.collect()
    await anyio.lowlevel.checkpoint()
    return str(len(_background._tasks))


@tool
async def objects() -> str:
    """Counts what Rootwise keeps of sessions and calls after garbage collection."""
    sessions.clear()
    gc.collect()
    await anyio.lowlevel.checkpoint()
    kinds = ("Session", "Call", "Pending", "Router", "Sender1", "PipeSender2", "Roots", "Project")
    kept = [type(one).__name__ for one in gc.get_objects() if type(one).__module__.startswith("rootwise.")]
    return str(sum(name in kinds for name in kept))


@tool
async def start_job() -> str:
    """Begins work that outlives its call, and then asks."""

    async def job() -> None:
        await job_may_ask.wait()
        for question in (rootwise.project, rootwise.roots, rootwise.explain):
            try:
                await question()
                jobs.append("found")
            except BaseException as problem:
                jobs.append(f"{isinstance(problem, Exception)} {getattr(problem, 'code', '')}")
        known = rootwise.current()
        jobs.append(f"knows {known and known.path}")

    spawn(job)
    return "started"


@tool
async def job_result() -> str:
    job_may_ask.set()
    with anyio.fail_after(20):
        while len(jobs) < 4:
            await anyio.sleep(0.01)
    return json.dumps(jobs)


@tool
async def asking_job() -> str:
    """Work in a task that nobody awaits asks while its call runs."""
    ended: list[str] = []

    async def job() -> None:
        try:
            ended.append(str((await rootwise.project()).path))
        except BaseException as problem:
            ended.append(f"{isinstance(problem, Exception)} {getattr(problem, 'code', '')}")
            jobs.append(ended[-1])

    spawn(job)
    while not ended:
        await anyio.sleep(0.01)
    return ended[0]


@mcp.prompt()
async def brief() -> str:
    return str((await rootwise.project()).path)


@mcp.prompt()
async def broken() -> str:
    raise RuntimeError("broken on purpose")


@mcp.resource("project://info")
async def info() -> str:
    return str((await rootwise.project()).path)


@mcp.resource("project://info/{number}")
async def info_by_number(number: str) -> str:
    return f"{(await rootwise.project()).path} {number}"


@tool
async def replaced() -> str:
    try:
        return str((await rootwise.project()).path)
    except NoProjectError as error:
        raise ToolError("words of the server") from error


if framework == "fastmcp":
    # Both forms work in resources and prompts too.
    @mcp.resource("project://injected")
    def injected(project: Project = CurrentProject()) -> str:
        return str(project.path)

    @mcp.prompt()
    def injected_brief(project: Project = CurrentProject()) -> str:
        return str(project.path)

else:
    from rootwise.mcp import Project

    @mcp.resource("project://injected")
    @rootwise.inject
    def injected(project: Project) -> str:
        return str(project.path)

    @mcp.prompt()
    @rootwise.inject
    def injected_brief(project: Project) -> str:
        return str(project.path)

    @mcp.tool()
    @rootwise.inject
    def injected_tool(project: Project, more: Annotated[str, Field(description="any text")] = "") -> str:
        return f"{project.path}{more}"


@tool
@rootwise.inject
def together(project: Project) -> str:
    """A plain function that ends only when three of it run at the same time."""
    three.wait(20)
    return str(project.path)


try:
    import mcp_types
except ImportError:
    pass  # The questions of a tool come with revision 2026-07-28.
else:
    if framework == "fastmcp":
        from fastmcp import Context
    else:
        from mcp.server.mcpserver import Context

    ASKED = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}

    async def rounds(ctx: Context) -> Any:
        """Asks twice itself, after the project is known."""
        project = await rootwise.project()
        responses = ctx.input_responses or {}
        if "second" in responses:
            return f"{project.path} {responses['second'].content['word']}"
        question = {"mode": "form", "message": "A word?", "requestedSchema": ASKED}
        own = {"second" if "first" in responses else "first": {"method": "elicitation/create", "params": question}}
        return mcp_types.InputRequiredResult.model_validate({"inputRequests": own})

    async def late_project(ctx: Context) -> Any:
        """Asks its user first and keeps in its state that it did, before the project is known."""
        responses = ctx.input_responses or {}
        if ctx.request_state is None:
            question = {"mode": "form", "message": "A word?", "requestedSchema": ASKED}
            own = {"word": {"method": "elicitation/create", "params": question}}
            return mcp_types.InputRequiredResult.model_validate({"inputRequests": own, "requestState": "asked"})
        project = await rootwise.project()
        return f"{project.path} {responses['word'].content['word'] if 'word' in responses else ctx.request_state}"

    # Spelled out, because the frameworks look for their context in the types of the parameters.
    for function in (rounds, late_project):
        function.__annotations__ = {"ctx": Context, "return": Any}
        tool(function)


def lowlevel() -> None:
    """The SDK 1.x without FastMCP: what it has and FastMCP has not is a hook for changes."""
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.types import TextContent, Tool

    server: Server[Any, Any] = Server("demo")
    if rootwise.declaration is None:
        rootwise.attach(server)

    @server.list_tools()  # type: ignore[no-untyped-call, untyped-decorator]
    async def tools() -> list[Tool]:
        return [Tool(name="where", inputSchema={"type": "object", "additionalProperties": False})]

    @server.call_tool()  # type: ignore[untyped-decorator]
    async def call(_name: str, _arguments: Any) -> list[TextContent]:
        return [TextContent(type="text", text=str((await rootwise.project()).path))]

    if rootwise.declaration is not None:
        rootwise.attach(server)

    async def run() -> None:
        async with stdio_server() as streams:
            await server.run(*streams, server.create_initialization_options())

    anyio.run(run)


def http(sse: bool, stateless_http: bool, json_response: bool) -> None:
    import uvicorn

    settings = {"stateless_http": stateless_http, "json_response": json_response}
    if sse:
        app = mcp.http_app(transport="sse") if framework == "fastmcp" else mcp.sse_app()
    elif framework == "fastmcp":
        app = mcp.http_app(**settings)
    elif framework == "mcp2":
        app = mcp.streamable_http_app(**settings)
    else:
        for name, value in settings.items():
            setattr(mcp.settings, name, value)
        app = mcp.streamable_http_app()
    # Bound here, so that the system picks the port and no other process can take it in between.
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/{'sse' if sse else 'mcp'}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)).run(sockets=[listener])


def watch(folder: str) -> None:
    """Records the paths below a folder that anything in this process checks."""
    for name in ("stat", "lstat", "readlink", "open", "listdir", "scandir"):
        real = getattr(os, name)

        def watched(path: Any = ".", *args: Any, real: Any = real, **more: Any) -> Any:
            if str(path).startswith(folder):
                touched.append(str(path))
            return real(path, *args, **more)

        setattr(os, name, watched)


def serve(*words: str) -> None:
    named = dict(word[2:].split("=") for word in words if "=" in word)
    timing = {
        "callerTimeoutMs": int(named.get("wait", 60_000)),
        "requestTimeoutMs": int(named.get("life", 120_000)),
        "maxAgeMs": int(named.get("age", 600_000)),
    }
    options["policy"] = {**presets["recommended"], "timing": timing}
    if "identity" in named:
        options["policy"]["identity"] = named["identity"]
    if "elicit" in named:
        options["policy"]["elicit"] = named["elicit"]
    if "--pin" in words:
        options["policy"]["memory"] = {"pin": "immutable"}
    if "env" in named:
        options["host"]["env"] = {"ROOTWISE_PROJECT": named["env"]}
    if "--environment" in words:
        del options["host"]["env"]
    if "cwd" in named:
        options["host"]["cwd"] = named["cwd"]
    if "--remote" in words:
        del options["local"]
    if "--any" in words:
        options["require_path"] = False
    if "--nocodex" in words:
        options["codex_meta"] = False
    if "allowed" in named:
        options["allowed_dirs"] = [named["allowed"]]
    if "callers" in named:

        async def folders_of(request: Any) -> Any:
            """The folder of the user that a header names; some users have something else."""
            await anyio.lowlevel.checkpoint()
            user = request.headers["x-user"]
            return {"junk": 7, "relative": ["one"], "nobody": []}.get(user, [f"{named['callers']}/{user}"])

        options["allowed_dirs"] = folders_of
    if "argument" in named:
        options.pop("argument", None)
        if named["argument"]:
            options["host"]["tool_argument"] = named["argument"]
    if "--declare" in words:
        options.update(argument="project", declare=True)
    if "--replicas" in words:
        options["replicas"] = True
    if "--caller" in words:

        async def caller(request: Any) -> Any:
            """The user that a header names; some are somebody else."""
            await anyio.sleep(0.001)
            user = request.headers.get("x-user")
            return {"junk": 7, "empty": ""}.get(user, user)

        options["caller"] = caller
    if "watch" in named:
        watch(named["watch"])
    for one in (rootwise, second):
        # The server was made before its options were known.
        others = {} if one is rootwise or "declare" not in options else {"argument": None, "declare": False}
        one.__init__(**{**options, **others})  # type: ignore[misc]
    if "--attach" in words or ("--declare" in words and framework == "mcp1"):
        rootwise.attach(mcp)
    rootwise.register_tools(mcp, **({"switch": None} if "--noswitch" in words else {}))
    if "--any" in words:

        @tool
        @rootwise.inject
        def injected_any(project: AnyProject) -> str:
            return str(project.client_path)

    if "--nogc" in words:
        gc.disable()
    if "--log" in words:
        logging.basicConfig(level=logging.INFO)
    if "--http" in words:
        http("--sse" in words, "--stateless" in words, "--json" in words)
    elif "--lowlevel" in words:
        lowlevel()
    elif "--trio" in words:
        anyio.run(mcp.run_stdio_async, backend="trio")
    else:
        mcp.run(**({"show_banner": False} if framework == "fastmcp" else {}))


if __name__ == "__main__":
    serve(*sys.argv[1:])
