"""`rootwise.mcp` on the official SDK 2.x."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from mcp.server.mcpserver import Resolve
from mcp.server.mcpserver.exceptions import ToolError

from ._adapter import Call, current
from ._project import Project as ProjectInfo
from ._sdk2 import MODERN, OURS, Sdk2Adapter, with_ours
from .driver import ProjectError

__all__ = ["Project", "ProjectToolError", "Rootwise"]

#: Requests that can return "needs input" and be made again.
_INTERACTIVE = ("tools/call", "resources/read", "prompts/get")


class ProjectToolError(ProjectError, ToolError):
    """There is no project for this call; the model sees the text."""


class Rootwise(Sdk2Adapter):
    """A middleware: ``MCPServer("name", middleware=[Rootwise()])``."""

    error = ProjectToolError

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        if ctx.method == "notifications/roots/list_changed":
            self.changed(ctx.session)
        if ctx.request_id is None or ctx.method not in _INTERACTIVE:
            return await call_next(ctx)
        params = dict(ctx.params or {})
        responses = params.get("inputResponses")
        if isinstance(responses, dict) and OURS in responses:
            # Ours is taken out before the SDK checks it: a bad root must not cost the call.
            rest = {key: value for key, value in responses.items() if key != OURS}
            params.pop("inputResponses")
            if rest:
                params["inputResponses"] = rest
            ctx = replace(ctx, params=params)
        meta = params.get("_meta")
        call = self.call_of(ctx, meta, params.get("arguments"), responses)
        token = current.set((self, call))
        try:
            result = await call_next(ctx)
        except Exception:
            if call.needs is None:
                raise
            result = None
        finally:
            current.reset(token)
        if call.needs is not None:
            return {"resultType": "input_required", "inputRequests": call.needs}
        return with_ours(result, responses) if ctx.protocol_version >= MODERN else result


async def current_project() -> ProjectInfo:
    """The project of the call that is being served."""
    found: tuple[Any, Call] | None = current.get()
    if found is None:
        raise ProjectToolError("no_call", "there is no Rootwise() among the middleware of this server")
    project: ProjectInfo = await found[0].project()
    return project


#: The type of a tool parameter that is filled in with the project of the call.
Project = Annotated[ProjectInfo, Resolve(current_project)]
