"""The driver on both event loops: what it sends, what it leaves behind."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import anyio
import pytest

from rootwise import RootwiseError, _background, host_facts, presets, resolve_at_start
from rootwise._facts import arguments
from rootwise.driver import ClientError, Connection, ProjectError, Undeliverable
from rootwise.starlette import ProjectMiddleware
from rootwise.start import resolve_and_explain

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
    assert [(old, new.path) for old, new in changes] == [(None, str(tmp_path))]
    made.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer", [ClientError(-32601, "Method not found"), Undeliverable(), ValueError("odd"), {1, 2}, None]
)
async def test_whatever_the_client_does_the_call_ends(answer: Any) -> None:
    made, peer = connection(), Peer(answer)
    peer.may_answer.set()
    with pytest.raises(ProjectError) as caught:
        await made.ask(sender=peer)
    assert caught.value.code == "no_project"
    assert caught.value.explanation is not None
    made.close()


@pytest.mark.anyio
async def test_an_error_keeps_why_and_what_to_do_apart() -> None:
    made = Connection("mcp-guide", host={"style": "posix", "transport": "stdio", "env": {}})
    with pytest.raises(ProjectError) as caught:
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
        with pytest.raises(ProjectError):
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
    made, peer = connection(wait=20), Peer(roots(tmp_path))
    with pytest.raises(ProjectError):
        await made.ask(sender=peer)
    with pytest.raises(ProjectError):
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
        except ProjectError as error:
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
async def test_a_failing_listener_fails_nobody(tmp_path: Path) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("not ours")

    made, peer = connection(on_change=broken), Peer(roots(tmp_path))
    peer.may_answer.set()
    assert (await made.ask(sender=peer)).path == str(tmp_path)
    made.close()


@pytest.mark.anyio
async def test_a_connection_ends_with_what_it_is_kept_by() -> None:
    from rootwise._adapter import Adapter

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


async def request(app: Any, headers: dict[str, str], query: str = "") -> tuple[int, Any]:
    scope = {
        "type": "http",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "query_string": query.encode(),
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nobody reads the body")

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.anyio
async def test_the_middleware_reads_header_and_query_and_refuses_bad_values(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        project = scope["state"]["project"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(project and project.path).encode()})

    wrapped = ProjectMiddleware(app, host={"cwd": "/", "env": {}})
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))
    assert await request(wrapped, {}, f"project_path={tmp_path}") == (200, str(tmp_path))
    assert await request(wrapped, {}, f"project_path={tmp_path}&project_path=/gone") == (200, str(tmp_path))
    assert await request(wrapped, {}) == (200, None)
    status, said = await request(wrapped, {"X-Project-Path": "relative/path"})
    assert (status, said["error"]) == (400, "relative")


@pytest.mark.anyio
async def test_the_middleware_finds_a_header_however_the_policy_spells_it(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(scope["state"]["project"].path).encode()})

    policy: Any = {"name": "own", "sources": [{"from": "header", "read": ["X-Folder"]}]}
    wrapped = ProjectMiddleware(app, policy, local=True)
    assert await request(wrapped, {"x-folder": str(tmp_path)}) == (200, str(tmp_path))
