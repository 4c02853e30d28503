"""Runs an endpoint: reports events, performs its actions, keeps time. Works on asyncio and on trio.

An adapter for a framework creates one :class:`Driver` for an event loop, opens a session for each client, and reports
the client's messages and calls. A driver belongs to the thread of its event loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ._background import later, spawn
from ._call import Asker, Call, Pending, Session
from ._endpoint import Endpoint
from ._error import NoProjectError
from ._facts import DIR_UNUSABLE
from ._listeners import ConnectionInfo, OnChange, OnRootsChange, tell_change, tell_roots, with_connection
from ._log import log, logger
from ._probe import Prober
from ._project import AnyProject, project_of
from ._sender import ClientError, Sender, StreamSender, Undeliverable, listed, refused
from .types import Answer, CallResult, EndpointAction, EndpointSendRequest, HostFacts, Policy, Transport

__all__ = [
    "Call",
    "ClientError",
    "ConnectionInfo",
    "Driver",
    "NoProjectError",
    "OnChange",
    "OnRootsChange",
    "Sender",
    "Session",
    "StreamSender",
    "Undeliverable",
]


class Driver:
    """The sessions, calls and requests of one event loop."""

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        on_change: OnChange[AnyProject] | None = None,
        on_roots_change: OnRootsChange | None = None,
        confined: bool = False,
        dirs_reported: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        :param on_change: called when the project of a session changes, and when a session that has one ends
        :param on_roots_change: called when another list of a client's roots arrives, with one list after the other
        :param confined: whether each call brings the folders of its caller; a session has none of its own
        :param dirs_reported: whether the allowed folders that are of no use have been logged
        :param clock: returns seconds
        """
        self.confined = confined
        self._dirs_reported = dirs_reported
        self._endpoint = Endpoint(policy, host=host, roots_watched=on_roots_change is not None)
        self._on_change = with_connection(on_change)
        self._on_roots_change = on_roots_change
        self._clock = clock
        self._last_id = 0
        self._sessions: dict[int, Session] = {}
        self._calls: dict[int, Call] = {}
        #: Who waits for the answer to an ask, and for the result of a call.
        self.asks: dict[int, Pending[Answer]] = {}
        self.results: dict[int, Pending[CallResult]] = {}
        #: What stops the requests in flight.
        self._requests: dict[int, Callable[[], None]] = {}
        self._prober = Prober(self.feed, self.now)
        self._alarm: tuple[int, Callable[[], None]] | None = None

    def open(
        self,
        transport: Transport,
        *,
        local: bool | None = None,
        sender: Sender | None = None,
        is_listening: Callable[[], bool] | None = None,
    ) -> Session:
        """Opens the session of a client.

        :param local: whether the client is on this machine; by default as the host facts say
        :param sender: carries requests outside calls
        :param is_listening: tells whether it can, over HTTP
        """
        session = Session(self, self.next_id(), sender, is_listening)
        self._sessions[session.id] = session
        event: dict[str, Any] = {"type": "sessionOpened", "session": session.id, "transport": transport}
        if self.confined:
            event["allowedDirs"] = []
        self.feed(event if local is None else {**event, "local": local})
        return session

    def feed(self, event: Any, by: Asker | None = None) -> None:
        """Passes one event to the endpoint and performs its actions.

        :param by: the call or session that it belongs to
        """
        if event["type"] == "callStarted" and isinstance(by, Call):
            self._calls[by.id] = by
        output = self._endpoint.handle(event, self.now())
        for change in output.sessions:
            if change["session"] in self._sessions:
                self._sessions[change["session"]].changed(change, output.actions, by)
        for action in output.actions:
            self._perform(action, by)
        if event["type"] == "callEnded":
            del self._calls[event["call"]]
        elif event["type"] == "sessionClosed":
            del self._sessions[event["session"]]
        self._arm()

    def _perform(self, action: EndpointAction, by: Asker | None) -> None:
        if action["type"] == "answer":
            for ask in action["asks"]:
                if ask in self.asks:
                    self.asks[ask].settle(action)
        elif action["type"] == "announce":
            session = self._sessions[action["session"]]
            session.info = replace(session.info, ended=action.get("ended", False), shared=action.get("shared"))
            tell_change(self._on_change, project_of(action["to"]), project_of(action["from"]), session.info)
        elif action["type"] == "announceRoots":
            tell_roots(self._on_roots_change, self._sessions[action["session"]], action)
        elif action["type"] == "callResult":
            if action["call"] in self.results:
                self.results[action["call"]].settle(action)
        elif action["type"] == "cancel":
            self._requests.pop(action["request"], lambda: None)()
        elif action["type"] == "sendRequest":
            self._send(action)
        elif action["type"] == "probe":
            self._prober.start(action, by)
        elif action["type"] == "log" and not (self._dirs_reported and action["code"] == DIR_UNUSABLE):
            log(action)

    def _send(self, action: EndpointSendRequest) -> None:
        number, session = action["request"], self._sessions[action["session"]]
        call = self._calls.get(action.get("call", 0))
        carrier = session if call is None or call.sender is None else call

        async def work() -> None:
            try:
                if carrier.sender is None or not await carrier.is_open():
                    raise Undeliverable
                event = listed(number, await carrier.sender.send(action))
            except ClientError as error:
                event = refused(number, error)
            except Undeliverable:
                event = carrier.broken() or refused(number, "undeliverable")
            except Exception as problem:
                logger.debug("rootwise: roots/list failed", exc_info=problem)
                event = refused(number, "unreadable")
            if self._requests.pop(number, None) is not None:
                self.feed(event, session)

        self._requests[number] = spawn(work)

    def _arm(self) -> None:
        due = self._endpoint.deadline
        if self._alarm is not None:
            if self._alarm[0] == due:
                return
            self._alarm[1]()
            self._alarm = None
        if due is not None:
            # One more millisecond, so that it never rings early.
            self._alarm = due, later(max(0, due - self.now()) / 1000 + 0.001, self._ring)

    def _ring(self) -> None:
        self._alarm = None

        async def ring() -> None:
            for by in {pending.by for pending in self.asks.values()}:
                # A client that hung up is not silent, and its next call is to ask it again.
                await by.check()
            self._prober.end_slow()
            self.feed({"type": "deadlineReached"})

        spawn(ring)

    def next_id(self) -> int:
        """Returns the id of a new session, call, ask or stream."""
        self._last_id = self._last_id % 0xFFFF_FFFF + 1
        return self._last_id

    def now(self) -> int:
        """The time in whole milliseconds."""
        return int(self._clock() * 1000)
