"""The clients that are connected, and their calls that are being served."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

import anyio
import anyio.lowlevel

from ._background import current_task
from ._listeners import ConnectionInfo
from ._project import AnyProject, project_of
from ._sender import ClientError, Sender, StreamSender, listed, refused
from ._text import readable
from .types import Answer, CallResult

if TYPE_CHECKING:
    from ._adapter import Adapter
    from ._roots import Roots
    from .driver import Driver

#: The way to a client: the process's own input and output, HTTP, memory of the same process, or anything else.
Via = Literal["stdio", "http", "memory", "other"]

#: How often streams are checked while a call waits. Servers do not tell when a client hangs up.
_STREAM_CHECK_S = 0.1

#: Threads with which one session looks at the disk, so that a disk that hangs occupies no threads of others.
_MAX_THREADS = 8

#: How a call of 2026-07-28 describes its client, as the client sent it until the call is reported.
_DESCRIPTION = frozenset({"capabilities", "clientInfo"})

#: The parts of a call that its project does not depend on.
_APART = frozenset({"method", "protocolVersion", "requestState"})

_connection_ids = itertools.count(1)

T = TypeVar("T")


@dataclass(eq=False)
class Pending(Generic[T]):
    """A result that the endpoint has yet to give."""

    by: Asker
    done: anyio.Event = field(default_factory=anyio.Event)
    result: T | None = None

    def settle(self, result: T) -> None:
        self.result = result
        self.done.set()

    async def wait(self) -> T:
        if self.result is not None:
            return self.result
        while self.result is None:
            with anyio.move_on_after(_STREAM_CHECK_S if self.by.may_break else None):
                await self.done.wait()
            if self.result is None:
                await self.by.check()
        # A call that was cancelled while its answer arrived ends here: if it went on and returned a result, SDK 1.x
        # would end the whole session.
        await anyio.lowlevel.checkpoint()
        return self.result


class Asker:
    """What can ask: a call, or a session outside any call."""

    def __init__(self, driver: Driver, number: int, sender: Sender | None, may_break: bool) -> None:
        self.driver = driver
        self.id = number
        #: Carries requests to the client.
        self.sender = sender
        #: Whether it has streams that may break while it waits.
        self.may_break = may_break
        #: The stream of its own that is open; over HTTP only.
        self.channel: int | None = None

    async def ask(self, kind: str = "asked", **more: Any) -> Answer:
        """Passes on an ask, a selection or a clearing, and waits for its answer."""
        number, pending = self._put(kind, more)
        try:
            return await pending.wait()
        finally:
            del self.driver.asks[number]
            if pending.result is None:
                self.driver.feed({"type": "askWithdrawn", "ask": number})

    def peek(self, **more: Any) -> Answer:
        """Returns the answer as far as it is known now; sends nothing and never waits."""
        number, pending = self._put("asked", {**more, "peek": True})
        del self.driver.asks[number]
        assert pending.result is not None
        return pending.result

    def _put(self, kind: str, more: dict[str, Any]) -> tuple[int, Pending[Answer]]:
        event: Any = {"type": kind, **self.named(), **{key: value for key, value in more.items() if value is not None}}
        number = event["ask"] = self.driver.next_id()
        pending = self.driver.asks[number] = Pending[Answer](self)
        try:
            self.driver.feed(event, self)
        except BaseException:
            del self.driver.asks[number]
            raise
        return number, pending

    def named(self) -> dict[str, int]:
        """Returns the part of an event that names it, and reports what the endpoint must know first."""
        raise NotImplementedError

    async def is_open(self) -> bool:
        """Tells whether its sender reaches the client."""
        raise NotImplementedError

    async def check(self) -> None:
        """Reports streams that broke."""
        raise NotImplementedError

    def broken(self) -> dict[str, Any] | None:
        """Returns the event that reports the end of its stream, if it has one that was open."""
        channel, self.channel = self.channel, None
        return None if channel is None else {"type": "channelClosed", "channel": channel, "end": "broken"}

    @functools.cached_property
    def threads(self) -> anyio.CapacityLimiter:
        """Limits the threads that look at the disk for it."""
        return anyio.CapacityLimiter(_MAX_THREADS)


class Session(Asker):
    """One client, as long as it is connected."""

    def __init__(
        self, driver: Driver, number: int, sender: Sender | None, is_listening: Callable[[], bool] | None
    ) -> None:
        super().__init__(driver, number, sender, is_listening is not None)
        #: The session as ``on_change`` sees it.
        self.info = ConnectionInfo(next(_connection_ids))
        #: The session's project as far as it is known.
        self.project: AnyProject | None = None
        #: The answer to every ask without facts of its own whose call describes its client so, and when that ends.
        self._known: tuple[AnyProject, dict[str, Any], int | None] | None = None
        #: The roots that ``on_roots_change`` was told last, and who tells them.
        self.roots: Roots | None = None
        self.telling: anyio.Event | None = None
        #: The handshake that the adapter reported last.
        self.handshake: Callable[[], object] = lambda: None
        self.closed = False
        #: Whether the process serves this client alone, as over its own input and output.
        self.is_only = False
        self._is_listening = is_listening

    def known_to(self, facts: Mapping[str, Any]) -> AnyProject | None:
        """Returns the answer to an ask with these facts, if there is one without asking."""
        if self._known is None:
            return None
        project, client, until = self._known
        return project if facts == client and (until is None or self.driver.now() < until) else None

    @property
    def known(self) -> AnyProject | None:
        return self.known_to({})

    def changed(self, change: Mapping[str, Any], actions: list[Any], by: Asker | None) -> None:
        """Keeps what an event says about the session.

        :param by: who put the event
        """
        if "project" in change:
            self.project = project_of(change["project"])
        self._known = None
        client = by.facts if isinstance(by, Call) else {}
        # Who does not say how a call describes its client cannot compare it.
        answers = [one for one in actions if one["type"] == "answer" and one["outcome"] == "resolved"]
        # An ask of the endpoint itself has no answer here.
        if "known" in change and len(answers) == 1 and change["known"].get("modern", False) == bool(client):
            project = project_of(answers[0]["project"])
            assert project is not None
            self._known = project, client, change["known"].get("until")

    def initialized(self, params: Mapping[str, Any], number: Any = None, previous: Any = None) -> None:
        """Reports ``initialize`` with its raw params.

        :param number: the id of the request
        :param previous: the id of the last request before it
        """
        client = params.get("clientInfo")
        name = client.get("name") if isinstance(client, Mapping) else None
        self.info = replace(self.info, client=name if isinstance(name, str) else None)
        read = {key: readable(params.get(key)) for key in ("protocolVersion", "capabilities", "clientInfo")}
        self._report("clientInitialized", **read, id=number, previousId=previous)

    def ready(self) -> None:
        """Reports ``notifications/initialized``."""
        self._report("clientReady")

    def roots_changed(self) -> None:
        """Reports ``notifications/roots/list_changed``."""
        if not self.closed:
            self._report("rootsChanged", **self.named())

    def requested(self, number: Any, method: str | None = None) -> None:
        """Reports a request, by its id: the order of ids may show that several clients share a pipe."""
        self._report("requestSeen", id=readable(number), method=method)

    def input_closed(self) -> None:
        """Reports that the client sends no more."""
        self._report("inputClosed")

    def answered_again(self, request: int, result: Any, error: ClientError | None) -> None:
        """Reports a response to a request that was answered before: several clients may share the session."""
        self.driver.feed(listed(request, result) if error is None else refused(request, error), self)

    def close(self) -> None:
        """Reports that the client is gone: who waits gets an answer, and no task or timer is left."""
        if not self.closed:
            self.closed = True
            self._report("sessionClosed")
            self.project = self._known = None

    def named(self) -> dict[str, int]:
        """Reports first whether the stream outside calls is open: the SDKs do not tell."""
        is_open = self._is_listening is not None and not self.closed and self._is_listening()
        if is_open and self.channel is None:
            self.channel = self.driver.next_id()
            self._report("channelOpened", channel=self.channel)
        elif not is_open and (event := self.broken()):
            self.driver.feed(event)
        return {"session": self.id}

    async def is_open(self) -> bool:
        return self._is_listening is None or self._is_listening()

    async def check(self) -> None:
        self.named()

    def _report(self, kind: str, **more: Any) -> None:
        given = {key: value for key, value in more.items() if value is not None}
        self.driver.feed({"type": kind, "session": self.id, **given}, self)


class InputRequired(BaseException):
    """Ends a call whose client must send its roots first. The middleware turns it into an `input_required` result.

    It is not an error, so it does not derive from `Exception`: a tool that catches every exception cannot swallow it,
    and no framework logs or counts it.
    """


def is_input_required(problem: BaseException) -> bool:
    """Tells whether an exception ends such a call, also inside the groups that task groups raise."""
    parts = getattr(problem, "exceptions", None)
    if isinstance(problem, Exception) or parts is None:
        # A tool may have wrapped it into an error of its own.
        return isinstance(problem, (Exception, InputRequired))
    return all(is_input_required(part) for part in parts)


class Call(Asker):
    """One request of a client, as far as its project is concerned. The endpoint hears of it with its first ask."""

    def __init__(
        self,
        driver: Driver,
        parts: Mapping[str, Any],
        session: Session | None = None,
        sender: Sender | None = None,
        request: tuple[object, Any] = (None, None),
        http: Any = None,
    ) -> None:
        """
        :param parts: what the event ``callStarted`` says about the request
        :param session: the client's session; none where the call is stateless
        :param sender: carries requests with this call
        :param request: identifies the client's request, to recognise calls that a tool makes itself
        :param http: the HTTP request, if there is one
        """
        self.http = http
        self._stream = cast("StreamSender", sender) if hasattr(sender, "is_open") else None
        in_session = session is not None and session.may_break
        super().__init__(driver, 0, sender, in_session or self._stream is not None)
        self.parts = dict(parts)
        self.session = session
        self.request = request
        #: The task that serves the call.
        self.task: Callable[[], object] | None = None
        #: Whether something asked for its project.
        self.was_used = False
        #: Whether its client must be asked by its result.
        self.needs_input = False
        #: The questions with which a call inside this one ended.
        self.round: dict[str, Any] | None = None
        #: Whether the server has told who makes it.
        self.identified = False
        #: Whether its result is on its way.
        self.over = False

    @property
    def facts(self) -> dict[str, Any]:
        """The parts that its project may depend on."""
        return {name: part for name, part in self.parts.items() if name not in _APART}

    @property
    def known(self) -> AnyProject | None:
        """The project, if an earlier answer of the session is also the answer to this call."""
        return None if self.session is None or self.over else self.session.known_to(self.facts)

    def named(self) -> dict[str, int]:
        if self.session is not None:
            self.session.named()
        if not self.id and not self.over:
            self.id = self.driver.next_id()
            where: dict[str, Any] = {} if self.session is None else {"session": self.session.id}
            if self.driver.confined:
                # Until the server has told the folders of the caller, there are none.
                self.parts.setdefault("allowedDirs", [])
            for name in _DESCRIPTION & self.parts.keys():
                self.parts[name] = readable(self.parts[name])
            if self._stream is not None:
                where["channel"] = self.channel = self.id
            self.driver.feed({"type": "callStarted", "call": self.id, **where, **self.parts}, self)
        return {"call": self.id}

    async def returned(self, input_required: bool) -> CallResult:
        """Reports that the handler of a modern call returned; the result says how the call ends."""
        event = {"type": "callReturned", **self.named(), "inputRequired": input_required}
        pending = self.driver.results[self.id] = Pending[CallResult](self)
        try:
            self.driver.feed(event, self)
            return await pending.wait()
        finally:
            del self.driver.results[self.id]

    def end(self, cancelled: bool = False) -> None:
        """Reports that the call is over: work that it began may go on, but can no longer ask."""
        self.over = True
        number, self.id, self.channel = self.id, 0, None
        if number:
            self.driver.feed({"type": "callEnded", "call": number, "cancelled": cancelled}, self)

    async def is_open(self) -> bool:
        return self._stream is None or await self._stream.is_open()

    async def check(self) -> None:
        if self.session is not None:
            await self.session.check()
        if not await self.is_open() and (event := self.broken()):
            self.driver.feed(event, self)

    @functools.cached_property
    def threads(self) -> anyio.CapacityLimiter:
        return super().threads if self.session is None else self.session.threads


@dataclass(frozen=True)
class Frame:
    """The calls that are being served, the innermost first: servers can be mounted, and tools can call tools."""

    adapter: Adapter[Any]
    call: Call
    outer: Frame | None


current_frame: ContextVar[Frame | None] = ContextVar("rootwise_call", default=None)


@contextmanager
def serving(adapter: Adapter[Any], call: Call) -> Iterator[None]:
    """Makes a call the one that is being served, until its result is known."""
    call.task = weakref.ref(current_task())
    token = current_frame.set(Frame(adapter, call, current_frame.get()))
    cancelled = False
    try:
        yield
    except anyio.get_cancelled_exc_class():
        cancelled = True
        raise
    finally:
        current_frame.reset(token)
        call.end(cancelled)


def enclosing_frame(request: object) -> Frame | None:
    """Returns the frame of the same request: of a parent server, of a tool that calls a tool, of a second adapter."""
    frame = current_frame.get()
    return frame if frame is not None and frame.call.request == request else None
