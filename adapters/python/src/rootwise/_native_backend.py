"""The backend over the native extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _native
from ._error import RootwiseError, parse_reply
from ._version import version

if TYPE_CHECKING:
    from ._backend import Machine

if _native.version != version:
    raise ImportError(f"the extension has version {_native.version}, the package has version {version}")


class NativeBackend:
    """Stateless: every machine is an object of its own, and the interpreter lock serialises calls."""

    name = "native"

    def open(self, options: str) -> Machine:
        return _opened(_native.open(options))

    def restore(self, snapshot: str, options: str, now: float, id_prefix: str | None) -> Machine:
        return _opened(_native.restore(snapshot, options, now, id_prefix))

    def call(self, arguments: str) -> str:
        return _native.call(arguments)


def _opened(reply: tuple[Machine | None, str]) -> Machine:
    machine, failure = reply
    if machine is None:
        parse_reply(failure)
        raise RootwiseError("dead", "the extension returned neither a machine nor an error")
    return machine
