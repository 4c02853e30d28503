"""The driver, where a call ends before its request is answered: cancelled, dropped, or hung up by the client."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import anyio
import pytest
from clients import PATIENCE_OF_CALLERS, Connection, Peer, roots, settled
from clients import connection as any_connection

from rootwise import NoProjectError
from rootwise.driver import Call, Undeliverable


def connection(**options: Any) -> Connection:
    """A session over HTTP."""
    return any_connection(**{"transport": "http", **options})


class Stream(Peer):
    """A client whose call has a stream of its own."""

    def __init__(self, answer: Any = None) -> None:
        super().__init__(answer)
        self.open = True

    async def is_open(self) -> bool:
        return self.open


@pytest.mark.anyio
async def test_a_cancelled_ask_is_withdrawn_and_the_request_serves_the_next(tmp_path: Path) -> None:
    made, peer = connection(transport="stdio"), Peer(roots(tmp_path))
    async with anyio.create_task_group() as group:

        async def ask() -> None:
            await made.ask(sender=peer)

        group.start_soon(ask)
        await settled(lambda: peer.asked)
        group.cancel_scope.cancel()
    assert not made.driver.asks
    peer.may_answer.set()
    assert (await made.ask(sender=peer)).path == str(tmp_path)
    assert peer.asked == 1
    made.close()


@pytest.mark.anyio
async def test_a_call_whose_stream_breaks_while_it_waits_is_cancelled(tmp_path: Path) -> None:
    made, stream, codes = connection(), Stream(roots(tmp_path)), []

    async def ask() -> None:
        with pytest.raises(NoProjectError) as caught:
            await made.ask(sender=stream)
        codes.append(caught.value.code)

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await settled(lambda: stream.asked)
        stream.open = False
    assert codes == ["cancelled"]
    made.close()


@pytest.mark.anyio
async def test_a_call_that_ends_hands_its_request_to_those_who_wait(tmp_path: Path) -> None:
    first, second = Peer(Undeliverable()), Peer(roots(tmp_path))
    second.may_answer.set()
    made, got = connection(transport="stdio"), []

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
        await settled(lambda: len(made.driver.asks) == 2)
        scope.cancel()
        await settled(lambda: len(made.driver.asks) == 1)
        first.may_answer.set()
    assert [project.path for project in got] == [str(tmp_path)]
    assert (first.asked, second.asked) == (1, 1)
    made.close()


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
async def test_a_request_on_a_dropped_stream_moves_to_the_next_call(tmp_path: Path) -> None:
    made, dropped, next_call, got = connection(), Stream(roots(tmp_path)), Stream(roots(tmp_path)), []
    next_call.may_answer.set()

    async def ask(peer: Stream) -> None:
        try:
            got.append((await made.ask(sender=peer)).path)
        except NoProjectError as error:
            got.append(error.code)

    async with anyio.create_task_group() as group:
        group.start_soon(ask, dropped)
        await settled(lambda: dropped.asked)
        dropped.open = False
        group.start_soon(ask, next_call)
    assert sorted(got) == [str(tmp_path), "cancelled"]
    assert (dropped.asked, dropped.cancelled, next_call.asked) == (1, 1, 1)
    made.close()


@pytest.mark.anyio
async def test_streams_that_drop_one_after_the_other_cost_a_call_that_waits_with_them_nothing(tmp_path: Path) -> None:
    made, dropping, last = connection(), [Stream(), Stream(), Stream()], Stream(roots(tmp_path))
    last.may_answer.set()

    async def ask_in_vain(peer: Stream) -> None:
        with contextlib.suppress(NoProjectError):
            await made.ask(sender=peer)

    async def drop_all() -> None:
        for peer in dropping:
            await settled(lambda peer=peer: peer.asked)
            peer.open = False

    # Less than the callers' own patience.
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            for count, peer in enumerate(dropping, start=1):
                group.start_soon(ask_in_vain, peer)
                await settled(lambda count=count: len(made.driver.asks) == count)
            group.start_soon(drop_all)
            assert (await made.ask(sender=last)).path == str(tmp_path)
    assert [peer.asked for peer in (*dropping, last)] == [1, 1, 1, 1]
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
        assert (problem.value.code, gone.asked) == ("cancelled", 0)
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
async def test_a_request_that_fails_after_its_call_ended_does_not_hold_up_the_next_call(tmp_path: Path) -> None:
    made, first, second = connection(), Stream(Undeliverable()), Stream(roots(tmp_path))
    second.may_answer.set()
    call = Call(made.driver, {}, made.session, first)
    async with anyio.create_task_group() as group:
        group.start_soon(call.ask)
        await settled(lambda: first.asked)
        call.end()
    first.may_answer.set()
    with anyio.fail_after(5):
        assert (await made.ask(sender=second)).path == str(tmp_path)
    assert second.asked == 1
    made.close()
