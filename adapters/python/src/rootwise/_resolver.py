"""The resolver: tell it what happened, and do what it gives back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

from ._error import RootwiseError, understood
from ._face import face
from ._presets import presets
from ._project import Project, project_of
from ._text import bounded, size_of, text_of

if TYPE_CHECKING:
    from types import TracebackType

    from ._face import Face, Machine
    from .types import Action, Event, Explanation, HostFacts, Policy

#: Bytes of an event where the policy names no limit; the same as the core's.
EVENT_BYTES = 1 << 20

#: How much longer escapes can make a text: `\u0000` for one byte.
LENGTHENED = 6

#: Bytes of an event besides what a peer wrote; the same as the core's.
ENVELOPE_BYTES = 64 << 10


class Resolver:
    """Finds out which project one connection works in. It does no I/O and reads no clock.

    Make one per connection. It may be used from any thread, by one at a time: a lock sees to that.

    :param policy: how the project is found: a preset's name or a policy of your own; by default ``recommended``
    :param host: what you know about the machine and the connection; see :func:`rootwise.host_facts`
    """

    def __init__(self, policy: str | Policy | None = None, *, host: HostFacts, _face: Face | None = None) -> None:
        text = self._prepare(policy, host)
        self._machine: Machine | None = (_face or face()).open(text)

    @classmethod
    def restore(
        cls,
        snapshot: str,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        now: int,
        id_prefix: str | None = None,
        _face: Face | None = None,
    ) -> Resolver:
        """Goes on with a saved connection, in this or another process.

        :param id_prefix: makes request ids unique when several processes restore one snapshot
        """
        resolver = cls.__new__(cls)
        options = resolver._prepare(policy, host)
        prefix = None if id_prefix is None else bounded(id_prefix, "the id prefix", 1024)
        machine = (_face or face()).restore(bounded(snapshot, "the snapshot"), options, _time(now), prefix)
        resolver._machine = machine
        resolver._keep(understood(machine.view()))
        return resolver

    def _prepare(self, policy: str | Policy | None, host: HostFacts) -> str:
        self._lock = threading.Lock()
        self._machine = None
        self._deadline: int | None = None
        self._project: Project | None = None
        chosen = _policy(policy)
        self._event_bytes = _limit(chosen)
        options: dict[str, object] = {"host": host} if chosen is None else {"host": host, "policy": chosen}
        return bounded(text_of(options, "bad_options", "options"), "options")

    def handle(self, event: Event, now: int) -> list[Action]:
        """Takes one event and gives back, in order, all you must do about it.

        :param now: whole milliseconds of a clock that does not run backwards
        :raises RootwiseError: the call was wrong; nothing changed
        """
        text = text_of(event, "bad_event", "the event")
        # Before it is copied: the core takes that much text, because escapes can lengthen what a peer wrote.
        most = self._event_bytes * LENGTHENED + ENVELOPE_BYTES
        if len(text) * 4 > most and size_of(text) > most:
            raise RootwiseError(
                "event_too_large",
                f"the event has {size_of(text)} bytes and the limit is {self._event_bytes}; "
                "cut peer input off before passing it on",
            )
        with self._lock:
            said = understood(self._opened().handle(text, _time(now)))
            self._keep(said)
        return cast("list[Action]", said["actions"])

    @property
    def deadline(self) -> int | None:
        """When to pass ``{"type": "deadlineReached"}`` if nothing else happens first."""
        return self._deadline

    @property
    def project(self) -> Project | None:
        """The connection's project: the same object until it changes."""
        return self._project

    def explain(self) -> Explanation:
        """What every source says about the connection's project, and the same as a small table in ``text``."""
        with self._lock:
            return cast("Explanation", understood(self._opened().explain()))

    def snapshot(self) -> str:
        """The connection's state as text, for :meth:`restore`."""
        with self._lock:
            text = self._opened().snapshot()
        understood(text)
        return text

    def close(self) -> None:
        """Frees what the resolver holds; afterwards every call raises. Closing twice does no harm."""
        with self._lock:
            if self._machine is not None:
                self._machine.close()
            self._machine = None
            self._deadline = None
            self._project = None

    def __enter__(self) -> Resolver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self) -> Machine:
        if self._machine is None:
            raise RootwiseError("used_after_close", "the resolver is closed; make a new one for a new connection")
        return self._machine

    def _keep(self, said: dict[str, Any]) -> None:
        self._deadline = said["deadline"]
        if "project" in said:
            self._project = project_of(said["project"])


def _policy(policy: str | Policy | None) -> Policy | None:
    if policy is None or policy == "recommended":
        return None
    if not isinstance(policy, str):
        return policy
    if policy not in presets:
        known = ", ".join(presets)
        raise RootwiseError("bad_options", f"bad options at policy: there is no preset of that name; there are {known}")
    return presets[policy]


def _limit(policy: Policy | None) -> int:
    limits = policy.get("limits") if isinstance(policy, dict) else None
    limit = limits.get("eventBytes") if isinstance(limits, dict) else None
    return limit if isinstance(limit, int) and limit >= 0 else EVENT_BYTES


def _time(now: object) -> float:
    # True and False are numbers to Python, and surely a mistake here.
    if isinstance(now, bool) or not isinstance(now, (int, float)):
        raise RootwiseError("bad_event", "not an event at now: must be a number")
    try:
        return float(now)
    except OverflowError:
        raise RootwiseError("bad_event", "not an event at now: too large") from None
