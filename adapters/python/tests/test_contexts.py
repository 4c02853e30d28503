"""Contexts that are passed in, as unit tests of a server do it, and what is known outside of calls."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest

from rootwise import NoProjectError, Project, RootwiseError
from rootwise._adapter import Adapter


def listing(*folders: Path) -> SimpleNamespace:
    return SimpleNamespace(roots=[SimpleNamespace(uri=folder.as_uri()) for folder in folders])


def mocked(**answer: Any) -> Mock:
    """A context as unit tests of a server make it."""
    context = MagicMock()
    context.session.list_roots = AsyncMock(**answer)
    return context


@pytest.fixture
def rootwise() -> Adapter[Project]:
    return Adapter()


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["objects", "mocks", "dict"])
async def test_a_mock_is_asked_for_its_roots(kind: str, rootwise: Adapter[Project], tmp_path: Path) -> None:
    answers: dict[str, Any] = {
        "objects": listing(tmp_path),
        "mocks": Mock(roots=[Mock(uri=tmp_path.as_uri())]),
        "dict": {"roots": [{"uri": tmp_path.as_uri(), "name": "x"}]},
    }
    context = mocked(return_value=answers[kind])
    assert (await rootwise.project(context)).path == str(tmp_path)
    assert [root.path for root in (await rootwise.roots(context)).usable] == [str(tmp_path)]
    assert (await rootwise.explain(context))["text"].startswith("Project: ")
    assert context.session.list_roots.await_count == 1


@pytest.mark.anyio
async def test_a_mock_that_fails_has_no_project_and_the_folder_of_the_tests_does_not_count(
    rootwise: Adapter[Project],
) -> None:
    for problem in (RuntimeError("gone"), Exception()):
        with pytest.raises(NoProjectError) as caught:
            await rootwise.project(mocked(side_effect=problem))
        assert caught.value.code == "no_project"


@pytest.mark.anyio
async def test_an_error_of_the_client_is_understood(rootwise: Adapter[Project]) -> None:
    refusal = Exception("Method not found")
    refusal.error = SimpleNamespace(code=-32601)  # type: ignore[attr-defined]
    with pytest.raises(NoProjectError, match="the client does not support roots"):
        await rootwise.project(mocked(side_effect=refusal))


@pytest.mark.anyio
async def test_a_mock_that_has_no_roots_is_not_asked(rootwise: Adapter[Project], tmp_path: Path) -> None:
    context = mocked(return_value=listing(tmp_path))
    context.session.check_client_capability = Mock(return_value=False)
    with pytest.raises(NoProjectError, match="the client declares no roots"):
        await rootwise.project(context)
    assert context.session.list_roots.await_count == 0


@pytest.mark.anyio
async def test_the_query_and_the_headers_of_a_mock_count(rootwise: Adapter[Project], tmp_path: Path) -> None:
    for part, name in (("query_params", "project_path"), ("headers", "X-Project-Path")):
        context = mocked(return_value=listing(tmp_path.parent))
        setattr(context.request_context.request, part, {name: str(tmp_path)})
        assert (await rootwise.project(context)).path == str(tmp_path)
        delattr(context.request_context.request, part)
        assert (await rootwise.project(context)).path == str(tmp_path.parent)


@pytest.mark.anyio
async def test_the_last_known_project_of_a_connection_is_known_outside_calls(
    rootwise: Adapter[Project], tmp_path: Path
) -> None:
    context, other = mocked(return_value=listing(tmp_path)), mocked(return_value=listing(tmp_path.parent))
    assert rootwise.current() is None
    assert rootwise.current(context) is None
    found = await rootwise.project(context)
    assert rootwise.current() == rootwise.current(context) == rootwise.current(context.session) == found
    known: list[Project | None] = []
    thread = threading.Thread(target=lambda: known.append(rootwise.current()))
    thread.start()
    thread.join()
    assert known == [found]
    # Of two clients, none is the one that is meant.
    second = await rootwise.project(other)
    assert rootwise.current() is None
    assert (rootwise.current(context), rootwise.current(other)) == (found, second)


@pytest.mark.anyio
async def test_a_listener_reaches_the_session_and_its_project(tmp_path: Path) -> None:
    told: list[tuple[object, Project | None]] = []

    def changed(_project: Any, _previous: Any, connection: Any) -> None:
        told.append((connection.session, rootwise.current(connection)))

    rootwise = Adapter[Project](on_change=changed)
    context = mocked(return_value=listing(tmp_path))
    found = await rootwise.project(context)
    assert told == [(context.session, found)]


@pytest.mark.anyio
async def test_what_is_no_context_has_no_project(rootwise: Adapter[Project]) -> None:
    for context in (object(), 5, SimpleNamespace(session=None), SimpleNamespace(session=object())):
        with pytest.raises(NoProjectError) as caught:
            await rootwise.project(context)
        assert caught.value.code == "no_call"
        assert rootwise.current(context) is None


@pytest.mark.anyio
async def test_the_end_of_a_session_is_told_when_its_stack_is_unwound(tmp_path: Path) -> None:
    told: list[Any] = []
    rootwise = Adapter[Project](on_change=lambda project, _previous, connection: told.append(connection.ended))
    context = mocked(return_value=listing(tmp_path))
    async with AsyncExitStack() as stack:
        context.session.exit_stack = stack
        await rootwise.project(context)
        assert told == [False]
    assert told == [False, True]
    # The session still exists, and is over.
    assert rootwise.current() is None
    assert rootwise.current(context) is None
    with pytest.raises(NoProjectError) as caught:
        await rootwise.project(context)
    assert caught.value.code == "closed"


@pytest.mark.anyio
async def test_a_stand_in_lives_as_long_as_its_test(rootwise: Adapter[Project], tmp_path: Path) -> None:
    context = mocked(return_value=listing(tmp_path))
    await rootwise.project(context)
    gone = weakref.ref(context.session)
    del context
    gc.collect()
    assert gone() is None
    assert rootwise.current() is None


@pytest.mark.anyio
async def test_a_session_that_cannot_be_kept_is_named(rootwise: Adapter[Project]) -> None:
    context = SimpleNamespace(session=SimpleNamespace(list_roots=AsyncMock()))
    with pytest.raises(RootwiseError, match="SimpleNamespace cannot be referred to weakly"):
        await rootwise.project(context)
