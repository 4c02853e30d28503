"""Does for a resolver what it asks for: sends, looks at the disk, keeps time. On asyncio and on trio.

An adapter for a framework makes one :class:`Connection` per client connection and tells it what the client does.
Everything here belongs to the thread of one event loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.to_thread

from ._background import later, spawn
from ._disk import look
from ._error import RootwiseError
from ._log import log, logger
from ._project import Project, project_of
from ._resolver import Resolver

if TYPE_CHECKING:
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
        RequestFacts,
        RootsRefused,
        SelectBy,
        SendRequest,
    )


class ClientError(Exception):
    """A sender raises it when the client answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Undeliverable(Exception):
    """A sender raises it when the request cannot reach the client."""


class Sender(Protocol):
    """Sends a request to the client and gives back the raw result, whatever it is."""

    async def send(self, request: SendRequest, /) -> Any: ...


class ProjectError(RootwiseError):
    """There is no project for this call; the text says why and what to do, for a person or a model."""

    #: The HTTP status the policy wants for it, where the value came with the request.
    status: int | None = None
    #: What every source said.
    explanation: Explanation | None = None

    def __init__(self, code: str, message: str, instruction: str | None = None) -> None:
        super().__init__(code, f"{message} {instruction}" if instruction else message)
        #: Why; the text without the instruction.
        self.message = message
        #: What to do about it.
        self.instruction = instruction

    def __reduce__(self) -> tuple[type[ProjectError], tuple[str | None, ...]]:
        return type(self), (self.code, self.message, self.instruction)

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> ProjectError:
        error = cls(answer["code"], answer["message"], answer.get("instruction"))
        error.status = answer.get("status")
        error.explanation = answer.get("explanation")
        return error


class NeedsInput(Exception):
    """The call must return these input requests and be made again."""

    def __init__(self, requests: dict[str, Any]) -> None:
        super().__init__("the client must be asked first")
        self.requests = requests


@dataclass
class _Waiting:
    ask: int
    sender: Sender | None
    done: anyio.Event = field(default_factory=anyio.Event)
    answer: Answer | None = None


