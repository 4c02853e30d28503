"""The resolver: events in, actions out."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

from ._backend import loaded_backend
from ._error import RootwiseError, parse_reply
from ._presets import policy_of
from ._project import AnyProject, project_of
from ._text import MOST, bounded, exceeds, size_of, text_of

if TYPE_CHECKING:
    from types import TracebackType

    from ._backend import Backend, Machine
    from .types import Action, Event, Explanation, HostFacts, Policy


class Resolver:
    """Determines the project of one connection. It does no I/O and reads no clock.

    Create one resolver per connection. Any thread may use it: a lock serialises its calls.

    :param policy: a preset's name or a policy; by default ``recommended``
    :param host: facts about the machine and the connection; see :func:`rootwise.host_facts`
    :param snapshot_key: a secret of at least 32 bytes that seals snapshots: :meth:`restore` then accepts only those
        that are sealed with it. Needed where somebody else can write to the store of the snapshots.
    """

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        snapshot_key: str | None = None,
        _backend: Backend | None = None,
    ) -> None:
        text = self._prepare(policy, host, snapshot_key)
        self._machine: Machine | None = (_backend or loaded_backend()).open(text)

    @classmethod
    def restore(
        cls,
        snapshot: str,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        now: int,
        id_prefix: str | None = None,
        snapshot_key: str | None = None,
        _backend: Backend | None = None,
    ) -> Resolver:
        """Restores a saved connection, in this or another process.

        :param id_prefix: makes request ids unique when several processes restore one snapshot
        :param snapshot_key: the key that sealed the snapshot
        """
        resolver = cls.__new__(cls)
        options = resolver._prepare(policy, host, snapshot_key)
        prefix = None if id_prefix is None else bounded(id_prefix, "the id prefix", 1024)
        machine = (_backend or loaded_backend()).restore(bounded(snapshot, "the snapshot"), options, _time(now), prefix)
        resolver._machine = machine
        resolver._keep(parse_reply(machine.view()))
        return resolver

    def _prepare(self, policy: str | Policy | None, host: HostFacts, snapshot_key: str | None) -> str:
        self._lock = threading.Lock()
        self._machine = None
        self._deadline: int | None = None
        self._project: AnyProject | None = None
        chosen = _policy(policy)
        given = {"host": host, "policy": chosen, "snapshotKey": snapshot_key}
        options = {name: value for name, value in given.items() if value is not None}
        return bounded(text_of(options, "bad_options", "options"), "options")

    def handle(self, event: Event, now: int) -> list[Action]:
        """Processes one event and returns its actions in order.

        :param now: whole milliseconds of a monotonic clock
        :raises RootwiseError: the call was wrong; the resolver did not change
        """
        text = text_of(event, "bad_event", "the event")
        # The core enforces the policy's limit. This bound only keeps a huge text out of WebAssembly's memory.
        if exceeds(text, MOST):
            message = f"the event has {size_of(text)} bytes; cut peer input off before you pass it on"
            raise RootwiseError("event_too_large", message)
        with self._lock:
            reply = parse_reply(self._opened().handle(text, _time(now)))
            self._keep(reply)
        return cast("list[Action]", reply["actions"])

    @property
    def deadline(self) -> int | None:
        """The time at which ``{"type": "deadlineReached"}`` is due unless another event comes first."""
        return self._deadline

    @property
    def project(self) -> AnyProject | None:
        """The connection's project: the same object until it changes."""
        return self._project

    def explain(self) -> Explanation:
        """Explains the connection's project: the result of every source, and a readable table in ``text``."""
        with self._lock:
            return cast("Explanation", parse_reply(self._opened().explain()))

    def snapshot(self) -> str:
        """The connection's state as text, for :meth:`restore`."""
        with self._lock:
            text = self._opened().snapshot()
        parse_reply(text)
        return text

    def close(self) -> None:
        """Frees the resolver; every later call raises. Closing twice is harmless."""
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
            raise RootwiseError("used_after_close", "the resolver is closed; create a new one for a new connection")
        return self._machine

    def _keep(self, reply: dict[str, Any]) -> None:
        self._deadline = reply["deadline"]
        if "project" in reply:
            self._project = project_of(reply["project"])


def _policy(policy: str | Policy | None) -> Policy | None:
    # The core contains this preset.
    if policy is None or policy == "recommended":
        return None
    return policy_of(policy) if isinstance(policy, str) else policy


def _time(now: object) -> float:
    # Python counts booleans as numbers; here one is a mistake.
    if isinstance(now, bool) or not isinstance(now, (int, float)):
        raise RootwiseError("bad_event", "not an event at now: must be a number")
    try:
        return float(now)
    except OverflowError:
        raise RootwiseError("bad_event", "not an event at now: too large") from None
