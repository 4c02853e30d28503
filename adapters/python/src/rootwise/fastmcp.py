"""Adapter for FastMCP 2, 3 and 4.

::

    mcp = FastMCP("demo", middleware=[Rootwise()])

    @mcp.tool
    def status(project: Project = CurrentProject()) -> str:
        return project.name

The parameter is filled in before the tool runs and stays out of its schema. In helpers: ``await current_project()``.
"""

from __future__ import annotations

from typing import Any, cast

from fastmcp.dependencies import Depends
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware

from ._adapter import Call, current
from ._project import Project
from .driver import ProjectError

try:
    from fastmcp.prompts.base import InputRequiredPromptResult
    from fastmcp.resources.base import InputRequiredResourceResult
    from fastmcp.tools.base import InputRequiredToolResult
except ImportError:
    from ._sdk1 import Sdk1Adapter as SdkAdapter
    from ._sdk1 import request_context

    MODERN_TOO = False
    _QUESTIONS: dict[str, Any] = {}
else:
    from mcp_types import InputRequiredResult

    from ._sdk2 import Sdk2Adapter as SdkAdapter  # type: ignore[assignment]
    from ._sdk2 import with_ours

    MODERN_TOO = True
    #: What a request returns instead of its result when the client must be asked first.
    _QUESTIONS = {
        "tools/call": InputRequiredToolResult,
        "resources/read": InputRequiredResourceResult,
        "prompts/get": InputRequiredPromptResult,
    }

__all__ = ["CurrentProject", "Project", "ProjectToolError", "Rootwise", "current_project"]


class ProjectToolError(ProjectError, ToolError):
    """There is no project for this call; the model sees the text."""


class Rootwise(SdkAdapter, Middleware):
    """A middleware: ``FastMCP("name", middleware=[Rootwise()])``."""

    error = ProjectToolError

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        return await self._serve(context, call_next, context.message.arguments)

    async def on_read_resource(self, context: Any, call_next: Any) -> Any:
        return await self._serve(context, call_next, None)

    async def on_get_prompt(self, context: Any, call_next: Any) -> Any:
        return await self._serve(context, call_next, context.message.arguments)

    async def on_notification(self, context: Any, call_next: Any) -> Any:
        if MODERN_TOO and context.method == "notifications/roots/list_changed" and context.fastmcp_context:
            self.changed(context.fastmcp_context.session)
        return await call_next(context)

    async def _serve(self, context: Any, call_next: Any, arguments: Any) -> Any:
        call = self._call(context.fastmcp_context, arguments)
        token = current.set((self, call) if call else None)
        try:
            result = await call_next(context)
        except Exception:
            if call is None or call.needs is None:
                raise
            result = None
        finally:
            current.reset(token)
        question = _QUESTIONS.get(context.method)
        if question is None or call is None:
            return result
        if call.needs is not None:
            return question(InputRequiredResult.model_validate({"inputRequests": call.needs}))
        if isinstance(result, question):
            asked = with_ours(result.input_required, call.facts.get("inputResponses"))
            return question(InputRequiredResult.model_validate(asked))
        return result

    def _call(self, context: Any, arguments: Any) -> Call | None:
        """The call that FastMCP serves; none where a server calls its own tools."""
        if not MODERN_TOO:
            request = request_context()
            return self.call_of(request, arguments) if request is not None else None
        request = context.request_context if context else None
        if request is None:
            return None
        responses = context.input_responses
        said = {key: _plain(value) for key, value in responses.items()} if responses else None
        call: Call = cast("Any", self).call_of(request, request.meta, arguments, said)
        return call


def _plain(value: Any) -> Any:
    return value.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


async def current_project() -> Project:
    """The project of the call that is being served."""
    found: tuple[Any, Call] | None = current.get()
    if found is None:
        raise ProjectToolError(
            "no_call", "there is no Rootwise() among the middleware of this server, or no client's call"
        )
    project: Project = await found[0].project()
    return project


def CurrentProject() -> Project:
    """The default of a tool parameter that is filled in with the project of the call."""
    return cast("Project", Depends(current_project))
