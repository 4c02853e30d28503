"""What a careful author writes without Rootwise: the first root that is a folder.

It serves one kind of client: one that lists roots, names folders of this machine by correct URIs, answers soon, and
reports every change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

ListRoots = Callable[[], Awaitable[list[Any]]]


async def first_folder(list_roots: ListRoots) -> Path:
    for root in await list_roots():
        uri = urlparse(str(root.uri))
        if uri.scheme != "file":
            continue
        path = Path(url2pathname(uri.path))
        if await asyncio.to_thread(path.is_dir):
            return path
    raise ValueError("the client has no folder open")


class Cached:
    """Asks once, and again after the client reported a change."""

    def __init__(self) -> None:
        self._known: Path | None = None
        self._lock = asyncio.Lock()

    def roots_changed(self) -> None:
        self._known = None

    async def project(self, list_roots: ListRoots) -> Path:
        if self._known is None:
            async with self._lock:
                if self._known is None:
                    self._known = await first_folder(list_roots)
        return self._known


async def asking_by_result(responses: dict[str, Any] | None) -> Any:
    """What a tool returns to a client of 2026-07-28, which is asked by the result of its call: in every call."""
    from mcp_types import InputRequiredResult

    if responses is None or "roots" not in responses:
        return InputRequiredResult.model_validate({"inputRequests": {"roots": {"method": "roots/list"}}})

    async def roots() -> list[Any]:
        return list(responses["roots"].roots)

    return (await first_folder(roots)).name
