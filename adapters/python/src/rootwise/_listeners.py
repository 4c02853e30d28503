"""The functions of a server that hear of changes."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union, cast

import anyio

from ._background import spawn
from ._log import logger
from ._project import AnyProject, P
from ._roots import Roots, roots_of
from .types import SharedBy

if TYPE_CHECKING:
    from ._call import Session
    from .types import AnnounceRoots


@dataclass(frozen=True)
class ConnectionInfo:
    """The connection that a change belongs to."""

    #: Unique in this process.
    id: int
    #: The client's name for itself, as it sent it.
    client: str | None = None
    #: Whether the connection ended with this change.
    ended: bool = False
    #: What the projects share: the same ``checkout`` of a repository, or the same ``repository`` in another worktree or
    #: clone; none if it is another project.
    shared: SharedBy | None = None
    #: Returns the framework's session while it exists.
    _session: Callable[[], object] = field(default=lambda: None, repr=False, compare=False)

    @property
    def session(self) -> Any:
        """The framework's own object for the connection, with which a server reaches the client; none if it is gone.

        On the SDK 1.x and FastMCP 2 and 3 a ``ServerSession``, on the SDK 2.x and FastMCP 4 a ``Connection``.
        """
        return self._session()


#: Called with the new and the previous project of a connection and, if it takes a third argument, with the connection.
#: It may be a coroutine function.
OnChange = Union[
    Callable[[Union[P, None], Union[P, None]], Union[Awaitable[object], object]],
    Callable[[Union[P, None], Union[P, None], ConnectionInfo], Union[Awaitable[object], object]],
]

#: Called with the new and the previous roots of a connection. It may be a coroutine function.
OnRootsChange = Callable[[Roots, Union[Roots, None]], Union[Awaitable[object], object]]

_Listener = Callable[[Union[AnyProject, None], Union[AnyProject, None], ConnectionInfo], object]


def with_connection(on_change: OnChange[AnyProject] | None) -> _Listener | None:
    """Lets a function of two arguments be called with three."""
    if on_change is None:
        return None
    function: Any = on_change
    try:
        inspect.signature(function).bind(None, None, None)
    except (TypeError, ValueError):
        return lambda project, previous, _: function(project, previous)
    return cast("_Listener", function)


def tell_change(
    listener: _Listener | None, project: AnyProject | None, previous: AnyProject | None, info: ConnectionInfo
) -> None:
    """Tells a change of a connection's project. A listener that fails fails no call."""
    if listener is None:
        return
    try:
        result = listener(project, previous, info)
    except Exception:
        logger.exception("rootwise: on_change failed")
        return
    if inspect.isawaitable(result):
        awaited: Awaitable[object] = result

        async def wait() -> None:
            await awaited

        spawn(wait)


def tell_roots(listener: OnRootsChange | None, session: Session, announced: AnnounceRoots) -> None:
    """Tells a new list of roots, after the lists before it: each may take its own time."""
    if listener is None:
        return
    roots, previous = roots_of(announced), session.roots
    before, told = session.telling, anyio.Event()
    session.roots, session.telling = roots, told

    async def work() -> None:
        try:
            if before is not None:
                await before.wait()
            result = listener(roots, previous)
            if inspect.isawaitable(result):
                await result
        finally:
            told.set()

    spawn(work)
