"""Runs a resolver: sends its requests, probes the disk, keeps time. Works on asyncio and on trio.

An adapter for a framework creates one :class:`Connection` per client connection and reports the client's messages to
it. A connection belongs to the thread of one event loop.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Union, cast

import anyio
import anyio.lowlevel
import anyio.to_thread

from ._background import later, spawn
from ._error import NoProjectError, RootwiseError
from ._handshake import client_name, raw_request, read_params
from ._log import log, logger
from ._probe import probe_path
from ._project import AnyProject, P, project_of
from ._resolver import Resolver
from ._sender import ClientError, Sender, StreamSender, Undeliverable, dies_with_call, is_open
from .types import (
    Action,
    Announce,
    Answer,
    AskBy,
    Event,
    Explanation,
    HostFacts,
    Policy,
    Probe,
    ProbedPath,
    ProbePath,
    RequestFacts,
    RootsRefused,
    SelectBy,
    SendRequest,
)

__all__ = [
    "ClientError",
    "Connection",
    "ConnectionInfo",
    "NeedsInput",
    "NoProjectError",
    "OnChange",
    "Sender",
    "StreamSender",
    "Undeliverable",
]


class NeedsInput(Exception):
    """The call must return these input requests, and the client makes it again."""

    def __init__(self, requests: dict[str, Any]) -> None:
        super().__init__("the client must answer input requests first")
        self.requests = requests


@dataclass(frozen=True)
class ConnectionInfo:
    """The connection that a change belongs to."""

    #: Unique in this process.
    id: int
    #: The client's name for itself, as it sent it.
    client: str | None = None
    #: Whether the connection ended with this change.
    ended: bool = False


#: Called with the new and the previous project of a connection and, if it takes a third argument, with the connection.
#: It may be a coroutine function.
OnChange = Union[
    Callable[[Union[P, None], Union[P, None]], Union[Awaitable[object], object]],
    Callable[[Union[P, None], Union[P, None], ConnectionInfo], Union[Awaitable[object], object]],
]


#: How often the driver looks whether a stream is still there. Servers do not tell when a client hangs up.
_STREAM_CHECK_S = 0.1

#: Threads with which one connection looks at the disk.
_MOST_THREADS = 8

#: A probe that takes so long counts as slow; others end in a moment.
_SLOW_PROBE_MS = 100

#: Characters of a client's error message that are read; enough to recognise what it means.
_MOST_OF_MESSAGE = 1_000


@dataclass
class _PendingAsk:
    ask: int
    sender: Sender | None
    done: anyio.Event = field(default_factory=anyio.Event)
    answer: Answer | None = None
    #: Whether its own way to the client was open when a question was sent.
    was_open: bool = False


@dataclass
class _InFlight:
    """A request to the client that has no answer yet."""

    request: int
    stop: Callable[[], None] = lambda: None
    #: The sender that carries it, once one was found.
    sender: Sender | None = None


@dataclass
class _Probing:
    """A look at the disk that is not complete."""

    wanted: int
    since: int
    found: list[ProbedPath] = field(default_factory=list)
    stop: list[Callable[[], None]] = field(default_factory=list)


_last_id = 0


class Connection:
    """One connection: its resolver, its pending asks and its requests."""

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        sender: Sender | None = None,
        on_change: OnChange[AnyProject] | None = None,
        on_roots: Callable[[Answer], Awaitable[None]] | None = None,
        error: type[NoProjectError] = NoProjectError,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        :param sender: carries requests outside a call; without one they travel only with calls
        :param on_change: called when the connection's project changes, and when a connection that has one ends
        :param on_roots: runs in the background with every list of roots that arrives, one list after the other
        :param error: the class that is raised where a call has no project; frameworks have classes of their own
        :param clock: returns seconds
        """
        global _last_id
        _last_id += 1
        self._resolver = Resolver(policy, host=host)
        #: Carries requests outside a call.
        self.outside_calls = sender
        self._on_change = _with_connection(on_change)
        self._on_roots = on_roots
        #: Set when ``on_roots`` has had the last list.
        self._told: anyio.Event | None = None
        self._error = error
        self._clock = clock
        self._info = ConnectionInfo(_last_id)
        self._asks: dict[int, _PendingAsk] = {}
        self._last_ask = 0
        self._in_flight: dict[int, _InFlight] = {}
        self._probing: dict[int, _Probing] = {}
        self._alarm: tuple[int, Callable[[], None]] | None = None
        # A limiter of its own, so that a disk that hangs does not occupy the threads of the rest of the program.
        self._threads = anyio.CapacityLimiter(_MOST_THREADS)
        self._closed = False
        #: The handshake that the adapter reported last.
        self.handshake: Callable[[], object] = lambda: None

    @property
    def project(self) -> AnyProject | None:
        """The connection's project as far as it is known."""
        return self._resolver.project

    @property
    def info(self) -> ConnectionInfo:
        """The connection as ``on_change`` sees it."""
        return self._info

    def explain(self) -> Explanation:
        """Explains the connection's project, without the facts of a call."""
        return self._resolver.explain()

    def initialized(self, params: Mapping[str, Any]) -> None:
        """Reports ``initialize`` with its raw params. One that cannot be read counts as empty."""
        self._info = ConnectionInfo(self._info.id, client_name(params))
        event: Any = {**read_params(params), "type": "clientInitialized"}
        self._pass(event, {"type": "clientInitialized"})

    def initialized_again(self, params: Mapping[str, Any], number: Any) -> None:
        """Reports another ``initialize`` on the same pipe, with the id of the request."""
        self._info = ConnectionInfo(self._info.id, client_name(params))
        try:
            self.feed(raw_request(number, "initialize", read_params(params)))
        except RootwiseError as error:
            log({"level": "warning", "code": "event_failed", "message": f"initialize: {error}"})
            self.feed(raw_request(number, "initialize", {}))

    def requested(self, number: Any) -> None:
        """Reports a request of a client, by its id: the order of ids may show that several clients share a pipe."""
        self.feed(raw_request(number, "x"))

    def ready(self) -> None:
        """Reports ``notifications/initialized``."""
        self.feed({"type": "clientReady"})

    def roots_changed(self) -> None:
        """Reports ``notifications/roots/list_changed``."""
        reaches = getattr(self.outside_calls, "reaches", None)
        push = reaches is not None and reaches()
        self.feed({"type": "rootsChanged", "push": True} if push else {"type": "rootsChanged"})

    def answered_again(self, token: int, result: Any, error: ClientError | None) -> None:
        """Reports a response to a request that was answered before: several clients may share the connection."""
        refused: RootsRefused = {"type": "rootsRefused", "request": token, "kind": "unreadable"}
        if error is not None:
            refused.update({"kind": "error", "code": error.code, "message": str(error)[:_MOST_OF_MESSAGE]})
        self._pass(refused if error else {"type": "rootsListed", "request": token, "result": result}, refused)

    async def ask(
        self,
        facts: RequestFacts | None = None,
        *,
        ask_by: AskBy | None = None,
        target: str | None = None,
        explain: bool = False,
        sender: Sender | None = None,
    ) -> AnyProject:
        """Returns the project of a call.

        :param ask_by: whether and how this call can carry a question to the client; by default its facts decide
        :param target: a path the call touches, to tell several roots apart
        :param explain: the project carries its explanation
        :param sender: carries a request that belongs to this call
        :raises NoProjectError: the call has no project
        :raises NeedsInput: the client must send its roots with another call
        """
        answer = await self.question("asked", facts, ask_by, sender, target=target, explain=explain or None)
        return self.project_from(answer, self._error)

    async def select(
        self,
        by: SelectBy,
        facts: RequestFacts | None = None,
        *,
        ask_by: AskBy | None = None,
        sender: Sender | None = None,
    ) -> AnyProject:
        """Selects the connection's project from now on.

        :raises NoProjectError: the selection is refused
        """
        answer = await self.question("selected", facts, ask_by, sender, by=by)
        return self.project_from(answer, self._error)

    def known(self, facts: RequestFacts | None = None, *, target: str | None = None) -> AnyProject | None:
        """Returns the project of a call as far as it is known now; sends nothing and never waits."""
        answer = self._peek(facts, target=target)
        if answer is None and not any((facts or {}).values()):
            # The disk is asked again for every call; the connection keeps the last result.
            return self.project
        return self.project_from(answer) if answer and answer["outcome"] == "resolved" else None

    def _peek(self, facts: RequestFacts | None = None, **more: Any) -> Answer | None:
        """Asks, and returns the answer if it is known now."""
        pending, event = self._begin("asked", facts, "none", None, more)
        try:
            self.feed(event)
        finally:
            self._finish(pending)
        return pending.answer

    async def question(
        self, kind: str, facts: RequestFacts | None, ask_by: AskBy | None, sender: Sender | None, **more: Any
    ) -> Answer:
        """Passes on an ask, a selection or a clearing, and waits for its answer."""
        pending, event = self._begin(kind, facts, ask_by, sender, more)
        cancelled = True
        try:
            self.feed(event)
            if not pending.done.is_set():
                await self._abandon_dead_requests()
                await pending.done.wait()
                # A call that was cancelled while its answer arrived ends here: if it went on and returned a result, SDK
                # 1.x would end the whole session.
                await anyio.lowlevel.checkpoint()
            cancelled = False
            if pending.answer is None:
                if not pending.was_open:
                    raise self._error.call_over()
                raise self._error("cancelled", "The client hung up before it could be asked for its project.")
            return pending.answer
        finally:
            self._finish(pending)
            if cancelled:
                self._abandon(lambda flight: flight.sender is sender and dies_with_call(sender))

    def _begin(
        self, kind: str, facts: RequestFacts | None, ask_by: AskBy | None, sender: Sender | None, more: dict[str, Any]
    ) -> tuple[_PendingAsk, Event]:
        self._last_ask = self._last_ask % 0xFFFF_FFFF + 1
        ask = self._last_ask
        event: Any = {"type": kind, "ask": ask, **{key: value for key, value in more.items() if value is not None}}
        if facts:
            event["facts"] = facts
        if ask_by is not None:
            event["askBy"] = ask_by
        pending = self._asks[ask] = _PendingAsk(ask, sender)
        return pending, event

    def _finish(self, pending: _PendingAsk) -> None:
        self._asks.pop(pending.ask, None)
        if pending.answer is None and not self._closed:
            self.feed({"type": "askWithdrawn", "ask": pending.ask})

    async def _abandon_dead_requests(self) -> bool:
        """Ends the requests whose stream is gone: their answer would never come. Tells whether there were any."""
        dead: list[_InFlight] = []
        for flight in list(self._in_flight.values()):
            # When its call has ended, the client has received the request, and it may still answer.
            waits = self._waits_with(flight.sender) or flight.sender is self.outside_calls
            if waits and not await is_open(flight.sender):
                dead.append(flight)
        self._abandon(lambda flight: flight in dead)
        return bool(dead)

    def _abandon(self, ends: Callable[[_InFlight], bool]) -> None:
        for flight in [flight for flight in self._in_flight.values() if ends(flight)]:
            del self._in_flight[flight.request]
            flight.stop()
            self.feed({"type": "rootsRefused", "request": flight.request, "kind": "abandoned"})

    @staticmethod
    def project_from(answer: Answer, error: type[NoProjectError] = NoProjectError) -> AnyProject:
        """Returns the project of an answer.

        :raises NoProjectError: the answer has none
        :raises NeedsInput: the client must send its roots with another call
        """
        if answer["outcome"] == "resolved" or answer["outcome"] == "selected":
            project = project_of(answer["project"], answer.get("hints", ()), answer.get("explanation"))
            assert project is not None
            return project
        if answer["outcome"] == "needsInput":
            raise NeedsInput(answer["inputRequests"])
        raise error.from_answer(answer)

    def close(self) -> None:
        """Reports that the client is gone: pending asks end, and no task or timer is left."""
        if self._closed:
            return
        last = self._resolver.project
        self.feed({"type": "closed"})
        self._closed = True
        looks = [stop for probing in self._probing.values() for stop in probing.stop]
        for stop in [*(flight.stop for flight in self._in_flight.values()), *looks]:
            stop()
        self._in_flight.clear()
        self._probing.clear()
        self._arm()
        self._resolver.close()
        self._info = ConnectionInfo(self._info.id, self._info.client, ended=True)
        if last is not None:
            self._notify(None, last)

    def feed(self, event: Event) -> None:
        """Passes one event to the resolver and performs its actions."""
        if self._closed:
            if event["type"] in ("asked", "selected", "selectionCleared"):
                raise RootwiseError("used_after_close", "the connection is closed")
            return
        expired = event["type"] == "deadlineReached" and bool(self._in_flight)
        for action in self._resolver.handle(event, self._now()):
            if action["type"] == "answer":
                self._settle(action, expired)
            else:
                self._perform(action)
        self._arm()

    def _settle(self, answer: Answer, expired: bool) -> None:
        for ask in answer["asks"]:
            pending = self._asks.get(ask)
            if pending is None:
                continue
            if expired:
                message = "The client did not answer roots/list in time; this call uses the next source."
                log({"level": "warning", "code": "wait_expired", "message": message})
            pending.answer = answer
            pending.done.set()

    def _perform(self, action: Action) -> None:
        if action["type"] == "sendRequest":
            self._send(action)
        elif action["type"] == "cancel":
            flight = self._in_flight.pop(action["request"], None)
            if flight is not None:
                flight.stop()
        elif action["type"] == "probe":
            self._probe(action)
        elif action["type"] == "announce":
            self._announce(action)
        elif action["type"] == "log":
            log(action)

    def _send(self, action: SendRequest) -> None:
        token = action["request"]
        flight = self._in_flight[token] = _InFlight(token)

        async def work() -> None:
            refused: RootsRefused = {"type": "rootsRefused", "request": token, "kind": "undeliverable"}
            event: Event = refused
            try:
                flight.sender = await self._open_sender(action)
                if flight.sender is None:
                    self._drop_unreachable_asks()
                    if "relatesTo" not in action or not self._asks:
                        refused["kind"] = "abandoned"
                else:
                    result = await self._sent(action, flight.sender)
                    event = {"type": "rootsListed", "request": token, "result": result}
            except ClientError as error:
                refused.update({"kind": "error", "code": error.code, "message": str(error)[:_MOST_OF_MESSAGE]})
            except Undeliverable:
                pass
            except Exception as problem:
                logger.debug("rootwise: roots/list failed", exc_info=problem)
                refused["kind"] = "unreadable"
            if event is refused and refused["kind"] != "error" and not self._waits_with(flight.sender):
                # The call that carried it has ended; another call may wait for the same answer.
                refused["kind"] = "abandoned"
            if self._in_flight.pop(token, None) is not None:
                self._pass(event, {"type": "rootsRefused", "request": token, "kind": "unreadable"})
                if event is not refused and not self._closed:
                    self._tell_roots()

        flight.stop = spawn(work)

    async def _sent(self, action: SendRequest, sender: Sender) -> Any:
        """Sends a request and returns its result. Meanwhile, checks that the stream that carries it is still open."""
        if not dies_with_call(sender):
            return await sender.send(action)

        async def watch() -> None:
            while action["request"] in self._in_flight:
                await anyio.sleep(_STREAM_CHECK_S)
                await self._abandon_dead_requests()

        stop = spawn(watch)
        try:
            return await sender.send(action)
        finally:
            stop()

    def _tell_roots(self) -> None:
        """Passes the list of now to ``on_roots``, after the lists before it: each takes its own time to verify."""
        on_roots = self._on_roots
        if on_roots is None:
            return
        before, told = self._told, anyio.Event()
        self._told = told

        async def work() -> None:
            try:
                answer = await self.question("asked", None, "none", None, want="roots")
                if before is not None:
                    await before.wait()
                if answer["outcome"] == "listed":
                    await on_roots(answer)
            finally:
                told.set()

        spawn(work)

    async def _open_sender(self, action: SendRequest) -> Sender | None:
        """Returns the first way to the client that is open: the call's stream, that of another call, the session's."""
        closed: list[Sender] = []
        while True:
            # Calls begin and end during every check.
            waiting = sorted(self._asks.values(), key=lambda pending: pending.ask != action.get("relatesTo"))
            ways = [way for way in (*(pending.sender for pending in waiting), self.outside_calls) if way is not None]
            sender = next((way for way in ways if way not in closed), None)
            if sender is None:
                return None
            if await is_open(sender) and (sender is self.outside_calls or self._waits_with(sender)):
                for pending in self._asks.values():
                    pending.was_open = pending.was_open or pending.sender is sender
                return sender
            closed.append(sender)

    def _drop_unreachable_asks(self) -> None:
        """Ends the asks of calls whose stream is closed: nobody can be asked for them, and nobody waits for them."""
        for pending in [pending for pending in self._asks.values() if dies_with_call(pending.sender)]:
            del self._asks[pending.ask]
            self.feed({"type": "askWithdrawn", "ask": pending.ask})
            pending.done.set()

    def _waits_with(self, sender: Sender | None) -> bool:
        """Tells whether a pending ask has this sender."""
        return sender is None or any(pending.sender is sender for pending in self._asks.values())

    def _pass(self, event: Event, otherwise: Event) -> None:
        try:
            self.feed(event)
        except RootwiseError as error:
            # What the client sent is too large or not JSON.
            log({"level": "warning", "code": "event_failed", "message": f"{event['type']}: {error}"})
            self.feed(otherwise)

    def _probe(self, action: Probe) -> None:
        """Looks at each path in a thread: a slow one takes no time from the others."""
        probing = self._probing[action["probe"]] = _Probing(len(action["paths"]), self._now())

        async def look(wanted: ProbePath) -> None:
            # The resolver has its own deadline, so a thread that hangs is left behind.
            work = functools.partial(probe_path, wanted)
            found = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
            probing.found.append(found)
            if len(probing.found) == probing.wanted:
                self._probed(action["probe"])

        probing.stop = [spawn(functools.partial(look, wanted)) for wanted in action["paths"]]

    def _probed(self, number: int) -> None:
        """Reports what a probe has found so far, and ends it."""
        probing = self._probing.pop(number, None)
        if probing is not None:
            self.feed({"type": "probed", "probe": number, "paths": probing.found})

    def _end_slow_probes(self) -> None:
        """Reports the paths that were found in time: a slow one does not spoil the others of its probe."""
        for number, probing in list(self._probing.items()):
            if probing.found and self._now() - probing.since >= _SLOW_PROBE_MS:
                self._probed(number)

    def _announce(self, action: Announce) -> None:
        self._notify(project_of(action["to"]), project_of(action["from"]))

    def _notify(self, project: AnyProject | None, previous: AnyProject | None) -> None:
        if self._on_change is None:
            return
        try:
            result = self._on_change(project, previous, self._info)
            if inspect.isawaitable(result):
                awaited: Awaitable[object] = result

                async def wait() -> None:
                    await awaited

                spawn(wait)
        except Exception:
            logger.exception("rootwise: on_change failed")

    def _arm(self) -> None:
        due = None if self._closed else self._resolver.deadline
        if self._alarm is not None:
            if self._alarm[0] == due:
                return
            self._alarm[1]()
            self._alarm = None
        if due is not None:
            # One more millisecond, so that it never rings early.
            self._alarm = due, later(max(0, due - self._now()) / 1000 + 0.001, self._ring)

    def _ring(self) -> None:
        self._alarm = None

        async def ring() -> None:
            # A client that hung up is not silent, and its next call is to ask it again.
            if await self._abandon_dead_requests():
                # The question is on its way to another call, or its ask ends; then the alarm rings again.
                return
            self._end_slow_probes()
            self.feed({"type": "deadlineReached"})

        spawn(ring)

    def _now(self) -> int:
        return int(self._clock() * 1000)


def _with_connection(
    on_change: OnChange[AnyProject] | None,
) -> Callable[[AnyProject | None, AnyProject | None, ConnectionInfo], object] | None:
    """Lets a function of two arguments be called with three."""
    if on_change is None:
        return None
    function: Any = on_change
    try:
        inspect.signature(function).bind(None, None, None)
    except (TypeError, ValueError):
        return lambda project, previous, _: function(project, previous)
    return cast("Callable[[AnyProject | None, AnyProject | None, ConnectionInfo], object]", function)
