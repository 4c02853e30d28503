"""The endpoint: everything around the projects of a server's clients, without I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import rootwise

from ._machine import OpenMachine, options_text

if TYPE_CHECKING:
    from ._backend import Backend
    from .types import EndpointEvent, Explanation, HostFacts, Policy


@dataclass(frozen=True, slots=True)
class EndpointOutput:
    """The effect of one event."""

    #: What to do, in order.
    actions: list[rootwise.types.EndpointAction]
    #: The sessions whose state may have changed, as in the wire format.
    sessions: list[dict[str, Any]]


class Endpoint(OpenMachine):
    """The projects of all clients of a server: sessions, channels, calls and rounds of questions.

    It does no I/O and reads no clock: :class:`rootwise.driver.Driver` runs one. Any thread may use it: a lock
    serialises its calls.

    :param policy: a preset's name or a policy; by default ``recommended``
    :param host: facts about this process; see :func:`rootwise.host_facts`. Each session brings its transport
    :param roots_watched: whether new lists of roots are announced
    """

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        roots_watched: bool = False,
        _backend: Backend | None = None,
    ) -> None:
        options = options_text(policy, machine="endpoint", host=host, rootsWatched=roots_watched)
        super().__init__(lambda backend: backend.open(options), _backend)

    def handle(self, event: EndpointEvent, now: int) -> EndpointOutput:
        """Processes one event.

        :param now: whole milliseconds of a monotonic clock
        :raises RootwiseError: the call was wrong; the endpoint did not change
        """
        reply = self._handle(event, now)
        return EndpointOutput(reply["actions"], reply.get("sessions", []))

    def explain(self, session: int) -> Explanation:
        """Explains the project of a session: the result of every source, and a readable table in ``text``."""
        return self._explain(session)

    def snapshot(self, session: int) -> str:
        """The state of a session as text, for ``saved`` of a session in this or another process."""
        return self._snapshot(session)
