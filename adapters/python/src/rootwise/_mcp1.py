"""`rootwise.mcp` on the official SDK 1.x."""

from __future__ import annotations

from typing import Any

from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import RootsListChangedNotification

from . import _reason as _reason  # Keeps tracebacks out of the log.
from ._background import run_in_loop
from ._call import Call
from ._codex import declare_in
from ._error import NoProjectError, RootwiseError
from ._project import P
from ._sdk1 import Sdk1Adapter, is_over, request_context
from ._weak import WeakMap


class NoProjectToolError(NoProjectError, ToolError):
    """A call has no project; the model sees the text."""


class SdkRootwise(Sdk1Adapter[P]):
    error = NoProjectToolError

    def __init__(self, *args: Any, argument: str | None = None, **kwargs: Any) -> None:
        if argument is not None:
            message = (
                "the SDK 1.x does not show a tool's arguments; pass the value: rootwise.project(argument=...), and "
                'host={"tool_argument": ...} so that advice names the parameter'
            )
            raise RootwiseError("bad_options", f"bad options at argument: {message}")
        super().__init__(*args, **kwargs)
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
        if self.asks_codex:
            options = low.create_initialization_options

            def with_codex(*args: Any, **kwargs: Any) -> Any:
                made = options(*args, **kwargs)
                declare_in(made.capabilities)
                return made

            low.create_initialization_options = with_codex

    async def serve(self, ctx: Any, call_next: Any) -> Any:
        raise RootwiseError("bad_options", "the SDK 1.x has no middleware; call `await rootwise.project()` in the tool")

    def call(self) -> Call:
        context = request_context()
        if context is None:
            raise self.no_call()
        call = self._calls.get(context)
        if call is None:
            call = self.call_of(context)
            run = run_in_loop()
            self._calls.add(context, call, lambda ended: run(ended.end))
        if is_over(context):
            call.end()
        return call
