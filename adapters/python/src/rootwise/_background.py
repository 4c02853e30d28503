"""Work that outlives the call it began in, on asyncio and on trio, without a task group of the caller.

It runs in an empty context, because the call's context would keep objects of the call alive, such as its session.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from ._log import logger

_tasks: set[asyncio.Task[None]] = set()


def _on_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def in_event_loop() -> bool:
    """Tells whether the caller runs in an event loop, and not in a thread beside it."""
    trio = sys.modules.get("trio")
    return _on_asyncio() or (trio is not None and bool(trio.lowlevel.in_trio_run()))


def current_task() -> Any:
    """Returns the task that the caller runs in."""
    if _on_asyncio():
        return asyncio.current_task()
    import trio

    return trio.lowlevel.current_task()


def current_loop() -> object:
    """Returns what stands for the event loop that the caller runs in."""
    if _on_asyncio():
        return asyncio.get_running_loop()
    import trio

    return trio.lowlevel.current_trio_token()


def spawn(work: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Starts work and returns a function that cancels it. Its exceptions are logged, because no caller waits for it."""
    if not _on_asyncio():
        return _spawn_trio(work)
    loop = asyncio.get_running_loop()
    context = contextvars.Context()
    task = context.run(loop.create_task, _guarded(work))
    # The loop keeps only weak references.
    _tasks.add(task)
    task.add_done_callback(_tasks.discard, context=context)

    def cancel() -> None:
        if not loop.is_closed():
            task.cancel()

    return cancel


def _spawn_trio(work: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    import trio

    scope = trio.CancelScope()

    async def run() -> None:
        with scope:
            await _guarded(work)

    trio.lowlevel.spawn_system_task(run, context=contextvars.Context())
    return scope.cancel


async def _guarded(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Exception:
        logger.exception("rootwise: background work failed")


def later(seconds: float, then: Callable[[], None]) -> Callable[[], None]:
    """Schedules a call and returns a function that cancels it."""
    if _on_asyncio():
        return asyncio.get_running_loop().call_later(seconds, then, context=contextvars.Context()).cancel
    import trio

    async def wait() -> None:
        await trio.sleep(seconds)
        then()

    return _spawn_trio(wait)


def run_in_loop() -> Callable[[Callable[[], None]], None]:
    """Returns a function that runs a call in this event loop, from any thread and from finalizers."""
    loop: Any = current_loop()
    soon = loop.call_soon_threadsafe if _on_asyncio() else loop.run_sync_soon

    def run(call: Callable[[], None]) -> None:
        # A loop that has ended, which both report so, has no connection left to close.
        with contextlib.suppress(RuntimeError):
            soon(call)

    return run
