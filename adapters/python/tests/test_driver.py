"""The driver on both event loops: what it sends, what it tells, what it leaves behind."""

from __future__ import annotations

import contextlib
import gc
import json
import pickle
import weakref
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from clients import HOST, PATIENCE_OF_CALLERS, Connection, Peer, connection, roots, settled

import rootwise
from rootwise import NoProjectError, RootwiseError, _background, presets
from rootwise._adapter import Adapter
from rootwise.driver import Call, ClientError, Driver, Undeliverable


@pytest.mark.anyio
async def test_a_hint_that_comes_once_waits_for_an_ask_that_shows_it(tmp_path: Path) -> None:
    host: Any = {**HOST, "env": {"COCOSEARCH_PROJECT": str(tmp_path)}}
    made = Connection("cocosearch", host=host, capabilities={})
    shown = [(await made.answer(hints=hints)).get("hints") for hints in (None, True, True)]
    assert shown == [None, ["Tip: Use Claude Code for automatic project detection"], None]
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
async def test_a_huge_error_message_of_a_client_costs_no_wait_and_keeps_its_meaning() -> None:
    made, peer = connection(), Peer(ClientError(-32601, "Method not found " + "x" * 2_000_000))
    peer.may_answer.set()
    with anyio.fail_after(10), pytest.raises(NoProjectError) as caught:
        await made.ask(sender=peer)
    assert "does not support" in caught.value.message, caught.value.message
    made.close()


@pytest.mark.anyio
async def test_a_huge_handshake_is_read_and_one_that_is_no_json_counts_as_empty(tmp_path: Path) -> None:
    for experimental, asked in (("x" * (1 << 20), 1), (float("nan"), 0)):
        made, peer = connection(), Peer(roots(tmp_path))
        peer.may_answer.set()
        made.session.initialized({"capabilities": {"roots": {}, "experimental": experimental}})
        made.session.ready()
        with contextlib.suppress(NoProjectError):
            await made.ask(sender=peer)
        assert peer.asked == asked
        made.close()


@pytest.mark.anyio
async def test_a_handshake_is_reported_once_for_a_key() -> None:
    adapter: Any = Adapter()
    key = Peer()
    made = adapter.session(key, "other", {"capabilities": {}})
    assert adapter.session(key, "other", {}) is made
    made.close()


@pytest.mark.anyio
async def test_no_connection_is_inherited_by_a_key_at_the_same_address() -> None:
    class Key:
        pass

    adapter: Any = Adapter()
    seen = set()
    for _ in range(400):
        key = Key()
        made = adapter.session(key, "stdio", {"capabilities": {"experimental": "x" * (1 << 20)}})
        assert made.info.id not in seen
        seen.add(made.info.id)
        del key
    assert not adapter._sessions


@pytest.mark.anyio
async def test_an_error_keeps_why_and_what_to_do_apart() -> None:
    made = Connection("mcp-guide", host={"style": "posix", "env": {}}, capabilities=None)
    with pytest.raises(NoProjectError) as caught:
        await made.ask()
    made.close()
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.message.startswith("Project context not available.")
        assert error.instruction == "Call switch_project with your project name"
        assert str(error) == f"{error.message}\n{error.instruction}"


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
async def test_a_known_project_is_read_without_the_endpoint_until_something_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = presets["recommended"]
    policy["timing"] = {"maxAgeMs": 600_000}
    made, peer = Connection(policy), Peer(roots(tmp_path))
    peer.may_answer.set()
    plain, named = Call(made.driver, {}, made.session), Call(made.driver, {"argument": "/x"}, made.session)
    # The first answer changes the session, and the second one is the same for all.
    for known in (None, None, str(tmp_path)):
        assert (plain.known and plain.known.path) == known
        assert (await made.ask(sender=peer)).path == str(tmp_path)
    assert named.known is None
    crossings: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(made.driver, "feed", lambda *event: crossings.append(event))
        assert plain.known is plain.known
    assert crossings == []
    made.session.roots_changed()
    assert plain.known is None
    made.close()


def modern(made: Connection, **parts: Any) -> Call:
    """A call of revision 2026-07-28."""
    described = {"protocolVersion": "2026-07-28", "capabilities": {"roots": {}}, "clientInfo": {"name": "one"}}
    return Call(made.driver, {"method": "tools/call", **described, **parts}, made.session)


@pytest.mark.anyio
async def test_a_known_project_serves_calls_of_2026_07_28_that_describe_their_client_alike(tmp_path: Path) -> None:
    times = [0.0]
    made = Connection(capabilities=None, clock=lambda: times[0])

    async def path(call: Call) -> str | None:
        answer: Any = await call.ask()
        call.end()
        return answer["project"]["path"] if "project" in answer else None

    assert await path(modern(made, inputResponses={"rootwise": roots(tmp_path)})) == str(tmp_path)
    assert await path(modern(made)) == str(tmp_path)
    # A fresh text of everything, as it arrives.
    alike = json.loads(json.dumps({"clientInfo": {"name": "one"}, "capabilities": {"roots": {}}}))
    known = modern(made, requestState="state", **alike).known
    assert known is not None
    assert known.path == str(tmp_path)
    others: list[dict[str, Any]] = [
        {"clientInfo": {"name": "two"}},
        {"capabilities": {}},
        {"capabilities": {"roots": {}, "elicitation": {}}},
        {"meta": {"threadId": "c1"}},
        {"headers": {"x-project-path": "/x"}},
        {"argument": "/x"},
        {"inputResponses": {"rootwise": roots(tmp_path)}},
    ]
    assert [modern(made, **other).known for other in others] == [None] * len(others)
    assert made.session.known is None
    assert Call(made.driver, {"method": "tools/call"}, made.session).known is None
    times[0] = 0.999
    assert modern(made).known is known
    times[0] = 1.0
    assert modern(made).known is None
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

    async def slow_at_first(listed: Any, previous: Any) -> None:
        if previous is None:
            await may_end.wait()
        told.append(len(listed.roots))

    made = connection(on_roots_change=slow_at_first)
    for folders in ([tmp_path], [tmp_path, tmp_path.parent]):
        peer = Peer(roots(*folders))
        peer.may_answer.set()
        await made.ask(sender=peer)
        made.session.roots_changed()
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
    made = adapter.session(key, "stdio", {"capabilities": {}})
    assert adapter.session(key, "stdio", {}) is made
    del key
    gc.collect()
    await settled(lambda: made.closed)
    assert not adapter._sessions


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
        made.session.initialized({"capabilities": {"roots": {}}, "clientInfo": {"name": "c", "version": "1"}})
        made.session.ready()
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
    for function in (*vars(Adapter).values(), *vars(Driver).values()):
        if callable(function) and not isinstance(function, type):
            typing.get_type_hints(function)
