"""The clients of an adapter: who asks, and the session that each one has."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Any, Generic, cast

from ._background import current_loop, run_in_loop
from ._call import Call, Session, Via, current_frame
from ._contexts import StandInCall, StandInSender, declares_roots, http_scope_in, session_in, stands_for_session
from ._error import NoProjectError, RootwiseError
from ._facts import host_facts
from ._inputs import Inputs
from ._listeners import ConnectionInfo, OnChange, OnRootsChange
from ._pipe import Pipe
from ._project import AnyProject, P
from ._sender import Sender
from ._text import readable
from ._weak import WeakMap
from .driver import Driver
from .types import HostFacts, Policy


class Connections(Generic[P]):
    """Keeps one session per client, and knows whose call is being served."""

    #: The exception class for calls without a project.
    error: type[NoProjectError] = NoProjectError

    def __init__(
        self,
        policy: Policy,
        given: dict[str, Any],
        *,
        argument: str | None,
        confined: bool,
        on_change: OnChange[AnyProject] | None,
        on_roots_change: OnRootsChange | None,
    ) -> None:
        """
        :param given: host facts that replace the collected ones
        :param confined: whether each call brings the folders of its caller
        """
        self.policy = policy
        self.argument = argument
        self.inputs = Inputs(policy)
        self._given = given
        self._confined = confined
        self._on_change = on_change
        self._on_roots_change = on_roots_change
        #: One for each event loop, which may run in a thread of its own.
        self._drivers: weakref.WeakKeyDictionary[object, Driver] = weakref.WeakKeyDictionary()
        self._sessions: WeakMap[Session] = WeakMap()

    def _last_known(self, context: Any) -> P | None:
        if context is not None:
            found = self._session_of(context)
        else:
            # Of several clients, none is the one that the caller means.
            open_ones = [session for session in self._sessions.values() if not session.closed]
            found = open_ones[0] if len(open_ones) == 1 and open_ones[0].is_only else None
        return None if found is None or found.closed else cast("P | None", found.project)

    def _session_of(self, context: Any) -> Session | None:
        """Returns the session that a context, a session of the framework or a connection belongs to."""
        if isinstance(context, ConnectionInfo):
            return next((one for one in self._sessions.values() if one.info.id == context.id), None)
        sessions = [session for session in (session_in(context), context) if session is not None]
        for key in [*map(self.key_of, sessions), *sessions]:
            # Not everything can be referred to weakly.
            with suppress(TypeError):
                found = self._sessions.get(key)
                if found is not None:
                    return found
        return None

    def key_of(self, session: Any) -> object:
        """Returns what lives as long as the connection of a framework's session."""
        return session

    def _asker(self, context: Any) -> Call | Session:
        """Returns who asks for the project of a context.

        :raises NoProjectError: the context belongs to no client that is known
        """
        if context is None:
            return self.call()
        found = self._session_of(context)
        try:
            call = self.call()
        except NoProjectError:
            call = None
        session = session_in(context)
        if found is None and session is not None and stands_for_session(session):
            found = self._stand_in(session)
        if call is not None and found in (None, call.session):
            return call
        if found is None:
            raise self.no_call()
        scope = http_scope_in(context)
        if scope is not None and session is not None and stands_for_session(session):
            return StandInCall(found.driver, self.inputs.parts(scope), found)
        return found

    def _stand_in(self, session: Any) -> Session:
        try:
            weakref.ref(session)
        except TypeError:
            kind = type(session).__name__
            text = (
                f"a session of type {kind} cannot be referred to weakly; use a mock, or an object of a class of yours"
            )
            raise RootwiseError("bad_options", f"bad options at context: {text}") from None
        capabilities: dict[str, Any] = {"capabilities": {"roots": {}} if declares_roots(session) else {}}
        return self.session(session, "memory", capabilities, way=lambda: (StandInSender(session), None))

    def roots_changed(self) -> None:
        """For servers that hear of changes themselves: every connection asks again when it needs its roots next."""
        for session in self._sessions.values():
            session.roots_changed()

    def call(self) -> Call:
        """Returns the call that is being served.

        :raises NoProjectError: this code does not serve a call of a client
        """
        frame = current_frame.get()
        while frame is not None and frame.adapter is not self:
            frame = frame.outer
        if frame is None:
            raise self.no_call()
        frame.call.was_used = True
        return frame.call

    def no_call(self) -> NoProjectError:
        """Returns the error for code that does not serve a call of a client."""
        return self.error.of_host("noCall")

    def driver(self) -> Driver:
        """Returns the driver of the current event loop."""
        loop = current_loop()
        driver = self._drivers.get(loop)
        if driver is None:
            listeners: Any = {"on_change": self._on_change, "on_roots_change": self._on_roots_change}
            driver = Driver(
                self.policy, host=self._host_facts(), confined=self._confined, dirs_reported=True, **listeners
            )
            self._drivers[loop] = driver
        return driver

    def session(
        self,
        key: object,
        transport: Via,
        params: Mapping[str, Any] | None,
        handshake: object = None,
        pipe: Pipe | None = None,
        way: Callable[[], tuple[Sender | None, Callable[[], bool] | None]] = lambda: (None, None),
    ) -> Session:
        """Returns the session of a client, which lives as long as ``key`` does.

        :param params: of the last ``initialize``; none for a client that sends none
        :param handshake: another object for each ``initialize`` of the session
        :param pipe: the process's own, if that is the session's; it reports handshakes as they come
        :param way: returns what carries requests outside calls and, over HTTP, what tells whether it can
        """
        found = self._sessions.get(key)
        if found is not None and (pipe is not None or handshake is None or found.handshake() is handshake):
            return found
        if found is None:
            sender, is_listening = way()
            found = self.driver().open(**self.where(transport), sender=sender, is_listening=is_listening)
            found.is_only = transport in ("stdio", "memory")
            if params is not None:
                found.info = replace(found.info, _session=weakref.ref(key))
            run = run_in_loop()
            self._sessions.add(key, found, lambda ended: run(ended.close))
            # The SDKs unwind it when the connection ends; the object itself may live on until it is collected.
            stack = getattr(key, "exit_stack", None) or getattr(key, "_exit_stack", None)
            if isinstance(stack, AsyncExitStack):
                stack.callback(found.close)
        if handshake is not None:
            found.handshake = weakref.ref(handshake)
        if pipe is not None:
            pipe.join(found, params)
        elif params is not None:
            found.initialized(params)
            # A client that makes calls has finished its handshake.
            found.ready()
        return found

    def where(self, transport: Via) -> dict[str, Any]:
        """Returns what an event says about the way to a client."""
        if transport != "memory":
            return {"transport": transport}
        # A client in this process shares its disk.
        return {"transport": "other", "local": self._given.get("local", True)}

    def changed(self, key: object) -> None:
        """Reports that the roots of a client changed that made a call before."""
        found = self._sessions.get(key)
        if found is not None:
            found.roots_changed()

    def answered_again(self, key: Callable[[], object], *answer: Any) -> None:
        """Reports a further response of a client to a request."""
        found = self._sessions.get(key())
        if found is not None:
            found.answered_again(*answer)

    def named_by(self, arguments: Mapping[str, Any] | None) -> Any:
        """Returns the argument of a tool that names its project."""
        named = (arguments or {}).get(self.argument) if self.argument else None
        # One that cannot be passed on is refused like any other that is no text.
        return named if named is None or readable(named) is not None else False

    def _host_facts(self) -> HostFacts:
        facts: Any = host_facts(policy=self.policy)
        # Each session brings its own.
        del facts["transport"]
        if self._given.get("style", facts["style"]) != facts["style"]:
            # The folders of this machine mean nothing to a host of the other style.
            facts = {name: value for name, value in facts.items() if name not in ("cwd", "excludedDirs")}
        return cast("HostFacts", {**facts, **self._given})
