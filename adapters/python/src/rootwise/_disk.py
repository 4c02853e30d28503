"""Looks at the disk that never block the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")


async def in_thread(look: Callable[[], T], seconds: float) -> T:
    """Runs a disk check in a thread, which is left behind if the disk does not answer in time.

    :raises TimeoutError: the disk did not answer
    """
    # A limiter of its own, so that a disk that hangs does not occupy the threads of the rest of the program.
    limiter = anyio.CapacityLimiter(1)
    with anyio.fail_after(seconds):
        return await anyio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=limiter)
