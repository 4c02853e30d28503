"""Adapter for FastMCP 2, 3 and 4.

::

    mcp = FastMCP("demo", middleware=[Rootwise()])

    @mcp.tool
    def status(project: Project = CurrentProject()) -> str:
        return project.name

FastMCP fills in the parameter before the tool runs and keeps it out of the tool's schema. In helpers, use
``await current_project()``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from ._needs import needed

try:
    from fastmcp.dependencies import Depends
except ImportError as problem:
    raise needed("rootwise.fastmcp", "fastmcp", "2.14", problem) from problem

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware

from ._adapter import Adapter, project_of_current_call
from ._caches import CacheWarnings
from ._call import Call, enclosing_frame, is_input_required, serving
from ._codex import declare_in, declared
from ._declare import Declaration
from ._error import NoProjectError
from ._inputs import as_json
from ._listeners import ConnectionInfo
from ._project import AnyProject, P, Project, RootRef
from ._reason import in_background_task, reason_behind
from ._roots import RootEntry, Roots

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._adapter import Options
    from .types import Policy

    class SdkAdapter(Adapter[P]):
        call_of: Callable[..., Call]
        round_of: Any
        roots_changed_in: Any

    def request_context() -> Any: ...

    #: The class that a request returns instead of its result when the client must answer first, by method.
    _INPUT_REQUIRED: dict[str, Any]
    InputRequiredResult: Any
    MODERN: bool
else:
    try:
        from fastmcp.prompts.base import InputRequiredPromptResult
        from fastmcp.resources.base import InputRequiredResourceResult
        from fastmcp.tools.base import InputRequiredToolResult
    except ImportError:
        from ._sdk1 import Sdk1Adapter as SdkAdapter
        from ._sdk1 import request_context

        MODERN = False
        _INPUT_REQUIRED = {}
    else:
        from mcp_types import InputRequiredResult

        from ._sdk2 import Sdk2Adapter as SdkAdapter

        MODERN = True
        _INPUT_REQUIRED = {
            "tools/call": InputRequiredToolResult,
            "resources/read": InputRequiredResourceResult,
            "prompts/get": InputRequiredPromptResult,
        }

__all__ = [
    "AnyProject",
    "ConnectionInfo",
    "CurrentProject",
    "NoProjectError",
    "Project",
    "RootEntry",
    "RootRef",
    "Roots",
    "Rootwise",
    "current_project",
]


class NoProjectToolError(NoProjectError, ToolError):
    """A call has no project; the model sees the text."""

    def __init__(self, code: str, message: str, instruction: str | None = None) -> None:
        # FastMCP reads the level of a failed call from its errors.
        ToolError.__init__(self)
        NoProjectError.__init__(self, code, message, instruction)


_cache_warnings = CacheWarnings()

#: The adapters that have served a call.
_instances: weakref.WeakSet[Rootwise[Any]] = weakref.WeakSet()


class Rootwise(SdkAdapter[P], Middleware):
    """A middleware: ``FastMCP("demo", middleware=[Rootwise()])``."""

    error = NoProjectToolError

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

    def no_call(self) -> NoProjectError:
        return _no_call()

    async def on_initialize(self, context: Any, call_next: Any) -> Any:
        if not self.asks_codex:
            return await call_next(context)
        if MODERN:
            return declared(await call_next(context))
        # The SDK 1.x sends its result before the middleware sees it, and FastMCP 2 hides the session until then.
        with suppress(AttributeError, RuntimeError):
            declare_in(context.fastmcp_context.session._init_options.capabilities)
        return await call_next(context)

    async def on_discover(self, context: Any, call_next: Any) -> Any:
        result = await call_next(context)
        return declared(result) if self.asks_codex else result

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        message, own = context.message, self.declaration
        arguments = message.arguments
        if own is not None and own.argument in (arguments or {}) and await self._adds(own, context):
            context = context.copy(message=message.model_copy(update={"arguments": own.without(arguments)}))
        return await self._serve(context, call_next, None if self.is_switch(message.name) else arguments)

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        tools, own = await call_next(context), self.declaration
        if own is None:
            return tools
        own.learn((tool.name, tool.parameters) for tool in tools)
        parameter = await self.parameter(self._call(context, None))
        return [
            tool.model_copy(update={"parameters": own.extended(tool.parameters, parameter)})
            if own.adds_to(tool.name)
            else tool
            for tool in tools
        ]

    async def _adds(self, own: Declaration, context: Any) -> bool:
        """Tells whether the parameter of a tool comes from us."""
        name, server = context.message.name, context.fastmcp_context
        if own.adds_to(name) is None and server is not None:
            # FastMCP 2 raises where later versions return none; the call itself says that there is no such tool.
            with suppress(Exception):
                tool = await server.fastmcp.get_tool(name)
                own.learn([(name, tool.parameters)])
        return bool(own.adds_to(name))

    async def on_read_resource(self, context: Any, call_next: Any) -> Any:
        return await self._serve(context, call_next, None)

    async def on_get_prompt(self, context: Any, call_next: Any) -> Any:
        return await self._serve(context, call_next, context.message.arguments)

    async def on_notification(self, context: Any, call_next: Any) -> Any:
        if MODERN and context.method == "notifications/roots/list_changed" and context.fastmcp_context:
            # A mounted server hears no notifications.
            for adapter in list(_instances):
                adapter.roots_changed_in(context.fastmcp_context.session)
        return await call_next(context)

    async def _serve(self, context: Any, call_next: Any, arguments: Any) -> Any:
        call = self._call(context, arguments)
        if call is None:
            return await call_next(context)
        _instances.add(self)
        outer = enclosing_frame(call.request)
        if outer is not None and "argument" in outer.call.parts:
            # A tool that calls a tool works in the project that its own caller named, unless it names another.
            call.parts.setdefault("argument", outer.call.parts["argument"])
        input_required: Any = _INPUT_REQUIRED.get(context.method)
        with serving(self, call):
            try:
                result = await call_next(context)
                if call.was_used:
                    _cache_warnings.check(context)
            except BaseException as problem:
                if not (call.needs_input or call.round) or not is_input_required(problem):
                    reason = reason_behind(problem)
                    if reason is None or reason is problem:
                        raise
                    raise reason from None
                asked = await self.round_of(call, None)
                if outer is not None:
                    # The tool that called this one must not go on.
                    outer.call.round = asked
                    raise
                result = None
            else:
                if input_required is None:
                    return result
                asked = await self.round_of(call, getattr(result, "input_required", result))
        return result if asked is None else input_required(InputRequiredResult.model_validate(asked))

    def _call(self, context: Any, arguments: Any) -> Call | None:
        """Returns the call that FastMCP serves; none where a program calls its own server."""
        own = context.fastmcp_context
        request = request_context() if not MODERN else own.request_context if own else None
        if request is None:
            return None
        if not MODERN:
            return self.call_of(request, arguments)
        responses = own.input_responses or {}
        raw = {key: as_json(responses[key]) for key in self.inputs.keys if key in responses} or None
        state = getattr(own, "request_state", None)
        return self.call_of(request, context.method, request.meta, arguments, raw, state)


def _no_call() -> NoProjectToolError:
    return NoProjectToolError.of_host("backgroundTask" if in_background_task() else "notReached")


async def current_project() -> Project:
    """Returns the project of the call that is being served.

    :raises NoProjectError: the call has no project
    """
    return await project_of_current_call(_no_call)


class _NoProject:
    """Stands for the project of a background task, which has none: whatever is read from it raises the reason."""

    def __getattr__(self, name: str) -> Any:
        raise _no_call()


async def _injected() -> Any:
    try:
        return await current_project()
    except NoProjectError:
        # FastMCP hides the errors of parameters from whoever reads the result of a background task.
        if in_background_task():
            return _NoProject()
        raise


def CurrentProject() -> Project:
    """The default of a parameter that FastMCP fills in with the project of the call."""
    return cast("Project", Depends(_injected))
