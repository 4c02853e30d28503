"""Adds the parameter that names the project to tools that have none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: The pages of `tools/list` that are read at most to find a tool.
MAX_PAGES = 64


class Declaration:
    """The parameter, and the tools that have it from us."""

    def __init__(self, argument: str) -> None:
        self.argument = argument
        #: The ready-made tools that neither need the parameter nor read it.
        self.exempt: set[str] = set()
        #: Whether each listed tool has the parameter from us.
        self._ours: dict[str, bool] = {}

    def learn(self, tools: Iterable[tuple[str, Any]]) -> None:
        """Takes note of tools, each with its name and its own input schema."""
        for name, schema in tools:
            properties = schema.get("properties") if isinstance(schema, Mapping) else None
            declares = isinstance(properties, Mapping) and self.argument in properties
            self._ours[name] = name not in self.exempt and not declares

    def adds_to(self, name: Any) -> bool | None:
        """Tells whether the parameter of a tool comes from us; none for a tool that is not known yet."""
        return self._ours.get(name)

    def extended(self, schema: Any, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """Returns an input schema with the parameter."""
        own = schema if isinstance(schema, Mapping) else {}
        return {"type": "object", **own, "properties": {**(own.get("properties") or {}), self.argument: parameter}}

    def without(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the arguments of a call as its tool declares them."""
        return {name: value for name, value in arguments.items() if name != self.argument}
