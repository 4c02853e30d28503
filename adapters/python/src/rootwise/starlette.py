"""Middleware for Starlette, FastAPI and any other ASGI server: the project of every HTTP request.

::

    app.add_middleware(ProjectMiddleware)

    @app.get("/status")
    async def status(request: Request):
        return {"project": request.state.project and request.state.project.name}

It reads the headers and query parameters that the policy names. ``request.state.project`` is none where the request
names no project; a request that names a bad one is answered with the policy's status and says why.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from ._adapter import Adapter
from .driver import ProjectError

if TYPE_CHECKING:
    from ._project import Project
    from .types import Policy, RequestFacts

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class ProjectMiddleware(Adapter):
    """Puts the project of a request into its state."""

    def __init__(
        self,
        app: App,
        policy: str | Policy | None = None,
        *,
        host: Mapping[str, Any] | None = None,
        local: bool | None = None,
    ) -> None:
        super().__init__(policy, host=host, local=local)
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            project = await self._project(self.facts(scope, None))
        except ProjectError as error:
            await _refuse(send, error)
            return
        scope.setdefault("state", {})["project"] = project
        await self.app(scope, receive, send)

    async def _project(self, facts: RequestFacts) -> Project | None:
        try:
            return await self.modern("http").ask(facts, ask_by="none")
        except ProjectError as error:
            if error.status is not None:
                raise
            return None


async def _refuse(send: Send, error: ProjectError) -> None:
    body = json.dumps({"error": error.code, "message": str(error)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
