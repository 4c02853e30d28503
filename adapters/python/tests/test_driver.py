"""The driver on both event loops: what it sends, what it leaves behind."""

from __future__ import annotations

import gc
import json
import os
import pickle
import weakref
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

import rootwise
from rootwise import (
    AnyProject,
    NoProjectError,
    Project,
    RootwiseError,
    _background,
    host_facts,
    presets,
    resolve_at_start,
)
from rootwise._adapter import Adapter
from rootwise._facts import arguments
from rootwise.driver import ClientError, Connection, Undeliverable
from rootwise.starlette import ProjectMiddleware
from rootwise.start import resolve_and_explain

#: Milliseconds; a probe has no more time, also on a busy machine.
PATIENCE_OF_CALLERS = 1_000

HOST: Any = {"style": "posix", "transport": "stdio", "push": False}


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def connection(wait: int = 20_000, **options: Any) -> Connection:
    policy = presets["recommended"]
    policy["timing"] = {"waitMs": wait, "lifeMs": 60_000}
    made = Connection(policy, host=HOST, **options)
    made.initialized({"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}})
    made.ready()
    return made


class Peer:
    """A client that answers when the test says so."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.asked = 0
        self.cancelled = 0
        self.may_answer = anyio.Event()

    async def send(self, request: Any, /) -> Any:
        self.asked += 1
        try:
            await self.may_answer.wait()
        except anyio.get_cancelled_exc_class():
            self.cancelled += 1
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def roots(*folders: Path) -> Any:
    return {"roots": [{"uri": folder.as_uri()} for folder in folders]}


async def settled(condition: Any) -> None:
    with anyio.fail_after(20):
        while not condition():
            await anyio.sleep(0.001)


@pytest.mark.anyio
async def test_a_hint_comes_with_the_answer_and_is_no_part_of_the_project(tmp_path: Path) -> None:
    host: Any = {**HOST, "env": {"COCOSEARCH_PROJECT": str(tmp_path)}}
    made = Connection("cocosearch", host=host)
    made.initialized({"protocolVersion": "2025-06-18", "capabilities": {}})
    made.ready()
    first, second = await made.ask(), await made.ask()
    assert first.hints == ("Tip: Use Claude Code for automatic project detection",)
    assert second.hints == ()
    assert first == second
    made.close()


@pytest.mark.anyio
async def test_many_asks_share_one_request_and_one_project(tmp_path: Path) -> None:
    changes: list[Any] = []
    made, peer, got = connection(on_change=lambda *change: changes.append(change)), Peer(roots(tmp_path)), []

    async def ask() -> None:
        got.append(await made.ask(sender=peer))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(ask)
        await settled(lambda: peer.asked)
        peer.may_answer.set()
    assert {project.path for project in got} == {str(tmp_path)}
    assert peer.asked == 1
    assert [(new.path, old) for new, old, _ in changes] == [(str(tmp_path), None)]
    made.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer", [ClientError(-32601, "Method not found"), Undeliverable(), ValueError("odd"), {1, 2}, None]
)
async def test_whatever_the_client_does_the_call_ends(answer: Any) -> None:
    made, peer = connection(), Peer(answer)
    peer.may_answer.set()
    with pytest.raises(NoProjectError) as caught:
        await made.ask(sender=peer)
    assert caught.value.code == "no_project"
    assert caught.value.explanation is not None
    made.close()


@pytest.mark.anyio
async def test_an_error_keeps_why_and_what_to_do_apart() -> None:
    made = Connection("mcp-guide", host={"style": "posix", "transport": "stdio", "env": {}})
    with pytest.raises(NoProjectError) as caught:
        await made.ask()
    made.close()
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.message.startswith("Project context not available.")
        assert error.instruction == "Call switch_project with your project name"
        assert str(error) == f"{error.message} {error.instruction}"


@pytest.mark.anyio
async def test_a_question_keeps_nothing_of_the_call_it_began_in() -> None:
    class Session:
        pass

    made, peer, kept = connection(wait=20), Peer(), ContextVar[object]("kept")

    async def call() -> weakref.ref[Session]:
        session = Session()
        token = kept.set(session)
        with pytest.raises(NoProjectError):
            await made.ask(sender=peer)
        kept.reset(token)
        return weakref.ref(session)

    session = await call()
    gc.collect()
    assert peer.asked == 1
    assert peer.cancelled == 0
    assert session() is None
    made.close()


@pytest.mark.anyio
async def test_a_silent_client_costs_one_wait_and_a_late_answer_lands(tmp_path: Path) -> None:
    made, peer = connection(wait=PATIENCE_OF_CALLERS), Peer(roots(tmp_path))
    with pytest.raises(NoProjectError):
        await made.ask(sender=peer)
    with pytest.raises(NoProjectError):
        await made.ask(sender=peer)
    peer.may_answer.set()
    await settled(lambda: made.project)
    assert (await made.ask(sender=peer)).path == str(tmp_path)
    assert peer.asked == 1
    made.close()


@pytest.mark.anyio
async def test_a_cancelled_ask_is_withdrawn_and_the_request_serves_the_next(tmp_path: Path) -> None:
    made, peer = connection(), Peer(roots(tmp_path))
    async with anyio.create_task_group() as group:

        async def ask() -> None:
            await made.ask(sender=peer)

        group.start_soon(ask)
        await settled(lambda: peer.asked)
        group.cancel_scope.cancel()
    assert not made._asks
    peer.may_answer.set()
    assert (await made.ask(sender=peer)).path == str(tmp_path)
    assert peer.asked == 1
    made.close()


@pytest.mark.anyio
async def test_a_call_that_ends_hands_its_request_to_those_who_wait(tmp_path: Path) -> None:
    first, second = Peer(Undeliverable()), Peer(roots(tmp_path))
    second.may_answer.set()
    made, got = connection(), []

    async def ask(peer: Peer) -> None:
        got.append(await made.ask(sender=peer))

    async with anyio.create_task_group() as group:
        scope = anyio.CancelScope()

        async def owner() -> None:
            with scope:
                await ask(first)

        group.start_soon(owner)
        await settled(lambda: first.asked)
        group.start_soon(ask, second)
        await settled(lambda: len(made._asks) == 2)
        scope.cancel()
        await settled(lambda: len(made._asks) == 1)
        first.may_answer.set()
    assert [project.path for project in got] == [str(tmp_path)]
    assert (first.asked, second.asked) == (1, 1)
    made.close()


@pytest.mark.anyio
async def test_closing_answers_who_waits_and_leaves_nothing(tmp_path: Path) -> None:
    made, peer, codes = connection(), Peer(roots(tmp_path)), []

    async def ask() -> None:
        try:
            await made.ask(sender=peer)
        except NoProjectError as error:
            codes.append(error.code)

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await settled(lambda: peer.asked)
        made.close()
        made.close()
    assert codes == ["closed"]
    await settled(lambda: peer.cancelled == 1)
    await settled(lambda: not _background._tasks)
    with pytest.raises(RootwiseError):
        await made.ask()


@pytest.mark.anyio
async def test_a_failing_listener_fails_no_call(tmp_path: Path) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("not ours")

    made, peer = connection(on_change=broken), Peer(roots(tmp_path))
    peer.may_answer.set()
    assert (await made.ask(sender=peer)).path == str(tmp_path)
    made.close()


@pytest.mark.anyio
async def test_lists_are_told_in_their_order_however_long_each_takes(tmp_path: Path) -> None:
    may_end, told = anyio.Event(), []

    async def slow_at_first(answer: Any) -> None:
        if len(answer["roots"]) == 1:
            await may_end.wait()
        told.append(len(answer["roots"]))

    made = connection(on_roots=slow_at_first)
    for folders in ([tmp_path], [tmp_path, tmp_path.parent]):
        peer = Peer(roots(*folders))
        peer.may_answer.set()
        await made.ask(sender=peer)
        made.roots_changed()
    await anyio.wait_all_tasks_blocked()
    assert told == []
    may_end.set()
    await settled(lambda: len(told) == 2)
    assert told == [1, 2]
    made.close()


@pytest.mark.anyio
async def test_a_connection_ends_with_what_it_is_kept_by() -> None:
    class Key:
        pass

    adapter, key = Adapter(), Key()
    made = adapter.connection(key, "stdio", {"capabilities": {}})
    assert adapter.connection(key, "stdio", {}) is made
    del key
    gc.collect()
    await settled(lambda: made._closed)
    assert not adapter._connections


def test_the_command_line_is_read_like_everywhere() -> None:
    assert arguments(["--project=/a", "--flag", "--name", "b", "x", "--project=/c", "--", "--not"]) == {
        "project": "/a",
        "flag": "",
        "name": "b",
    }


def test_only_variables_that_the_policy_reads_are_taken() -> None:
    env = {"ROOTWISE_PROJECT": "/a", "CLAUDE_PROJECT_DIR": "/b", "SECRET": "x"}
    assert host_facts(env=env)["env"] == {"ROOTWISE_PROJECT": "/a", "CLAUDE_PROJECT_DIR": "/b"}


def test_at_start_the_command_line_wins_over_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        (folder / ".git").mkdir(parents=True)
    (here / "deep").mkdir()
    monkeypatch.chdir(here / "deep")
    found = resolve_at_start(host=host_facts(argv=[], env={}))
    assert found is not None
    assert (found.path, found.source) == (str(here), "cwd")
    named = resolve_at_start(host=host_facts(argv=["--project", str(there)], env={}))
    assert named is not None
    assert (named.path, named.source) == (str(there), "configured")
    nothing, why = resolve_and_explain(host={"style": "posix", "cwd": "/"})
    assert nothing is None
    assert why is not None
    assert why["code"] == "no_project"


def test_at_start_the_log_says_what_was_chosen_and_what_was_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "rootwise")
    resolve_at_start("conport", host={"style": "posix", "cwd": str(tmp_path), "arguments": {"workspace-id": "gone"}})
    assert [record.getMessage() for record in caplog.records] == [
        "rootwise: Warning: Provided workspace path doesn't exist: gone [value_rejected]",
        f"rootwise: Using current working directory as default workspace: {tmp_path} [project_chosen]",
    ]


async def request(app: Any, headers: Any, query: str = "") -> tuple[int, Any]:
    scope = {
        "type": "http",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        if isinstance(headers, dict)
        else headers,
        "query_string": query.encode(),
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("the body must not be read")

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.anyio
async def test_the_middleware_reads_header_and_query_and_refuses_bad_values(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        project = scope["state"]["project"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(project and project.path).encode()})

    wrapped = ProjectMiddleware(app, allowed_dirs=[tmp_path.parent], host={"cwd": "/", "env": {}})
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))
    assert await request(wrapped, {}, f"project_path={tmp_path}") == (200, str(tmp_path))
    assert await request(wrapped, {}, f"project_path={tmp_path}&project_path=/gone") == (200, str(tmp_path))
    assert await request(wrapped, {}) == (200, None)
    status, reply = await request(wrapped, {"X-Project-Path": "relative/path"})
    assert (status, reply["error"]) == (400, "relative")


@pytest.mark.anyio
async def test_the_middleware_finds_a_header_however_the_policy_spells_it(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(scope["state"]["project"].path).encode()})

    policy: Any = {"name": "own", "sources": [{"from": "header", "read": ["X-Folder"]}]}
    wrapped = ProjectMiddleware(app, policy, local=True)
    assert await request(wrapped, {"x-folder": str(tmp_path)}) == (200, str(tmp_path))


async def state_of(app: Any) -> Any:
    async def inner(scope: Any, receive: Any, send: Any) -> None:
        project = scope["state"]["project"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(project and project.path).encode()})

    return app(inner)


@pytest.mark.anyio
async def test_a_remote_caller_learns_nothing_about_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probed: list[str] = []
    real = os.stat

    def watched(path: Any, *args: Any, **kwargs: Any) -> Any:
        probed.append(str(path))
        return real(path, *args, **kwargs)

    wrapped = await state_of(ProjectMiddleware)
    monkeypatch.setattr(os, "stat", watched)
    path = tmp_path / "path"
    gone = await request(wrapped, {"X-Project-Path": str(path)})
    path.mkdir()
    folder = await request(wrapped, {"X-Project-Path": str(path)})
    path.rmdir()
    path.write_text("")
    file = await request(wrapped, {"X-Project-Path": str(path)})
    assert gone == folder == file
    assert (gone[0], gone[1]["error"]) == (400, "other_machine")
    for way_out in ("`local`", "`allowedDirs`", "`requirePath: false`"):
        assert way_out in gone[1]["message"]
    assert not [probe for probe in probed if probe.startswith(str(path))]


@pytest.mark.anyio
async def test_a_folder_on_another_machine_is_a_project_where_no_path_is_required() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["state"]["project"])

    for path in ("/home/me/proj", "C:\\Users\\me\\proj"):
        wrapped = ProjectMiddleware(app, require_path=False)
        scope = {"type": "http", "headers": [(b"x-project-path", path.encode())], "query_string": b""}
        await wrapped(scope, None, None)  # type: ignore[arg-type]
        assert (seen[-1].path, seen[-1].client_path, seen[-1].name) == (None, path, "proj")
        assert type(seen[-1]) is AnyProject


def test_a_policy_without_folders_needs_the_option_that_makes_the_type_true() -> None:
    for build in (lambda: ProjectMiddleware(None, "thoughtbox"), lambda: resolve_at_start("thoughtbox")):  # type: ignore[arg-type]
        with pytest.raises(RootwiseError, match="require_path=False") as problem:
            build()
        assert problem.value.code == "bad_options"
    assert resolve_at_start("thoughtbox", host={"style": "posix", "cwd": "/"}, require_path=True) is None
    assert ProjectMiddleware(None, "thoughtbox", require_path=False).policy["requirePath"] is False  # type: ignore[arg-type]
    with pytest.raises(RootwiseError, match="requirePath"):
        ProjectMiddleware(None, require_path="no")  # type: ignore[arg-type]


def test_an_injected_parameter_has_the_type_that_the_server_gives() -> None:
    def with_folder(project: Project) -> str:
        return project.path

    def with_any(project: AnyProject) -> str:
        return project.name

    for require_path, right, wrong, name in (
        (None, with_folder, with_any, "Project"),
        (False, with_any, with_folder, "AnyProject"),
    ):
        adapter = ProjectMiddleware(None, require_path=require_path)  # type: ignore[arg-type]
        adapter.inject(right)
        with pytest.raises(RootwiseError, match=rf"rootwise\.{name}$"):
            adapter.inject(wrong)


@pytest.mark.anyio
async def test_allowed_dirs_confine_projects_by_real_path_and_an_empty_list_allows_none(tmp_path: Path) -> None:
    inside, outside = tmp_path / "allowed" / "one", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (tmp_path / "allowed" / "link").symlink_to(outside)
    (tmp_path / "alias").symlink_to(tmp_path / "allowed")
    wrapped = await state_of(lambda app: ProjectMiddleware(app, allowed_dirs=[tmp_path / "alias"]))
    for spelling in (inside, tmp_path / "alias" / "one"):
        assert await request(wrapped, {"X-Project-Path": str(spelling)}) == (200, str(spelling))
    for path in (outside, tmp_path / "allowed" / "link", tmp_path / "allowed" / ".." / "outside"):
        assert (await request(wrapped, {"X-Project-Path": str(path)}))[0] == 400
    nowhere = await state_of(lambda app: ProjectMiddleware(app, local=True, allowed_dirs=[]))
    for path in (inside, outside, "/", Path(__file__).parent):
        assert (await request(nowhere, {"X-Project-Path": str(path)}))[0] == 400


@pytest.mark.anyio
async def test_a_header_in_utf_8_names_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "jürgen"
    folder.mkdir()
    wrapped = await state_of(lambda app: ProjectMiddleware(app, allowed_dirs=[tmp_path]))
    assert await request(wrapped, {"X-Project-Path": str(folder)}) == (200, str(folder))
    assert await request(wrapped, {}, f"project_path={folder}") == (200, str(folder))
    raw: Any = [(b"x-project-path", str(folder).encode("latin-1"))]
    assert await request(wrapped, raw) == (200, str(folder))


@pytest.mark.anyio
async def test_requests_leave_nothing_for_each_other(tmp_path: Path) -> None:
    policy = presets["recommended"]
    policy["memory"] = {"pin": "immutable"}
    wrapped = await state_of(lambda app: ProjectMiddleware(app, policy, allowed_dirs=[tmp_path]))
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))
    assert await request(wrapped, {}) == (200, None)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"policy": "recomended"}, "policy"),
        ({"policy": {"name": "own", "sources": [{"from": "rots"}]}}, "sources[0].from"),
        ({"policy": {"name": "own"}}, "policy.sources"),
        ({"policy": {"name": "own", "sources": [{"from": "roots"}], "timings": {}}}, "timings"),
        ({"host": {"cwdd": "/"}}, "cwdd"),
        ({"host": {"style": "amiga"}}, "style"),
        ({"allowed_dirs": "/srv"}, "allowed_dirs"),
        ({"allowed_dirs": ["/srv", "relative"]}, "allowed_dirs[1]"),
        ({"on_change": 7}, "on_change"),
    ],
)
def test_an_option_that_cannot_work_fails_in_the_constructor(options: dict[str, Any], place: str) -> None:
    with pytest.raises(RootwiseError) as caught:
        Adapter(**options)
    assert caught.value.code == "bad_options"
    assert place in str(caught.value)
    if options == {"policy": "recomended"}:
        assert all(name in str(caught.value) for name in presets)


def test_a_misspelt_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="locale"):
        Adapter(locale=True)  # type: ignore[call-arg]


class Stream(Peer):
    """A client whose call has a stream of its own."""

    def __init__(self, answer: Any = None) -> None:
        super().__init__(answer)
        self.open = True

    async def is_open(self) -> bool:
        return self.open


@pytest.mark.anyio
async def test_a_request_that_died_with_its_cancelled_call_is_sent_again(tmp_path: Path) -> None:
    made, first, second = connection(), Stream(roots(tmp_path)), Stream(roots(tmp_path))
    second.may_answer.set()
    async with anyio.create_task_group() as group:

        async def ask() -> None:
            await made.ask(sender=first)

        group.start_soon(ask)
        await settled(lambda: first.asked)
        group.cancel_scope.cancel()
    assert (await made.ask(sender=second)).path == str(tmp_path)
    assert (first.asked, second.asked) == (1, 1)
    made.close()


@pytest.mark.anyio
async def test_a_request_on_a_dropped_stream_moves_to_the_next_call_and_serves_both(tmp_path: Path) -> None:
    made, dropped, next_call, got = connection(), Stream(roots(tmp_path)), Stream(roots(tmp_path)), []
    next_call.may_answer.set()

    async def ask(peer: Stream) -> None:
        got.append((await made.ask(sender=peer)).path)

    async with anyio.create_task_group() as group:
        group.start_soon(ask, dropped)
        await settled(lambda: dropped.asked)
        dropped.open = False
        group.start_soon(ask, next_call)
    assert got == [str(tmp_path)] * 2
    assert (dropped.asked, dropped.cancelled, next_call.asked) == (1, 1, 1)
    made.close()


@pytest.mark.anyio
async def test_a_request_does_not_go_to_a_call_that_ended_while_its_stream_was_checked(tmp_path: Path) -> None:
    class Slow(Stream):
        checked = False

        async def is_open(self) -> bool:
            self.checked = True
            await may_return.wait()
            return True

    may_return = anyio.Event()
    made, ended, next_call, got = connection(), Slow(roots(tmp_path)), Stream(roots(tmp_path)), []
    next_call.may_answer.set()

    async def ask(peer: Stream) -> None:
        got.append((await made.ask(sender=peer)).path)

    async with anyio.create_task_group() as group:
        group.start_soon(ask, ended)
        await settled(lambda: ended.checked)
        group.cancel_scope.cancel()
    may_return.set()
    with anyio.fail_after(10):
        await ask(next_call)
    assert got == [str(tmp_path)]
    assert (ended.asked, next_call.asked) == (0, 1)
    made.close()


@pytest.mark.anyio
async def test_a_call_that_is_cancelled_while_its_answer_arrives_does_not_go_on(tmp_path: Path) -> None:
    peer, got = Stream(roots(tmp_path)), []
    peer.may_answer.set()
    with anyio.CancelScope() as scope:
        made = connection(on_change=lambda *_: scope.cancel())
        got.append(await made.ask(sender=peer))
    assert got == []
    made.close()


@pytest.mark.anyio
async def test_calls_whose_streams_closed_before_their_question_end_and_do_not_count_as_failures(
    tmp_path: Path,
) -> None:
    made, last = connection(), Stream(roots(tmp_path))
    last.may_answer.set()
    for _ in range(12):
        gone = Stream()
        gone.open = False
        with anyio.fail_after(10), pytest.raises(NoProjectError) as problem:
            await made.ask(sender=gone)
        assert (problem.value.code, gone.asked) == ("closed", 0)
    assert (await made.ask(sender=last)).path == str(tmp_path)
    made.close()


@pytest.mark.anyio
async def test_a_client_that_hung_up_and_not_one_that_is_silent_is_asked_again(tmp_path: Path) -> None:
    for open_at_end, asked_again in ((True, 0), (False, 1)):
        made, first, second = connection(wait=PATIENCE_OF_CALLERS), Stream(), Stream(roots(tmp_path))
        second.may_answer.set()
        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:

                async def ask(made: Connection = made, first: Stream = first) -> None:
                    with pytest.raises(NoProjectError):
                        await made.ask(sender=first)

                group.start_soon(ask)
                await settled(lambda first=first: first.asked)
                first.open = open_at_end
        if asked_again:
            assert (await made.ask(sender=second)).path == str(tmp_path)
        else:
            with pytest.raises(NoProjectError):
                await made.ask(sender=second)
        assert second.asked == asked_again
        made.close()


@pytest.mark.anyio
async def test_a_change_names_its_connection_and_its_end_and_may_be_awaited(tmp_path: Path) -> None:
    heard: list[Any] = []

    async def changed(project: Any, previous: Any, info: Any) -> None:
        await anyio.lowlevel.checkpoint()
        heard.append((project and project.path, previous and previous.path, info.client, info.ended))

    for _ in range(2):
        peer = Peer(roots(tmp_path))
        peer.may_answer.set()
        made = connection(on_change=changed)
        made.initialized({"capabilities": {"roots": {}}, "clientInfo": {"name": "c", "version": "1"}})
        made.ready()
        await made.ask(sender=peer)
        made.close()
    path = str(tmp_path)
    await settled(lambda: len(heard) == 4)
    assert heard == [(path, None, "c", False), (None, path, "c", True)] * 2


@pytest.mark.anyio
async def test_an_explanation_is_kept_where_a_project_was_found(tmp_path: Path) -> None:
    made, peer = connection(), Peer(roots(tmp_path))
    peer.may_answer.set()
    project = await made.ask(sender=peer, explain=True)
    assert project.explanation is not None
    assert str(tmp_path) in project.explanation["text"]
    assert (await made.ask(sender=peer)).explanation is None
    made.close()


def test_type_hints_of_everything_exported_can_be_read() -> None:
    import typing

    from rootwise import _adapter, driver, starlette, testing, types

    for module in (rootwise, driver, starlette, testing, types, _adapter):
        for name in vars(module):
            one = getattr(module, name)
            if isinstance(one, type) and getattr(one, "__module__", "").startswith("rootwise"):
                typing.get_type_hints(one)
    for function in (*vars(Adapter).values(), *vars(Connection).values()):
        if callable(function) and not isinstance(function, type):
            typing.get_type_hints(function)
