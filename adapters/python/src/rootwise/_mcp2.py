"""`rootwise.mcp` on the official SDK 2.x."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from mcp.server.mcpserver import Resolve
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from ._adapter import project_of_current_call
from ._call import enclosing_frame, is_input_required, serving
from ._codex import declared
from ._declare import MAX_PAGES, Declaration
from ._error import NoProjectError, RootwiseError
from ._inputs import as_json
from ._project import P, Project
from ._reason import reason_behind
from ._sdk2 import Sdk2Adapter

#: Requests that can return `input_required`.
_INTERACTIVE = ("tools/call", "resources/read", "prompts/get")

#: Requests whose results declare what the server can do.
_HANDSHAKES = ("initialize", "server/discover")


class NoProjectToolError(NoProjectError, ToolError, ResourceError):
    """A call has no project; the model sees the text."""


class SdkRootwise(Sdk2Adapter[P]):
    error = NoProjectToolError

    def no_call(self) -> NoProjectError:
        return self.error.of_host("notReached")

    def attach_to(self, server: Any) -> None:
        raise RootwiseError("bad_options", "the SDK 2.x reports changes to the middleware; attach is for 1.x")

    async def serve(self, ctx: Any, call_next: Any) -> Any:
        if ctx.method == "notifications/roots/list_changed":
            self.roots_changed_in(ctx.session)
        if ctx.method in _HANDSHAKES and self.asks_codex:
            return declared(await call_next(ctx))
        if ctx.method == "tools/list" and self.declaration is not None and ctx.request_id is not None:
            return await self._listed(self.declaration, ctx, call_next)
        if ctx.request_id is None or ctx.method not in _INTERACTIVE:
            return await call_next(ctx)
        outer = enclosing_frame((weakref.ref(ctx.session), ctx.request_id))
        params = dict(ctx.params or {})
        responses = params.get("inputResponses")
        if isinstance(responses, dict) and not self.inputs.keys.isdisjoint(responses):
            # Our responses are removed before the SDK validates them: a bad root must not fail the call.
            rest = {key: value for key, value in responses.items() if key not in self.inputs.keys}
            params.pop("inputResponses")
            if rest:
                params["inputResponses"] = rest
            ctx = replace(ctx, params=params)
        elif outer is not None:
            # Another adapter has removed them.
            responses = outer.call.parts.get("inputResponses", responses)
        state, arguments = params.get("requestState"), params.get("arguments")
        own = self.declaration if ctx.method == "tools/call" else None
        named = own is not None and isinstance(arguments, dict) and own.argument in arguments
        if own is not None and arguments is not None and named and await self._adds(own, ctx, call_next):
            ctx = replace(ctx, params={**params, "arguments": own.without(arguments)})
        if ctx.method == "tools/call" and self.is_switch(params.get("name")):
            arguments = None
        call = self.call_of(ctx, ctx.method, params.get("_meta"), arguments, responses, state)
        with serving(self, call):
            try:
                result = await call_next(ctx)
            except BaseException as problem:
                if not call.needs_input or not is_input_required(problem):
                    reason = reason_behind(problem) if ctx.method == "prompts/get" else None
                    if reason is None:
                        raise
                    # The SDK has no error whose text it shows for a prompt.
                    raise MCPError(INTERNAL_ERROR, str(reason)) from reason
                result = None
            asked = await self.round_of(call, result)
        return result if asked is None else asked

    async def _listed(self, own: Declaration, ctx: Any, call_next: Any) -> Any:
        result = as_json(await call_next(ctx))
        tools = result.get("tools") if isinstance(result, Mapping) else None
        if not isinstance(tools, list):
            return result
        own.learn((tool["name"], tool.get("inputSchema")) for tool in tools)
        meta = (ctx.params or {}).get("_meta")
        parameter = await self.parameter(self.call_of(ctx, ctx.method, meta, None, None, None))
        extended = [
            {**tool, "inputSchema": own.extended(tool.get("inputSchema"), parameter)}
            if own.adds_to(tool["name"])
            else tool
            for tool in tools
        ]
        return {**result, "tools": extended}

    async def _adds(self, own: Declaration, ctx: Any, call_next: Any) -> bool:
        """Tells whether the parameter of a tool comes from us; the list of tools says it."""
        name, cursor = ctx.params.get("name"), None
        for _ in range(MAX_PAGES):
            if own.adds_to(name) is not None:
                break
            params = {key: ctx.params[key] for key in ("_meta",) if key in ctx.params}
            params |= {} if cursor is None else {"cursor": cursor}
            result = as_json(await call_next(replace(ctx, method="tools/list", params=params)))
            own.learn((tool["name"], tool.get("inputSchema")) for tool in result["tools"])
            cursor = result.get("nextCursor")
            if cursor is None:
                break
        return bool(own.adds_to(name))


async def current_project() -> Project:
    """Returns the project of the call that is being served."""
    return await project_of_current_call(lambda: NoProjectToolError.of_host("notReached"))


CurrentProject = Annotated[Project, Resolve(current_project)]
