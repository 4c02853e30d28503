"""The reason why a call has no project, where a framework would hide it or log it as a crash."""

from __future__ import annotations

import logging
import sys

from ._error import NoProjectError

#: The packages whose code may wrap an exception of a handler.
_FRAMEWORKS = ("mcp", "fastmcp", "docket", "uncalled_for")

#: The loggers to which they write the exceptions of handlers.
_LOGGERS = (
    "mcp.server.fastmcp.server",
    "fastmcp.prompts.function_prompt",
    "fastmcp.prompts.prompt",
    "fastmcp.prompts.prompt_manager",
    "fastmcp.resources.resource_manager",
    "fastmcp.server.server",
    "fastmcp.tools.tool_manager",
    "docket.worker",
)

#: Exceptions around the one of a handler; the frameworks use two.
_MAX_WRAPPERS = 8


def reason_behind(problem: BaseException | None) -> NoProjectError | None:
    """Returns the missing project that a framework reports in its own words.

    A server that replaces the error does so on purpose: what its own code raises stays.
    """
    for _ in range(_MAX_WRAPPERS):
        if problem is None or isinstance(problem, NoProjectError):
            return problem
        if not _is_raised_by_framework(problem):
            return None
        problem = problem.__cause__ or problem.__context__
    return None


def _is_raised_by_framework(problem: BaseException) -> bool:
    place = problem.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    name = place.tb_frame.f_globals.get("__name__", "") if place is not None else ""
    return str(name).partition(".")[0] in _FRAMEWORKS


class _WithoutTraceback(logging.Filter):
    """Replaces the traceback of a missing project by its reason: it is no fault of the server."""

    def filter(self, record: logging.LogRecord) -> bool:
        reason = reason_behind(record.exc_info[1]) if record.exc_info else None
        if reason is not None:
            record.msg, record.args = f"{record.getMessage()}: {reason.message}", ()
            record.exc_info = record.exc_text = None
        return True


_filter = _WithoutTraceback()
for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_filter)


def in_background_task() -> bool:
    """Tells whether Docket runs this code, which executes the background tasks of FastMCP outside of calls."""
    execution = getattr(sys.modules.get("docket.dependencies"), "current_execution", None)
    return execution is not None and execution.get(None) is not None
