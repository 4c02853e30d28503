"""`rootwise.mcp` on the official SDK 1.x."""

from __future__ import annotations

from typing import Any

from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import (
    CallToolRequest,
    ListToolsRequest,
    PaginatedRequestParams,
    RootsListChangedNotification,
    ServerResult,
)

from . import _reason as _reason  # Keeps tracebacks out of the log.
from ._background import run_in_loop
from ._call import Call
from ._codex import declare_in
from ._declare import MAX_PAGES, Declaration
from ._error import NoProjectError, RootwiseError
from ._options import bad_option
from ._project import P
from ._sdk1 import Sdk1Adapter, is_over, request_context
from ._weak import WeakMap


class NoProjectToolError(NoProjectError, ToolError):
    """A call has no project; the model sees the text."""


class SdkRootwise(Sdk1Adapter[P]):
    error = NoProjectToolError

    def __init__(self, *args: Any, argument: str | None = None, declare: bool = False, **kwargs: Any) -> None:
        if argument is not None and not declare:
            message = (
                "the SDK 1.x does not show a tool's arguments; pass the value: rootwise.project(argument=...), and "
                'host={"tool_argument": ...} so that advice names the parameter; or declare=True and attach(server)'
            )
            raise RootwiseError("bad_options", f"bad options at argument: {message}")
        super().__init__(*args, argument=argument, declare=declare, **kwargs)
        #: The project that a call names, by its context in the SDK.
        self._named: WeakMap[tuple[Any]] = WeakMap()
        #: The calls that asked, by their contexts in the SDK.
        self._calls: WeakMap[Call] = WeakMap()

    def attach_to(self, server: Any) -> None:
        # The SDK does not say whose roots changed, so every connection asks again.
        async def changed(_: Any) -> None:
            self.roots_changed()

        # The high-level server keeps its low-level one in a private attribute.
        low = getattr(server, "_mcp_server", server)
        handlers = getattr(low, "notification_handlers", None)
        if handlers is None:
            raise RootwiseError(
                "bad_options", f"bad options at server: {type(server).__name__} is no server of the SDK"
            )
        handlers[RootsListChangedNotification] = changed
        if self.declaration is not None:
            self._declare_in(self.declaration, low.request_handlers)
        if self.asks_codex:
            options = low.create_initialization_options

            def with_codex(*args: Any, **kwargs: Any) -> Any:
                made = options(*args, **kwargs)
                declare_in(made.capabilities)
                return made

            low.create_initialization_options = with_codex

    def _declare_in(self, own: Declaration, handlers: dict[Any, Any]) -> None:
        """Adds the parameter to the tools of a server, and takes it out of their calls."""
        listing, calling = handlers.get(ListToolsRequest), handlers.get(CallToolRequest)
        if listing is None or calling is None:
            raise bad_option("declare", "attach the server after its handlers of tools are registered")

        async def listed(request: Any) -> Any:
            result = await listing(request)
            tools = result.root.tools
            own.learn((tool.name, tool.inputSchema) for tool in tools)
            context = request_context()
            parameter = await self.parameter(None if context is None else self.call_of(context))
            extended = [
                tool.model_copy(update={"inputSchema": own.extended(tool.inputSchema, parameter)})
                if own.adds_to(tool.name)
                else tool
                for tool in tools
            ]
            return ServerResult(result.root.model_copy(update={"tools": extended}))

        async def called(request: Any) -> Any:
            params, context = request.params, request_context()
            if own.argument in (params.arguments or {}) and context is not None:
                cursor = None
                for _ in range(MAX_PAGES):
                    if own.adds_to(params.name) is not None:
                        break
                    page = None if cursor is None else PaginatedRequestParams(cursor=cursor)
                    result = (await listing(ListToolsRequest(method="tools/list", params=page))).root
                    own.learn((tool.name, tool.inputSchema) for tool in result.tools)
                    cursor = result.nextCursor
                    if cursor is None:
                        break
                if not self.is_switch(params.name):
                    self._named.add(context, (params.arguments[own.argument],), lambda _: None)
                if own.adds_to(params.name):
                    rest = params.model_copy(update={"arguments": own.without(params.arguments)})
                    request = request.model_copy(update={"params": rest})
            return await calling(request)

        handlers[ListToolsRequest], handlers[CallToolRequest] = listed, called

    async def serve(self, ctx: Any, call_next: Any) -> Any:
        raise RootwiseError("bad_options", "the SDK 1.x has no middleware; call `await rootwise.project()` in the tool")

    def call(self) -> Call:
        context = request_context()
        if context is None:
            raise self.no_call()
        call = self._calls.get(context)
        if call is None:
            named = self._named.get(context)
            call = self.call_of(context, None if named is None else {self.argument: named[0]})
            run = run_in_loop()
            self._calls.add(context, call, lambda ended: run(ended.end))
        if is_over(context):
            call.end()
        return call
