"""The face over the native extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _native
from ._error import RootwiseError, understood
from ._version import version

if TYPE_CHECKING:
    from ._face import Machine

if _native.version != version:
    raise ImportError(f"the extension is of version {_native.version}, the package of {version}")


class NativeFace:
    """Nothing to keep: every machine is an object of its own, and the interpreter lock keeps calls apart."""

    name = "native"

    def open(self, options: str) -> Machine:
        return _made(_native.open(options))

    def restore(self, snapshot: str, options: str, now: float, id_prefix: str | None) -> Machine:
        return _made(_native.restore(snapshot, options, now, id_prefix))

    def call(self, arguments: str) -> str:
        return _native.call(arguments)


def _made(made: tuple[Machine | None, str]) -> Machine:
    machine, failure = made
    if machine is None:
        understood(failure)
        raise RootwiseError("dead", "the extension gave no answer")
    return machine