class Connection:
    """One connection: its resolver, and whatever it waits for."""

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        host: HostFacts,
        sender: Sender | None = None,
        on_change: Callable[[Project | None, Project | None], None] | None = None,
        error: type[ProjectError] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        :param sender: for requests outside a call; without one they travel only with calls
        :param on_change: told when the connection's project is another one
        :param error: what is raised where there is no project; frameworks have classes of their own for that
        :param clock: seconds
        """
        self._resolver = Resolver(policy, host=host)
        self._sender = sender
        self._on_change = on_change
        self._error = error or ProjectError
        self._clock = clock
        self._asks: dict[int, _Waiting] = {}
        self._last_ask = 0
        self._sending: dict[int, Callable[[], None]] = {}
        self._probing: dict[int, Callable[[], None]] = {}
        self._alarm: tuple[int, Callable[[], None]] | None = None
        # Of its own, so that a disk that hangs does not take the threads of the rest of the program.
        self._threads = anyio.CapacityLimiter(2)
        self._closed = False

    @property
    def project(self) -> Project | None:
        """The connection's project as far as it is known."""
        return self._resolver.project

    def explain(self) -> Explanation:
        return self._resolver.explain()

    def initialized(self, params: Mapping[str, Any]) -> None:
        """The client sent ``initialize`` with these raw params."""
        event: Any = {"type": "clientInitialized"}
        event.update({key: params[key] for key in ("protocolVersion", "capabilities", "clientInfo") if key in params})
        self.feed(event)

    def ready(self) -> None:
        self.feed({"type": "clientReady"})

    def roots_changed(self) -> None:
        self.feed({"type": "rootsChanged"})

    async def ask(
        self,
        facts: RequestFacts | None = None,
        *,
        ask_by: AskBy | None = None,
        target: str | None = None,
        explain: bool = False,
        sender: Sender | None = None,
    ) -> Project:
        """Gives the project of a call.

        :param ask_by: whether and how this call can carry a question to the client; by default its facts decide
        :param target: a path the call touches, to tell several roots apart
        :param sender: carries a request that belongs to this call
        :raises ProjectError: there is none
        :raises NeedsInput: the client must bring its roots with another call
        """
        answer = await self.question("asked", facts, ask_by, sender, target=target, explain=explain or None)
        return self._project_of(answer)

    async def select(
        self,
        by: SelectBy,
        facts: RequestFacts | None = None,
        *,
        ask_by: AskBy | None = None,
        sender: Sender | None = None,
    ) -> Project:
        """Selects the connection's project from now on.

        :raises ProjectError: it cannot be selected
        """
        return self._project_of(await self.question("selected", facts, ask_by, sender, by=by))

    async def question(
        self, kind: str, facts: RequestFacts | None, ask_by: AskBy | None, sender: Sender | None, **more: Any
    ) -> Answer:
        """Passes on an ask, a selection or a clearing, and waits for its answer."""
        self._last_ask = self._last_ask % 0xFFFF_FFFF + 1
        ask = self._last_ask
        event: Any = {"type": kind, "ask": ask, **{key: value for key, value in more.items() if value is not None}}
        if facts:
            event["facts"] = facts
        if ask_by is not None:
            event["askBy"] = ask_by
        waiting = self._asks[ask] = _Waiting(ask, sender)
        try:
            self.feed(event)
            await waiting.done.wait()
        finally:
            del self._asks[ask]
            if waiting.answer is None and not self._closed:
                # Cancelled: nobody waits for the answer any more.
                self.feed({"type": "askWithdrawn", "ask": ask})
        assert waiting.answer is not None
        return waiting.answer

    def _project_of(self, answer: Answer) -> Project:
        if answer["outcome"] == "resolved" or answer["outcome"] == "selected":
            project = project_of(answer["project"], answer.get("hints", ()))
            assert project is not None
            return project
        if answer["outcome"] == "needsInput":
            raise NeedsInput(answer["inputRequests"])
        raise self._error.of(answer)

    def close(self) -> None:
        """The client is gone: everybody who waits is told, and nothing is left running."""
        if self._closed:
            return
        self.feed({"type": "closed"})
        self._closed = True
        for stop in [*self._sending.values(), *self._probing.values()]:
            stop()
        self._arm()
        self._resolver.close()

    def feed(self, event: Event) -> None:
        """Passes one event on and does what comes back."""
        if self._closed:
            if event["type"] in ("asked", "selected", "selectionCleared"):
                raise RootwiseError("used_after_close", "the connection is closed")
            return
        for action in self._resolver.handle(event, self._now()):
            self._do(action)
        self._arm()

    def _do(self, action: Action) -> None:
        if action["type"] == "answer":
            waiting = self._asks.get(action["ask"])
            if waiting is not None:
                waiting.answer = action
                waiting.done.set()
        elif action["type"] == "sendRequest":
            self._send(action)
        elif action["type"] == "cancel":
            stop = self._sending.pop(action["request"], None)
            if stop is not None:
                stop()
        elif action["type"] == "probe":
            self._probe(action)
        elif action["type"] == "announce":
            self._announce(action)
        elif action["type"] == "log":
            log(action)

    def _send(self, action: SendRequest) -> None:
        relates = self._asks.get(action["relatesTo"]) if "relatesTo" in action else None
        sender = (relates and relates.sender) or self._sender

        async def work() -> None:
            token = action["request"]
            refused: RootsRefused = {"type": "rootsRefused", "request": token, "kind": "undeliverable"}
            event: Event = refused
            try:
                if sender is not None:
                    result = await sender.send(action)
                    event = {"type": "rootsListed", "request": token, "result": result}
            except ClientError as error:
                refused.update({"kind": "error", "code": error.code, "message": str(error)})
            except Undeliverable:
                pass
            except Exception as problem:
                logger.debug("rootwise: asking for roots failed", exc_info=problem)
                refused["kind"] = "unreadable"
            if (
                event is refused
                and refused["kind"] != "error"
                and relates
                and self._asks.get(relates.ask) is not relates
            ):
                # The call it travelled with is over. Somebody else may still wait for it.
                refused["kind"] = "abandoned"
            self._sending.pop(token, None)
            self._pass(event, refused)

        self._sending[action["request"]] = spawn(work)

    def _pass(self, event: Event, otherwise: Event) -> None:
        try:
            self.feed(event)
        except RootwiseError as error:
            # What the client sent is too large or no JSON at all: then it answered nothing that can be read.
            logger.debug("rootwise: the client's answer was not taken: %s", error)
            self.feed(otherwise)

    def _probe(self, action: Probe) -> None:
        async def work() -> None:
            # The resolver's own deadline counts, so a thread that hangs is left behind.
            seen = await anyio.to_thread.run_sync(look, action, abandon_on_cancel=True, limiter=self._threads)
            self._probing.pop(action["probe"], None)
            self.feed(seen)

        self._probing[action["probe"]] = spawn(work)

    def _announce(self, action: Announce) -> None:
        if self._on_change is None:
            return
        try:
            old, new = project_of(action["from"]), project_of(action["to"])
            self._on_change(old, new)
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
            # A millisecond more than needed never comes early.
            self._alarm = due, later(max(0, due - self._now()) / 1000 + 0.001, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self.feed({"type": "deadlineReached"})

    def _now(self) -> int:
        return int(self._clock() * 1000)
