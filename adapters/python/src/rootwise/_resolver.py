"""The resolver: events in, actions out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ._error import parse_reply
from ._machine import OpenMachine, options_text, time_of
from ._project import AnyProject, project_of
from ._text import bounded

if TYPE_CHECKING:
    from ._backend import Backend, Machine
    from .types import Action, Event, Explanation, HostFacts, Policy


class Resolver(OpenMachine):
    """Determines the project of one connection. It does no I/O and reads no clock.

    Create one resolver per connection. Any thread may use it: a lock serialises its calls.

    :param policy: a preset's name or a policy; by default ``recommended``
    :param host: facts about the machine and the connection; see :func:`rootwise.host_facts`
    :param snapshot_key: a secret of at least 32 bytes that seals snapshots: :meth:`restore` then accepts only those
        that are sealed with it. Needed where somebody else can write to the store of the snapshots.
    """

    _project: AnyProject | None = None

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        snapshot_key: str | None = None,
        _backend: Backend | None = None,
    ) -> None:
        options = options_text(policy, host=host, snapshotKey=snapshot_key)
        super().__init__(lambda backend: backend.open(options), _backend)

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
        options = options_text(policy, host=host, snapshotKey=snapshot_key)
        prefix = None if id_prefix is None else bounded(id_prefix, "the id prefix", 1024)
        saved, at = bounded(snapshot, "the snapshot"), time_of(now)

        def make(backend: Backend) -> Machine:
            return backend.restore(saved, options, at, prefix)

        resolver = cls.__new__(cls)
        OpenMachine.__init__(resolver, make, _backend)
        resolver._keep(parse_reply(resolver._opened().view()))
        return resolver

    def handle(self, event: Event, now: int) -> list[Action]:
        """Processes one event and returns its actions in order.

        :param now: whole milliseconds of a monotonic clock
        :raises RootwiseError: the call was wrong; the resolver did not change
        """
        return cast("list[Action]", self._handle(event, now)["actions"])

    @property
    def project(self) -> AnyProject | None:
        """The connection's project: the same object until it changes."""
        return self._project

    def explain(self) -> Explanation:
        """Explains the connection's project: the result of every source, and a readable table in ``text``."""
        return self._explain()

    def snapshot(self) -> str:
        """The connection's state as text, for :meth:`restore`."""
        return self._snapshot()

    def close(self) -> None:
        """Frees the resolver; every later call raises. Closing twice is harmless."""
        super().close()
        self._project = None

    def _keep(self, reply: dict[str, Any]) -> None:
        super()._keep(reply)
        if "project" in reply:
            self._project = project_of(reply["project"])
