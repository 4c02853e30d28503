"""Shared by the tests of the examples: server processes, and the client of the official SDK 2.x in both eras.

A server runs under the interpreter that SERVER_PYTHON names, with a bare environment: no PWD unless a test gives one.
Over stdio it comes from a nursery, which has imported the framework already.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

import anyio
import httpx2
import mcp_types
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.sse import sse_client
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client

#: Seconds after which a test fails; no test measures time with it.
PATIENCE = 60

#: FastMCP would ask a registry for newer versions of itself.
QUIET = {"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_SHOW_SERVER_BANNER": "false"}

#: Forks the processes of servers; it explains itself.
NURSERY = Path(__file__).parents[1] / "adapters" / "python" / "tests" / "e2e" / "nursery.py"


class Roots:
    """A client's roots, as URIs or as complete entries, and how it answers. A test may change them at any time."""

    def __init__(self, *entries: str | dict[str, Any], error: tuple[int, str] | None = None) -> None:
        self.entries = list(entries)
        #: If set, the client answers with this JSON-RPC error.
        self.error = error
        #: The client answers only after this event is set.
        self.hold: anyio.Event | None = None
        #: How often the client was asked.
        self.asked = 0
        self.was_asked = anyio.Event()

    async def answer(self, _: object) -> mcp_types.ListRootsResult | mcp_types.ErrorData:
        self.asked += 1
        self.was_asked.set()
        if self.hold is not None:
            await self.hold.wait()
        if self.error is not None:
            return mcp_types.ErrorData(code=self.error[0], message=self.error[1])
        # The entries go into the outgoing message: the SDK would reject or change values that other clients send.
        return mcp_types.ListRootsResult(roots=[])

    def put_in(self, message: Any) -> None:
        params = getattr(message, "params", None) or {}
        for said in (getattr(message, "result", None), *params.get("inputResponses", {}).values()):
            if said and "roots" in said:
                said["roots"] = [{"uri": entry} if isinstance(entry, str) else entry for entry in self.entries]


@dataclass
class Reply:
    """The result of a tool."""

    failed: bool
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Peer:
    """A connected client."""

    client: Client
    roots: Roots | None
    #: The JSON-RPC messages that the server sent.
    heard: list[dict[str, Any]]
    #: Headers for all following HTTP requests.
    headers: MutableMapping[str, str] = field(default_factory=dict)
    #: Query parameters for all following HTTP requests.
    query: dict[str, str] = field(default_factory=dict)
    #: Returns what the server wrote to standard error so far, over stdio.
    log: Callable[[], str] = str

    async def call(self, tool: str, **arguments: Any) -> Reply:
        result = await self.client.call_tool(tool, arguments)
        return Reply(bool(result.is_error), "".join(part.text for part in result.content if part.type == "text"))

    async def roots_changed(self) -> None:
        await self.client.session.send_roots_list_changed()


class _Tap:
    """A stream that passes each message to a callback first."""

    def __init__(self, stream: Any, show: Callable[[Any], None]) -> None:
        self._stream = stream
        self._show = show

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> _Tap:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *problem: Any) -> Any:
        return await self._stream.__aexit__(*problem)

    def __aiter__(self) -> _Tap:
        return self

    async def __anext__(self) -> Any:
        item = await self._stream.__anext__()
        self._show(item)
        return item

    async def send(self, item: Any) -> None:
        self._show(item)
        await self._stream.send(item)


@asynccontextmanager
async def _connected(transport: Any, roots: Roots | None, modern: bool, **more: Any) -> AsyncIterator[Peer]:
    heard: list[dict[str, Any]] = []

    def hear(item: Any) -> None:
        if not isinstance(item, Exception):
            heard.append(item.message.model_dump(by_alias=True, mode="json", exclude_unset=True))

    def say(item: Any) -> None:
        if roots is not None:
            roots.put_in(item.message)

    @asynccontextmanager
    async def tapped() -> AsyncIterator[Any]:
        async with transport as (reading, writing):
            yield _Tap(reading, hear), _Tap(writing, say)

    client = Client(
        tapped(), mode="2026-07-28" if modern else "legacy", list_roots_callback=roots.answer if roots else None
    )
    with anyio.fail_after(PATIENCE):
        async with client:
            yield Peer(client, roots, heard, **more)


