"""For Starlette, FastAPI and any other ASGI server: the project of every HTTP request, and one address for MCP.

::

    app.add_middleware(ProjectMiddleware, allowed_dirs=["/srv/projects"])

    @app.get("/status")
    async def status(request: Request):
        return {"project": request.state.project and request.state.project.name}

It reads the headers and query parameters that the policy names. ``request.state.project`` is none where the request
names no project. A request that names a bad one is answered with the policy's status and the reason.

Without ``allowed_dirs`` and without ``local=True`` it touches no path of a caller on this disk. It refuses every path,
unless ``require_path=False`` says that a folder on the client's machine is a project too.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from . import testing
from ._adapter import Adapter
from ._call import Call
from ._callers import CallersFolders, Folders
from ._error import NoProjectError
from ._project import AnyProject
from .types import Policy

__all__ = ["App", "ProjectMiddleware", "Receive", "Scope", "Send", "SharedEndpoint"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class ProjectMiddleware(Adapter[AnyProject]):
    """Puts the project of a request into its state."""

    def __init__(
        self,
        app: App,
        policy: str | Policy | None = None,
        *,
        require_path: bool | None = None,
        allowed_dirs: Folders | CallersFolders | None = None,
        local: bool | None = None,
        host: Mapping[str, Any] | None = None,
    ) -> None:
        """
        :param app: the application that it wraps
        :param policy: a preset's name or a policy; by default ``recommended``
        :param require_path: whether a project must be a folder that this process can use; by default it must
        :param allowed_dirs: the folders that every project must be in, compared by real path; an empty list allows
            none. A function, plain or ``async``, tells those of one caller from the scope of its request
        :param local: whether a client's paths mean the same here; set it for servers on the user's own machine
        :param host: host facts that you know better than this process
        :raises RootwiseError: an option is wrong; the message names it
        """
        super().__init__(policy, require_path=require_path, allowed_dirs=allowed_dirs, local=local, host=host)
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            project = await self._project(scope)
        except NoProjectError as error:
            await _refuse(send, error)
            return
        scope.setdefault("state", {})["project"] = project
        await self.app(scope, receive, send)

    async def _project(self, scope: Scope) -> AnyProject | None:
        fixed = testing.current_project()
        if fixed is not None:
            return fixed
        # Not a method of MCP, and no client that could be asked.
        call = Call(self.driver(), self.inputs.parts(scope, method=scope["method"], capabilities={}), http=scope)
        try:
            await self._callers.identify(call)
            return self._project_from(await call.ask())
        except NoProjectError as error:
            if error.status is not None:
                raise
            return None
        finally:
            call.end()


class SharedEndpoint:
    """Serves Streamable HTTP and the older SSE transport at one path, so that one address suits every client.

    ::

        app = SharedEndpoint(mcp.streamable_http_app(), mcp.sse_app())

    SSE stays available at its own path too. Over SSE, the query of the address that opened the stream
    (``/mcp?project_path=...``) names the project of every call on it.
    """

    def __init__(
        self,
        streamable: App,
        sse: App,
        *,
        path: str = "/mcp",
        sse_path: str = "/sse",
        message_path: str = "/messages/",
    ) -> None:
        """
        :param streamable: the framework's application for Streamable HTTP, which also gets the lifespan
        :param sse: the framework's application for SSE
        :param path: the path that both share; the one of ``streamable``
        :param sse_path: the path with which ``sse`` opens streams
        :param message_path: the path to which clients of ``sse`` post
        """
        self._streamable, self._sse = streamable, sse
        self._path, self._sse_path, self._message_path = path, sse_path, message_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._streamable(scope, receive, send)
            return
        # Of a mounted application, `path` begins with the place of the mount.
        mount = scope.get("root_path", "")
        path = scope["path"].removeprefix(mount)
        if path == self._path and _opens_sse(scope):
            path = self._sse_path
            scope = {**scope, "path": mount + path, "raw_path": (mount + path).encode()}
        is_sse = path.rstrip("/") in (self._sse_path.rstrip("/"), self._message_path.rstrip("/"))
        await (self._sse if is_sse else self._streamable)(scope, receive, send)


def _opens_sse(scope: Scope) -> bool:
    """Tells whether a request opens the stream of SSE: a client of Streamable HTTP has a session before it listens."""
    headers = {name.lower(): value for name, value in scope["headers"]}
    return (
        scope["method"] == "GET"
        and b"text/event-stream" in headers.get(b"accept", b"")
        and b"mcp-session-id" not in headers
        and b"mcp-protocol-version" not in headers
    )


async def _refuse(send: Send, error: NoProjectError) -> None:
    body = json.dumps({"error": error.code, "message": str(error)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
