"""Caches of a framework that would give one client the result of another."""

from __future__ import annotations

from typing import Any

from ._log import log

#: The settings in which FastMCP's cache keeps what it caches, by method.
_SETTINGS = {
    "tools/call": "_call_tool_settings",
    "resources/read": "_read_resource_settings",
    "prompts/get": "_get_prompt_settings",
}

#: Warnings of one process: clients choose the addresses of resources.
_MAX_WARNED = 64


class CacheWarnings:
    """Warns once of each result that depends on the project and is cached without it."""

    def __init__(self) -> None:
        self._warned: set[tuple[str, str]] = set()

    def check(self, context: Any) -> None:
        """Takes the context of a call that asked for its project."""
        method, message = context.method or "", context.message
        name = str(getattr(message, "name", None) or getattr(message, "uri", ""))
        if (method, name) in self._warned or len(self._warned) >= _MAX_WARNED or context.fastmcp_context is None:
            return
        middleware = getattr(context.fastmcp_context.fastmcp, "middleware", None) or ()
        if any(_caches(one, method, name) for one in middleware):
            self._warned.add((method, name))
            text = (
                f"FastMCP's ResponseCachingMiddleware keeps the result of {method} {name!a:.80}, which depends on the "
                "project: clients in other projects get it too. Exclude it from the cache."
            )
            log({"level": "warning", "code": "cached_result", "message": text})


def _caches(middleware: Any, method: str, name: str) -> bool:
    if not any(kind.__name__ == "ResponseCachingMiddleware" for kind in type(middleware).__mro__):
        return False
    # Private; without them, it is assumed to cache everything, as it does by default.
    settings = getattr(middleware, _SETTINGS.get(method, ""), None) or {}
    matches = getattr(middleware, "_matches_tool_cache_settings", None)
    if settings.get("enabled") is False:
        return False
    return method != "tools/call" or matches is None or bool(matches(name))
