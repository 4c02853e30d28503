"""The parts that a resolver and an endpoint share: text in, text out, and an end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

from ._backend import loaded_backend
from ._error import RootwiseError, parse_reply
from ._presets import policy_of
from ._text import MOST, bounded, exceeds, size_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

    from ._backend import Backend, Machine
    from .types import Explanation, Policy


class OpenMachine:
    """A machine of the backend. Any thread may use it: a lock serialises its calls."""

    def __init__(self, make: Callable[[Backend], Machine], backend: Backend | None) -> None:
        self._lock = threading.Lock()
        self._deadline: int | None = None
        self._machine: Machine | None = make(backend or loaded_backend())

    @property
    def deadline(self) -> int | None:
        """The time at which ``{"type": "deadlineReached"}`` is due unless another event comes first."""
        return self._deadline

    def close(self) -> None:
        """Frees the machine; every later call raises. Closing twice is harmless."""
        with self._lock:
            if self._machine is not None:
                self._machine.close()
            self._machine = None
            self._deadline = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _handle(self, event: object, now: int) -> dict[str, Any]:
        text = text_of(event, "bad_event", "the event")
        # The core enforces the policy's limit. This bound only keeps a huge text out of WebAssembly's memory.
        if exceeds(text, MOST):
            message = f"the event has {size_of(text)} bytes; cut peer input off before you pass it on"
            raise RootwiseError("event_too_large", message)
        with self._lock:
            reply = parse_reply(self._opened().handle(text, time_of(now)))
            self._keep(reply)
        return reply

    def _explain(self, session: int = 0) -> Explanation:
        with self._lock:
            return cast("Explanation", parse_reply(self._opened().explain(session)))

    def _snapshot(self, session: int = 0) -> str:
        with self._lock:
            text = self._opened().snapshot(session)
        parse_reply(text)
        return text

    def _opened(self) -> Machine:
        if self._machine is None:
            raise RootwiseError("used_after_close", f"the {type(self).__name__.lower()} is closed; create a new one")
        return self._machine

    def _keep(self, reply: dict[str, Any]) -> None:
        self._deadline = reply["deadline"]


def options_text(policy: str | Policy | None, **given: object) -> str:
    """Returns the options of a machine as text."""
    if policy is not None and policy != "recommended":
        # The core contains the recommended one.
        given["policy"] = policy_of(policy) if isinstance(policy, str) else policy
    options = {name: value for name, value in given.items() if value is not None}
    return bounded(text_of(options, "bad_options", "options"), "options")


def time_of(now: object) -> float:
    """Returns a time as the core takes it."""
    # Python counts booleans as numbers; here one is a mistake.
    if isinstance(now, bool) or not isinstance(now, (int, float)):
        raise RootwiseError("bad_event", "not an event at now: must be a number")
    try:
        return float(now)
    except OverflowError:
        raise RootwiseError("bad_event", "not an event at now: too large") from None
