"""The parts that the adapters for all frameworks share."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Generic, NoReturn, TypeVar, cast, overload

import anyio.from_thread

from . import testing
from ._background import current_task, in_event_loop
from ._call import Call, InputRequired, Session, current_frame
from ._callers import Callers, CallersFolders, CallersName, Folders
from ._codex import SANDBOX_STATE
from ._connections import Connections
from ._declare import Declaration
from ._disk import in_thread
from ._error import NoProjectError, RootwiseError
from ._facts import absolute_dirs, given_facts, report_dirs, with_real_paths
from ._functions import not_inside, path_problem, project_parameter, ready_tools
from ._inject import filled_in
from ._inside import resolve_file
from ._listeners import OnChange, OnRootsChange
from ._options import bad_option, flags, mapping, no_others, selection, texts
from ._presets import policy_with_path
from ._project import AnyProject, P, Project, project_of
from ._roots import Roots, only_root, roots_of
from .types import Answer, Explanation, Policy

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import TypedDict

    class Options(TypedDict, Generic[P], total=False):
        """The options of every adapter but the first two, for the overloads of constructors."""

        allowed_dirs: Folders | CallersFolders | None
        local: bool | None
        argument: str | None
        declare: bool
        caller: CallersName | None
        replicas: bool
        host: Mapping[str, Any] | None
        on_change: OnChange[P] | None
        on_roots_change: OnRootsChange | None
        codex_meta: bool


class Adapter(Connections[P]):
    """Finds the project of a call."""

    def __init__(
        self,
        policy: str | Policy | None = None,
        *,
        require_path: bool | None = None,
        allowed_dirs: Folders | CallersFolders | None = None,
        local: bool | None = None,
        argument: str | None = None,
        declare: bool = False,
        caller: CallersName | None = None,
        replicas: bool = False,
        host: Mapping[str, Any] | None = None,
        on_change: OnChange[P] | None = None,
        on_roots_change: OnRootsChange | None = None,
        codex_meta: bool = True,
        **others: NoReturn,
    ) -> None:
        """
        :param policy: a preset's name or a policy; by default ``recommended``
        :param require_path: whether a project must be a folder that this process can use; by default it must. With
            ``False`` a name or a folder on the client's machine is a project too, and its ``path`` is ``None``
        :param allowed_dirs: the folders that every project must be in, compared by real path; an empty list allows
            none. Set it for every HTTP server that other machines can reach. A function, plain or ``async``, tells the
            folders of one caller: it gets the HTTP request of the call, or none on another transport, and may look up
            who calls in any other way. A call fails if it does. With ``host={"allowed_dirs": [...]}``, both must hold.
            Connections then have no project of their own: ``on_change`` is not called, and ``current`` knows nothing
        :param local: whether an HTTP client's paths mean the same here; set it for servers on the user's own machine
        :param argument: the tool argument that names a project, where tools have one
        :param declare: whether that parameter, which is optional, is added to every tool that has none, where clients
            list the tools. Rootwise reads it and takes it out of the call
        :param caller: a function, plain or ``async``, that tells who makes a call over HTTP that belongs to no session,
            so that what the caller selects counts for its next calls. It gets the HTTP request. Return what the server
            has verified, such as the subject of ``get_access_token()``, and never what a client says about itself;
            ``None`` for a caller that is not known. A call fails if it does. The memory is that of this process
        :param replicas: whether several processes, such as workers, serve the clients over HTTP. Then nothing is
            remembered between calls that belong to no session, because the processes would disagree, and a selection is
            answered with a handle, which all of them understand
        :param host: host facts that you know better than this process, such as ``{"tool_argument": "path"}``
        :param on_change: called with the new and the previous project when a connection's project changes, and with
            none and the last one when the connection ends; a third parameter receives the connection
        :param on_roots_change: called with the new and the previous roots when another list of a client arrives
        :param codex_meta: whether to declare the experimental capability that makes Codex send its folder with calls
        :raises RootwiseError: an option is wrong; the message names it
        """
        no_others(others, inspect.signature(Adapter).parameters.keys() - {"others"})
        flags(require_path=require_path, local=local, codex_meta=codex_meta, declare=declare, replicas=replicas)
        texts(argument=argument)
        if declare and argument is None:
            raise bad_option("declare", "needs the option argument, the name of the parameter that it declares")
        chosen = policy_with_path(policy, require_path)
        given = given_facts(mapping("host", host))
        if local is not None:
            given["local"] = local
        if replicas:
            given["replicas"] = True
        if argument is not None:
            given.setdefault("toolArgument", argument)
        self.declaration = Declaration(argument) if declare and argument is not None else None
        self._callers = Callers(allowed_dirs if callable(allowed_dirs) else None, caller, self.error)
        #: The tool of ours that selects a project.
        self._switch_tool: str | None = None
        if allowed_dirs is not None and not callable(allowed_dirs):
            given["allowedDirs"] = absolute_dirs(allowed_dirs)
        elif isinstance(folders := given.get("allowedDirs"), list):
            given["allowedDirs"] = with_real_paths(folders)
        for name, function in (("on_change", on_change), ("on_roots_change", on_roots_change)):
            if function is not None and not callable(function):
                raise bad_option(name, "must be callable")
        super().__init__(
            chosen,
            given,
            argument=argument,
            confined=self._callers.confined,
            on_change=cast("OnChange[AnyProject] | None", on_change),
            on_roots_change=on_roots_change,
        )
        if argument is not None and not self.inputs.argument:
            problem = (
                'the policy has no source "argument", so nothing would read it; add {"from": "argument"} to its '
                "sources, or leave the option out"
            )
            raise bad_option("argument", problem)
        # Options that are invalid fail here and not in every call, and so do folders that are of no use.
        report_dirs(self.policy, self._host_facts())
        #: Whether a handshake declares the capability; a policy that does not read the folder needs none.
        self.asks_codex = codex_meta and SANDBOX_STATE in self.inputs.meta

    async def project(
        self,
        context: Any = None,
        /,
        *,
        argument: str | None = None,
        target: str | None = None,
        server: str | None = None,
    ) -> P:
        """Returns the project of the call that is being served. Make it the first line of a tool.

        :param context: the framework's context or session, or a connection that ``on_change`` was told: outside a call,
            its client is asked. In a unit test, any object with a ``session`` that has ``list_roots``
        :param argument: the project that the call names, as a path or URI; the policy needs a source ``argument``
        :param target: a path the call touches, to tell several roots apart and to find its package
        :param server: a project that you know from elsewhere, such as the workspace of an authenticated user
        :raises NoProjectError: the call has no project; its text is for the model, its ``code`` for programs
        """
        fixed = testing.current_project()
        if fixed is not None:
            return cast("P", fixed)
        by = self._asker(context)
        facts = (argument, target, server)
        if not self._callers.confined and facts == (None, None, None) and (known := by.known) is not None:
            return cast("P", known)
        return self._project_from(await self._ask("asked", by, argument=argument, target=target, server=server))

    def current(
        self,
        context: Any = None,
        /,
        *,
        argument: str | None = None,
        target: str | None = None,
        server: str | None = None,
    ) -> P | None:
        """Returns the project as far as it is known now; asks no client and never waits.

        Outside a call it is the last known project of the connection that ``context`` belongs to or, without one, of
        the only client of a process that serves one over its own input and output. It works in every thread.

        :param context: as for :meth:`project`
        """
        fixed = testing.current_project()
        if fixed is not None:
            return cast("P", fixed)
        if not in_event_loop():
            # A plain function, which the framework runs in a thread; connections belong to the event loop.
            there = functools.partial(self.current, context, argument=argument, target=target, server=server)
            try:
                return anyio.from_thread.run_sync(there)
            except RuntimeError:
                # Another thread, which no event loop waits for.
                return self._last_known(context)
        try:
            call = self.call()
        except NoProjectError:
            return self._last_known(context)
        if context is not None and self._session_of(context) not in (None, call.session):
            return self._last_known(context)
        if call.over:
            # Work that outlives its call.
            return None if call.session is None or call.session.closed else cast("P | None", call.session.project)
        if not self._callers.knows(call):
            return None
        facts = (argument, target, server)
        if not self._callers.confined and facts == (None, None, None) and (known := call.known) is not None:
            return cast("P", known)
        answer = call.peek(argument=argument, target=target, server=server)
        return self._project_from(answer) if answer["outcome"] == "resolved" else None

    async def roots(self, context: Any = None, /) -> Roots:
        """Returns all roots of the client, each with its real path or the reason why it is unusable.

        :param context: as for :meth:`project`
        :raises NoProjectError: the roots are unavailable
        """
        fixed = testing.current_project()
        if fixed is not None:
            return only_root(fixed)
        answer = await self._ask("asked", self._asker(context), want="roots")
        if answer["outcome"] != "listed":
            raise self.error.from_answer(answer)
        return roots_of(answer)

    async def resolve(self, path: str | os.PathLike[str]) -> str:
        """Returns the real path of a file inside any of the client's roots; a relative path starts from the project.

        It is for clients that have roots; :meth:`resolve_file` finds a file inside the project alone. Use the result
        and not the given path: a link can change between the check and the use.

        :raises NoProjectError: the path is outside every root (``outside``), no root is usable (``no_roots``), or the
            disk did not answer in time (``unconfirmed``)
        """
        roots = await self.roots()
        known = await self._project_or_none() if self._callers.confined else self.current()

        base = known.path if known is not None else None
        return await self._look(lambda: roots.resolve(path, base))

    async def resolve_file(self, file: str | os.PathLike[str]) -> str:
        """Returns the real path of a file inside the project of this call; see :func:`rootwise.resolve_file`.

        :raises NoProjectError: no project was found, the path is not inside it (``outside``; the message says which
            part is wrong and where it leads), or the disk did not answer in time (``unconfirmed``)
        """
        project = await self.project()
        return await self._look(lambda: resolve_file(project, file))

    async def _look(self, look: Callable[[], str]) -> str:
        """Checks a path in a thread, for as long as a caller waits."""
        patience = (self.policy.get("timing") or {}).get("callerTimeoutMs", 5_000) / 1_000
        try:
            return await in_thread(look, patience)
        except TimeoutError:
            problem = path_problem(problem="noAnswer")
            raise self.error(problem["code"], problem["message"]) from None
        except RootwiseError as error:
            raise self.error(error.code, str(error)) from None

    async def _project_or_none(self) -> P | None:
        try:
            return await self.project()
        except NoProjectError:
            return None

    async def inside(self, path: str | os.PathLike[str]) -> bool:
        """Tells whether a path is inside the client's roots; see :meth:`resolve`.

        A path that this machine refuses to read or examine is not.

        :raises NoProjectError: nobody knows: the call is over, or the disk does not answer
        """
        try:
            await self.resolve(path)
        except NoProjectError as error:
            if error.code not in not_inside():
                raise
            return False
        return True

    async def select(
        self,
        value: str | None = None,
        /,
        *,
        name: str | None = None,
        path: str | None = None,
        uri: str | None = None,
        root: str | None = None,
    ) -> P:
        """Selects the connection's project from now on. Name it in exactly one way.

        :param value: a path, a ``file:`` URI or the name of a root
        :param name: a name
        :param path: an absolute path
        :param uri: a ``file:`` URI
        :param root: the name or URI of one of the client's roots
        :raises NoProjectError: the selection is refused; a client without a connection must name its project in every
            call (``pass_each_call``)
        """
        by = selection(value=value, name=name, path=path, uri=uri, root=root)
        if fixed := testing.current_fixed():
            return cast("P", fixed.select(by))
        return self._project_from(await self._ask("selected", self.call(), by=by))

    async def unselect(self) -> P | None:
        """Drops the selection and returns the project that counts instead, if there is one.

        :raises NoProjectError: the selection cannot be dropped, or the call is over
        """
        if fixed := testing.current_fixed():
            return cast("P", fixed.unselect())
        answer = await self._ask("selectionCleared", self.call())
        if answer["outcome"] != "cleared":
            raise self.error.from_answer(answer)
        return cast("P", project_of(answer["project"])) if "project" in answer else None

    async def explain(
        self,
        context: Any = None,
        /,
        *,
        argument: str | None = None,
        target: str | None = None,
        server: str | None = None,
    ) -> Explanation:
        """Explains the project of this call: the result of every source, and a readable table in ``text``.

        :param context: as for :meth:`project`
        """
        if fixed := testing.current_fixed():
            return fixed.explanation
        by = self._asker(context)
        answer = await self._ask("asked", by, argument=argument, target=target, server=server, explain=True)
        if "explanation" not in answer:
            raise self.error.from_answer(answer)
        return answer["explanation"]

    async def project_and_hints(
        self,
        context: Any = None,
        /,
        *,
        argument: str | None = None,
        target: str | None = None,
        server: str | None = None,
    ) -> tuple[P, tuple[str, ...]]:
        """Returns the project of this call and the policy's hints, which the tool shows with its result.

        A hint that comes once per connection comes with the first call that asks for hints.

        :param context: as for :meth:`project`, and so are the others
        :raises NoProjectError: the call has no project
        """
        fixed = testing.current_project()
        if fixed is not None:
            return cast("P", fixed), ()
        by = self._asker(context)
        answer = await self._ask("asked", by, argument=argument, target=target, server=server, hints=True)
        return self._project_from(answer), tuple(answer.get("hints", ()))

    @overload
    def inject(self, function: Callable[..., Awaitable[T]], /) -> Callable[..., Coroutine[Any, Any, T]]: ...
    @overload
    def inject(self, function: Callable[..., T], /) -> Callable[..., Coroutine[Any, Any, T]]: ...
    def inject(self, function: Callable[..., Any], /) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Fills in the parameter that is annotated with ``Project``; for plain and for ``async`` functions.

        A plain function runs in a thread, so that it does not block the event loop. With
        ``require_path=False`` the annotation is ``AnyProject``.

        Put it below the decorator of the framework::

            @mcp.tool()
            @rootwise.inject
            def status(project: Project) -> str: ...

        :raises RootwiseError: the function has no such parameter
        """

        async def project(arguments: dict[str, Any]) -> Any:
            return await self.project(argument=arguments.get(self.argument) if self.argument else None)

        return filled_in(function, self._project_type(), project)

    def register_tools(
        self,
        server: Any,
        *,
        which: str | None = "which_project",
        switch: str | None = "switch_project",
        list: str | None = "list_roots",
    ) -> None:
        """Registers tools with which a model sees and changes its project; ``None`` leaves one out.

        :param server: a server with a ``tool`` decorator
        :param which: the name of the tool that explains which project this is
        :param switch: the name of the tool that selects another one
        :param list: the name of the tool that lists the client's roots
        """
        ready = ready_tools()

        def register(kind: str, name: str, tool: Callable[..., Any]) -> None:
            shown = {key: ready[kind].get(key) for key in ("title", "description", "annotations")}
            server.tool(name=name, **shown)(tool)

        if which is not None:

            async def which_project() -> str:
                return (await self.explain())["text"]

            register("which", which, which_project)
        if switch is not None:
            self._given.setdefault("selectTool", switch)
            self._switch_tool = switch

            async def switch_project(project: str) -> str:
                answer = await self._ask("selected", self.call(), by={"value": project})
                if answer["outcome"] != "selected":
                    raise self.error.from_answer(answer)
                return answer["message"]

            # Every framework with tools reads their parameters with pydantic.
            from pydantic import Field

            described = ready["switch"]["inputSchema"]["properties"]["project"]["description"]
            switch_project.__annotations__["project"] = Annotated[str, Field(description=described)]
            register("switch", switch, switch_project)
        if list is not None:

            async def list_roots() -> str:
                return (await self.roots()).text

            register("list", list, list_roots)
        if self.declaration is not None:
            self.declaration.exempt |= {name for name in (switch, list) if name is not None}

    def is_switch(self, tool: Any) -> bool:
        """Tells whether the arguments of a tool mean something else, whatever they are called."""
        return self._switch_tool is not None and tool == self._switch_tool

    async def parameter(self, call: Call | None) -> dict[str, Any]:
        """Returns the parameter that names the project, with the roots of the session as far as they are known."""
        roots = None
        if call is not None and call.session is not None:
            # Whatever is wrong with the caller, its calls say it; the list of tools has no place for it.
            with suppress(Exception):
                await self._callers.identify(call)
                answer = call.peek(want="roots")
                roots = answer["roots"] if answer["outcome"] == "listed" else None
            call.end()
        return project_parameter(roots)

    async def _ask(self, kind: str, call: Call | Session, /, **more: Any) -> Answer:
        if isinstance(call, Call):
            await self._callers.identify(call)
        answer = await call.ask(kind, **more)
        if answer["outcome"] != "needsInput" or isinstance(call, Session):
            return answer
        call.needs_input = True
        if call.task is not None and call.task() is current_task():
            raise InputRequired
        # Whoever asks outside of the call's own task may outlive it, and gets an ordinary error.
        ended = Call(call.driver, {})
        ended.end()
        return ended.peek()

    def _project_type(self) -> type[AnyProject]:
        return Project if self.policy.get("requirePath", True) else AnyProject

    def _project_from(self, answer: Answer) -> P:
        if answer["outcome"] == "resolved" or answer["outcome"] == "selected":
            return cast("P", project_of(answer["project"], answer.get("explanation")))
        raise self.error.from_answer(answer)


async def project_of_current_call(no_call: Callable[[], NoProjectError]) -> Project:
    """Returns the project of the call that is being served, for code that does not know the adapter."""
    fixed = testing.current_project()
    if fixed is not None:
        return fixed
    frame = current_frame.get()
    if frame is None:
        raise no_call()
    if frame.adapter._project_type() is not Project:
        message = (
            "This server accepts projects without a folder (require_path=False); CurrentProject has one. Use "
            "`@rootwise.inject` with AnyProject, or `await rootwise.project()`."
        )
        raise frame.adapter.error("bad_options", message)
    found: Project = await frame.adapter.project()
    return found