def _python(named: str | None) -> str:
    python = named or os.environ.get("SERVER_PYTHON")
    assert python, "SERVER_PYTHON must name the interpreter of the server's environment"
    return python


def _reader(log: IO[str]) -> Callable[[], str]:
    return lambda: Path(log.name).read_text("utf-8")


@cache
def _nursery(python: str, file: str | Path) -> str:
    """The socket of a nursery that serves all tests; it ends with them."""
    # Paths of Unix sockets are short.
    folder = tempfile.TemporaryDirectory(prefix="rw")
    path = f"{folder.name}/n"
    command = [python, "-W", "ignore", str(NURSERY), path, "--of", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**get_default_environment(), **QUIET})

    def end() -> None:
        process.terminate()
        process.wait()
        folder.cleanup()

    atexit.register(end)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    return path


@asynccontextmanager
async def stdio(
    file: str | Path,
    *options: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    roots: Roots | None = None,
    modern: bool = False,
    python: str | None = None,
) -> AsyncIterator[Peer]:
    """Starts a server and connects to it over stdio."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as log:
        # Isolated, because this process only lends its streams.
        words = ["-IS", str(NURSERY), _nursery(_python(python), file), *map(str, options)]
        server = StdioServerParameters(command=sys.executable, args=words, env={**QUIET, **(env or {})}, cwd=cwd)
        transport = stdio_client(server, errlog=log)
        async with _connected(transport, roots, modern, log=_reader(log)) as peer:
            yield peer


@asynccontextmanager
async def http(
    url: str,
    *,
    roots: Roots | None = None,
    modern: bool = False,
    headers: Mapping[str, str] | None = None,
    sse: bool = False,
) -> AsyncIterator[Peer]:
    """Connects to a server over Streamable HTTP or over the older SSE transport."""
    query: dict[str, str] = {}

    async def name(request: httpx2.Request) -> None:
        if query:
            request.url = request.url.copy_merge_params(query)

    web = httpx2.AsyncClient(
        headers=dict(headers or {}), timeout=PATIENCE, trust_env=False, event_hooks={"request": [name]}
    )
    # The SSE transport opens and closes the client itself.
    transport = (
        sse_client(url, httpx_client_factory=lambda **_: web) if sse else streamable_http_client(url, http_client=web)
    )
    async with (
        nullcontext() if sse else web,
        _connected(transport, roots, modern, headers=web.headers, query=query) as peer,
    ):
        yield peer


@dataclass
class Serving:
    """A server process that listens."""

    #: For example `http://127.0.0.1:49152`.
    origin: str
    #: Returns its output so far.
    log: Callable[[], str]


@asynccontextmanager
async def serve(
    *command: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None, python: str | None = None
) -> AsyncIterator[Serving]:
    """Starts a server on a free port; `command` is its file and options, in which `{port}` stands for the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    words = [_python(python), *(str(part).replace("{port}", str(port)) for part in command)]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as log:
        process = await anyio.open_process(
            words,
            stdin=None,
            stdout=log,
            stderr=log,
            env={**get_default_environment(), **QUIET, **(env or {})},
            cwd=cwd,
        )
        serving = Serving(f"http://127.0.0.1:{port}", _reader(log))
        try:
            with anyio.fail_after(PATIENCE):
                while not await _listens(port):
                    assert process.returncode is None, f"the server ended: {serving.log()}"
                    await anyio.sleep(0.05)
            yield serving
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    process.terminate()
                with anyio.move_on_after(10):
                    await process.wait()
                if process.returncode is None:
                    process.kill()
                await process.aclose()


async def _listens(port: int) -> bool:
    try:
        stream = await anyio.connect_tcp("127.0.0.1", port)
    except OSError:
        return False
    await stream.aclose()
    return True
