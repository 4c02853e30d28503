"""The policies that come with the package; read when one is needed first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from ._text import packaged

if TYPE_CHECKING:
    from .types import Policy


class Presets(Mapping[str, "Policy"]):
    """By name; plain data to use or to change, a copy every time."""

    def __init__(self) -> None:
        self._text = ""

    def __getitem__(self, name: str) -> Policy:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Policy]:
        if not self._text:
            self._text = packaged("presets.json").decode()
        return cast("dict[str, Policy]", json.loads(self._text))


presets = Presets()
