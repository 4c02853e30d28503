"""Work that outlives the call it began in, on asyncio and on trio, without a task group of the caller's.

It runs in an empty context, because that of the call would keep what belongs to it, such as its session.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
from collections.abc import Awaitable, Callable
from typing import Any

logger = logging.getLogger("rootwise")

_tasks: set[asyncio.Task[None]] = set()


def _on_trio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return True
    return False


def spawn(work: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Starts some work now; what comes back cancels it. What it raises is logged: nobody else is there to hear it."""
    if _on_trio():
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
    """Calls something after a while; what comes back calls it off."""
    if _on_trio():
        import trio

        async def wait() -> None:
            await trio.sleep(seconds)
            then()

        return _spawn_trio(wait)
    handle: Any = asyncio.get_running_loop().call_later(seconds, then, context=contextvars.Context())
    return lambda: handle.cancel()


def home() -> Callable[[Callable[[], None]], None]:
    """Where this event loop can be reached from anywhere, also from a finalizer in another thread."""
    if _on_trio():
        import trio

        token = trio.lowlevel.current_trio_token()

        def run_soon(call: Callable[[], None]) -> None:
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(call)

        return run_soon
    loop = asyncio.get_running_loop()

    def call_soon(call: Callable[[], None]) -> None:
        # A loop that is closed has nothing left to close.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(call)

    return call_soon


def loop() -> object:
    """The event loop this runs in, as something to keep things by."""
    if _on_trio():
        import trio

        return trio.lowlevel.current_trio_token()
    return asyncio.get_running_loop()
