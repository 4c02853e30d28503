"""Code search that knows which project its client is working in.

cocosearch.py index PATH [--preset NAME]
cocosearch.py mcp serve [--transport stdio|sse|http] [--port N] [--project-from-cwd] [--preset NAME]
"""

from __future__ import annotations

import argparse
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio.to_thread
import uvicorn
from starlette.middleware.trustedhost import TrustedHostMiddleware

from rootwise import Project, host_facts, resolve_at_start
from rootwise.mcp import Rootwise
from rootwise.starlette import ProjectMiddleware, SharedEndpoint
from rootwise.types import Policy

# The index: one SQLite file for each project.

#: The policies that say what a project is.
PRESETS = ["cocosearch", "cocosearch-shipped"]
LARGEST_FILE = 1_000_000


def index_of(project: Project) -> Path:
    """Where the index of a project is: by its identity, so that the worktrees of a repository may share one."""
    return Path.home() / ".cocosearch" / f"{project.slug}.db"


def project_at(folder: Path, preset: str) -> Project:
    """The project to which a folder belongs, as if a user had set it."""
    host = {**host_facts("stdio"), "env": {"COCOSEARCH_PROJECT": str(folder.absolute())}}
    # No other folder will do.
    del host["cwd"]
    if project := resolve_at_start(preset, host=host):
        return project
    raise FileNotFoundError(f"There is no folder {folder}")


def index(folder: Path, preset: str = PRESETS[0]) -> int:
    """Indexes the text files of the project to which a folder belongs; returns their number."""
    project = project_at(folder, preset)
    made = index_of(project)
    made.parent.mkdir(exist_ok=True)
    fresh = made.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(fresh)) as files:
        files.execute("CREATE VIRTUAL TABLE files USING fts5(path UNINDEXED, text)")
        count = files.executemany("INSERT INTO files VALUES (?, ?)", texts(Path(str(project.path)))).rowcount
        files.commit()
    # A search never reads a partial index.
    fresh.replace(made)
    return count


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    for place, below, names in os.walk(folder):
        below[:] = [name for name in below if not name.startswith(".")]
        for file in (Path(place, name) for name in names):
            if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST_FILE:
                try:
                    yield str(file.relative_to(folder)), file.read_text("utf-8")
                except (OSError, UnicodeError):
                    continue


def match_of(phrase: str) -> str:
    """Returns the expression that finds a phrase."""
    return '"' + phrase.replace('"', '""') + '"'


def search(made: Path, phrase: str) -> list[str]:
    """Returns the files of an index that contain a phrase, each with the matching passage."""
    with closing(sqlite3.connect(f"{made.as_uri()}?mode=ro", uri=True)) as files:
        found = files.execute(
            "SELECT path, snippet(files, 1, '', '', '…', 12) FROM files WHERE files MATCH ? ORDER BY rank",
            (match_of(phrase),),
        )
        return [f"{path}: {' '.join(place.split())}" for path, place in found]


# The server.

#: The names that CocoSearch has for sources, where they differ.
SOURCES = {"query": "query_param"}


def with_tools(rootwise: Rootwise, preset: str) -> Any:
    """A server on the official SDK, 2.x or 1.x."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        from mcp.server.fastmcp import FastMCP

        mcp: Any = FastMCP("cocosearch")
    else:
        mcp = MCPServer("cocosearch", middleware=[rootwise])
    not_indexed = rootwise.policy["texts"]["host.notIndexed"]

    async def search_code(query: str) -> str:
        """Searches the code of the project you are working in."""
        project, hints = await rootwise.project_and_hints()
        made = index_of(project)
        if not made.is_file():
            raise rootwise.error("not_indexed", "\n".join([not_indexed.format(path=project.path), *hints]))
        found = await anyio.to_thread.run_sync(search, made, query)
        source = SOURCES.get(project.source, project.source)
        return "\n".join([f"In {project.path} (from {source}):", *found, *hints])

    async def analyze_query(query: str) -> str:
        """Shows how a query is searched for. It shows no hints, so that it leaves them to the first search."""
        return f"{match_of(query)} in {(await rootwise.project()).path}"

    async def index_codebase(path: str) -> str:
        """Indexes a project, so that it can be searched."""
        return f"{await anyio.to_thread.run_sync(index, Path(path), preset)} files indexed"

    mcp.add_tool(search_code)
    mcp.add_tool(analyze_query)
    mcp.add_tool(index_codebase)
    return mcp


def web(mcp: Any, policy: Policy) -> Any:
    """Serves both HTTP transports at /mcp, and SSE also at /sse for older clients."""
    shared = SharedEndpoint(mcp.streamable_http_app(), mcp.sse_app())
    # The path in the URL is checked before the request reaches MCP, where it is too late for an HTTP status.
    judged = ProjectMiddleware(shared, policy, local=True)
    # Requests with another host name are refused first: a web page could otherwise find out what is on this disk.
    return TrustedHostMiddleware(judged, allowed_hosts=["127.0.0.1", "localhost"])


def serve(options: argparse.Namespace) -> None:
    if options.project_from_cwd:
        # Both policies read this variable, however the flag was abbreviated.
        os.environ["COCOSEARCH_PROJECT_PATH"] = os.getcwd()
    # With every transport the clients are on this machine, so their paths can be probed.
    rootwise = Rootwise(options.preset, local=True)
    mcp = with_tools(rootwise, options.preset)
    if options.transport == "stdio":
        mcp.run()
    else:
        uvicorn.run(web(mcp, rootwise.policy), host="127.0.0.1", port=options.port, timeout_graceful_shutdown=2)


def main() -> None:
    parser = argparse.ArgumentParser(prog="cocosearch", allow_abbrev=False)
    commands = parser.add_subparsers(required=True)
    indexing = commands.add_parser("index")
    indexing.add_argument("path", type=Path)
    indexing.set_defaults(run=lambda options: print(f"{index(options.path, options.preset)} files indexed"))
    serving = commands.add_parser("mcp").add_subparsers(required=True).add_parser("serve", allow_abbrev=False)
    serving.add_argument("--transport", choices=["stdio", "sse", "http"], default="stdio")
    serving.add_argument("--port", type=int, default=3000)
    serving.add_argument("--project-from-cwd", action="store_true")
    serving.set_defaults(run=serve)
    for command in (indexing, serving):
        command.add_argument("--preset", choices=PRESETS, default=PRESETS[0])
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
