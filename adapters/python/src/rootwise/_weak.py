"""Values that end with the objects they belong to."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class _Ref(weakref.ref[Any]):
    """Equals a reference to the same object only, and once that is gone, no other: addresses are used again.

    A key need not be hashable, as models of pydantic are not.
    """

    __slots__ = ("_hash",)

    _hash: int

    def __new__(cls, of: object, ended: Callable[[Any], None] | None = None) -> _Ref:
        made = super().__new__(cls, of, ended)
        made._hash = id(of)
        return made

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        own = self()
        return own is not None and isinstance(other, _Ref) and own is other()


class WeakMap(Generic[V]):
    """Maps objects to values by identity, and forgets a value when its object is gone."""

    def __init__(self) -> None:
        self._values: dict[_Ref, V] = {}

    def get(self, key: object) -> V | None:
        return self._values.get(_Ref(key))

    def add(self, key: object, value: V, ended: Callable[[V], object] = lambda _: None) -> None:
        """Keeps a value; ``ended`` gets it in any thread, as soon as the object is gone."""
        values = self._values

        def forget(ref: _Ref) -> None:
            if ref in values:
                ended(values.pop(ref))

        values[_Ref(key, forget)] = value

    def values(self) -> list[V]:
        return list(self._values.values())

    def __len__(self) -> int:
        return len(self._values)
