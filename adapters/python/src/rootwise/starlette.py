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

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from . import testing
from ._adapter import Adapter
from ._call import Call
from ._callers import CallersFolders, Folders
from ._error import RootwiseError
from ._functions import gate_policy, gate_refusal
from ._options import bad_option, flags, texts
from ._presets import policy_of
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
        header: str | None = None,
        query: str | None = None,
        require_path: bool | None = None,
        allowed_dirs: Folders | CallersFolders | None = None,
        local: bool | None = None,
        host: Mapping[str, Any] | None = None,
        required: bool = False,
        max_pending: int = 10_000,
    ) -> None:
        """
        :param app: the application that it wraps
        :param policy: without ``header`` and ``query``, a preset's name or a policy, of which the headers and query
            parameters count; by default ``recommended``
        :param header: the header that names the project, such as ``X-Project-Path``
        :param query: the query parameter that names the project, such as ``project_path``
        :param require_path: whether a project must be a folder that this process can use; by default it must
        :param allowed_dirs: the folders that every project must be in, compared by real path; an empty list allows
            none. A function, plain or ``async``, tells those of one caller from the scope of its request
        :param local: whether a client's paths mean the same here; set it for servers on the user's own machine
        :param host: host facts that you know better than this process
        :param required: refuse a request that names no project
        :param max_pending: the number of requests that are checked at once; others are answered with status 503
        :raises RootwiseError: an option is wrong; the message names it
        """
        texts(header=header, query=query)
        whole = gate_policy(policy_of(policy), header, query)
        super().__init__(whole, require_path=require_path, allowed_dirs=allowed_dirs, local=local, host=host)
        flags(required=required)
        if isinstance(max_pending, bool) or not isinstance(max_pending, int) or max_pending < 1:
            raise bad_option("max_pending", "must be a whole number above 0")
        self.app = app
        self._required = required
        self._max_pending = max_pending
        self._pending = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        fixed = testing.current_project()
        # Not a method of MCP, and no client that could be asked.
        parts = self.inputs.parts(scope, method=scope["method"], capabilities={})
        project: AnyProject | None = fixed
        if fixed is None and (self._required or "headers" in parts or "query" in parts):
            project, refusal = await self._check(scope, parts)
            if refusal is not None:
                await _refuse(send, refusal)
                return
        scope.setdefault("state", {})["project"] = project
        await self.app(scope, receive, send)

    async def _check(self, scope: Scope, parts: dict[str, Any]) -> tuple[AnyProject | None, dict[str, Any] | None]:
        if self._pending >= self._max_pending:
            return None, gate_refusal(tooMany={})
        self._pending += 1
        call = Call(self.driver(), parts, http=scope)
        try:
            await self._callers.identify(call)
            answer = await call.ask()
            if answer["outcome"] == "resolved":
                return self._project_from(answer), None
            return None, gate_refusal(answered={"answer": answer, "required": self._required})
        except RootwiseError as error:
            return None, gate_refusal(failed={"code": error.code, "message": str(error)})
        finally:
            call.end()
            self._pending -= 1


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


async def _refuse(send: Send, refusal: dict[str, Any]) -> None:
    body = refusal["body"].encode()
    headers = [(name.encode(), value.encode()) for name, value in refusal["headers"].items()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": refusal["status"], "headers": headers})
    await send({"type": "http.response.body", "body": body})
