"""`rootwise.mcp` on the official SDK 1.x."""

from __future__ import annotations

from typing import Any

from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.lowlevel import Server
from mcp.types import RootsListChangedNotification

from ._adapter import Call
from ._project import Project
from ._sdk1 import Sdk1Adapter, request_context
from .driver import ProjectError

__all__ = ["Project", "ProjectToolError", "Rootwise"]


class ProjectToolError(ProjectError, ToolError):
    """There is no project for this call; the model sees the text."""


class Rootwise(Sdk1Adapter):
    """Finds the project of a call: ``await rootwise.project()`` in a tool, a resource or a prompt."""

    error = ProjectToolError

    def attach(self, server: Server[Any, Any]) -> Rootwise:
        """Hears changes of the roots on a low-level server; its handlers are public, those of FastMCP are not.

        The SDK does not say whose roots changed, so every connection asks again when it needs them next.
        """

        async def changed(_: Any) -> None:
            self.roots_changed()

        server.notification_handlers[RootsListChangedNotification] = changed
        return self

    def call(self) -> Call:
        context = request_context()
        if context is None:
            raise self.error("no_call", "the project is known only while a call of a client is being served")
        return self.call_of(context)
