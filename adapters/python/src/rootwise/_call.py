"""The calls that are being served."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ._background import current_task
from .driver import Connection, Sender
from .types import AskBy, RequestFacts

if TYPE_CHECKING:
    from ._adapter import Adapter

#: The way to a client: the process's own input and output, HTTP, memory of the same process, or anything else.
Via = Literal["stdio", "http", "memory", "other"]


class InputRequired(BaseException):
    """Ends a call whose client must send its roots first. The middleware turns it into an `input_required` result.

    It is not an error, so it does not derive from `Exception`: a tool that catches every exception cannot swallow it,
    and no framework logs or counts it.
    """


def is_input_required(problem: BaseException) -> bool:
    """Tells whether an exception ends such a call, also inside the groups that task groups raise."""
    parts = getattr(problem, "exceptions", None)
    if isinstance(problem, Exception) or parts is None:
        # A tool may have wrapped it into an error of its own.
        return isinstance(problem, (Exception, InputRequired))
    return all(is_input_required(part) for part in parts)


@dataclass
class Call:
    """One request of a client, as far as its project is concerned."""

    ask_by: AskBy
    facts: RequestFacts
    transport: Via
    #: The client's connection; none where the call stands alone.
    connection: Connection | None = None
    sender: Sender | None = None
    #: Input requests that this call must return instead of a result.
    needs: dict[str, Any] | None = None
    #: Whether its handler asked for a project or the roots.
    asked: bool = False
    #: Identifies the client's request, to recognise calls that a tool makes itself.
    request: tuple[object, Any] = (None, None)
    #: The task that serves the call.
    task: Callable[[], object] | None = None
    #: Whether its result is on its way: work that it began may go on, but can no longer ask.
    over: bool = False


@dataclass(frozen=True)
class Frame:
    """The calls that are being served, the innermost first: servers can be mounted, and tools can call tools."""

    adapter: Adapter[Any]
    call: Call
    outer: Frame | None


current_frame: ContextVar[Frame | None] = ContextVar("rootwise_call", default=None)


@contextmanager
def serving(adapter: Adapter[Any], call: Call) -> Iterator[None]:
    """Makes a call the one that is being served, until its result is known."""
    call.task = weakref.ref(current_task())
    token = current_frame.set(Frame(adapter, call, current_frame.get()))
    try:
        yield
    finally:
        call.over = True
        current_frame.reset(token)


def enclosing_frame(request: object) -> Frame | None:
    """Returns the frame of the same request: of a parent server, of a tool that calls a tool, of a second adapter."""
    frame = current_frame.get()
    return frame if frame is not None and frame.call.request == request else None
