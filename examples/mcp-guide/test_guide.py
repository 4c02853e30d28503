"""Tests the guide with real clients, on FastMCP 3 and on both generations of the official SDK.

SERVER_PYTHON names the interpreter with FastMCP, OTHER_SERVER_PYTHON the one with the SDK 1.x; the interpreter of these
tests has the SDK 2.x.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import AsyncMock, Mock

import anyio
import kit
import pytest
from kit import Peer, Roots

from rootwise import Resolver

SERVER = Path(__file__).with_name("server.py")
NO_PROJECT = {
    "success": False,
    "error": "Project context not available. Call switch_project with the basename of the current working directory.",
    "error_type": "no_project",
    "instruction": "Call switch_project with your project name",
}
SHIPPED = ("--preset", "mcp-guide-shipped")
SECOND_SDK = sys.executable


def covers(*ids: str) -> pytest.MarkDecorator:
    return pytest.mark.covers(*ids)


@pytest.fixture(params=["SERVER_PYTHON", "OTHER_SERVER_PYTHON", None], ids=["FastMCP", "SDK 1", "SDK 2"])
def python(request: pytest.FixtureRequest) -> str:
    """Runs a test on every framework."""
    named = os.environ.get(request.param) if request.param else SECOND_SDK
    if named is None:
        pytest.skip(f"{request.param} names no interpreter")
    return named


def guide(
    *options: str, roots: Roots | None = None, pwd: str | None = None, **more: Any
) -> AbstractAsyncContextManager[Peer]:
    return kit.stdio(SERVER, *options, roots=roots, env={} if pwd is None else {"PWD": pwd}, **more)


async def found(peer: Peer, tool: str = "category_list", **arguments: str) -> tuple[str, str | None]:
    """Returns the name and the path of the project in which a tool ran."""
    result = (await peer.call(tool, **arguments)).json
    assert result["success"], result
    return result["project"], result["path"]


def questions(peer: Peer) -> list[dict[str, Any]]:
    return [message for message in peer.heard if message.get("method") == "roots/list"]


# Order


@pytest.fixture
def elsewhere() -> str:
    """A folder that exists only on the client's machine."""
    path = "/home/nobody/projects/myproject"
    assert not Path(path).exists()
    return path


@covers("G-01", "G-04", "G-10", "G-12", "G-24")
async def test_the_first_root_wins_over_pwd_and_is_not_probed(elsewhere: str, python: str) -> None:
    roots = Roots({"uri": f"file://{elsewhere}", "name": "My Project"})
    async with guide(roots=roots, pwd="/home/nobody/stale", python=python) as peer:
        assert await found(peer) == ("myproject", elsewhere)
        [question] = questions(peer)
        assert question.keys() == {"jsonrpc", "id", "method"}


@covers("G-03", "G-04")
@pytest.mark.parametrize("first", ["https://example.com/x", "/bare/path", "file://relative/path"])
async def test_an_unusable_first_root_is_not_replaced_by_the_second(first: str) -> None:
    async with guide(roots=Roots(first, "file:///a/b"), pwd="/home/user/fallback") as peer:
        assert await found(peer) == ("fallback", "/home/user/fallback")


@covers("G-06", "G-13", "G-15")
@pytest.mark.parametrize(
    "roots",
    [Roots(error=(-32601, "Roots not supported")), Roots(error=(-32603, "not now")), Roots()],
    ids=["unsupported", "failing", "empty"],
)
async def test_pwd_is_used_if_roots_are_unavailable(roots: Roots) -> None:
    async with guide(roots=roots, pwd="/home/user/fallback") as peer:
        assert await found(peer) == ("fallback", "/home/user/fallback")


@covers("G-11", "G-13")
async def test_a_client_that_declares_nothing_is_asked_too_and_its_failure_is_logged(python: str) -> None:
    async with guide(python=python) as peer:
        assert (await peer.call("category_list")).json == NO_PROJECT
        assert len(questions(peer)) == 1
        assert "DEBUG rootwise: Failed to get roots from client: List roots not supported" in peer.log()


@covers("G-14", "G-15")
async def test_a_failed_request_is_a_debug_line_and_the_guide_goes_on(python: str) -> None:
    async with guide(roots=Roots(error=(-32603, "not now")), pwd="/home/user/fallback", python=python) as peer:
        assert await found(peer) == ("fallback", "/home/user/fallback")
        assert "DEBUG rootwise: Failed to get roots from client: not now" in peer.log()
        assert "WARNING" not in peer.log()


@covers("G-14")
async def test_a_client_that_never_answers_does_not_block_the_guide() -> None:
    roots = Roots("file:///home/user/late")
    roots.hold = anyio.Event()
    async with guide(roots=roots, pwd="/home/user/fallback") as peer:
        assert await found(peer) == ("fallback", "/home/user/fallback")
        assert roots.asked == 1


@covers("G-06", "G-07", "G-08")
@pytest.mark.parametrize("pwd", ["", ".", "..", "./foo", "foo/bar"])
async def test_a_relative_pwd_is_never_a_project_and_the_model_gets_an_instruction(pwd: str) -> None:
    async with guide(roots=Roots(), pwd=pwd) as peer:
        assert (await peer.call("category_list")).json == NO_PROJECT


@covers("G-07", "G-09")
async def test_the_working_directory_of_the_server_is_never_the_project(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    async with guide(roots=Roots(), cwd=folder) as peer:
        assert (await peer.call("category_list")).json == NO_PROJECT


@covers("G-22")
async def test_a_root_or_pwd_without_a_name_is_unusable() -> None:
    async with guide(roots=Roots("file:///"), pwd="/") as peer:
        assert (await peer.call("category_list")).json == NO_PROJECT


@covers("G-23")
async def test_a_folder_name_with_a_space_is_decoded() -> None:
    async with guide(roots=Roots("file:///home/user/my%20project")) as peer:
        assert await found(peer) == ("my project", "/home/user/my project")


# Memory


@covers("G-17", "G-18", "G-19", "G-20")
async def test_the_client_is_asked_once_and_only_when_a_call_needs_it(python: str) -> None:
    roots = Roots("file:///home/user/bound")
    async with guide(roots=roots, python=python) as peer:
        assert (await peer.call("get_project")).text == "none yet"
        assert roots.asked == 0
        [read] = (await peer.client.read_resource("guide://categories")).contents
        assert '"project": "bound"' in read.text
        [message] = (await peer.client.get_prompt("guide")).messages
        assert "Work in bound." in message.content.text
        assert await found(peer) == ("bound", "/home/user/bound")
        assert (await peer.call("get_project")).text == "file:///home/user/bound"
        assert roots.asked == 1


@covers("G-20", "C6", "C7")
async def test_the_current_state_is_available_while_another_call_waits(python: str) -> None:
    roots = Roots("file:///home/user/bound")
    roots.hold = anyio.Event()
    waited: list[object] = []
    async with guide(roots=roots, python=python) as peer, anyio.create_task_group() as group:

        async def wait() -> None:
            waited.append(await found(peer))

        group.start_soon(wait)
        await roots.was_asked.wait()
        assert (await peer.call("get_project")).text == "none yet"
        roots.hold.set()
    assert waited == [("bound", "/home/user/bound")]


@covers("G-02", "G-06", "G-19")
@pytest.mark.parametrize(("pwd", "known"), [("/home/user/here", "file:///home/user/here"), ("./here", "none yet")])
async def test_without_a_client_pwd_is_read_and_the_server_starts_either_way(pwd: str, known: str) -> None:
    async with guide(roots=Roots("file:///home/user/bound"), pwd=pwd) as peer:
        assert f"without a client the project is {known}\n" in peer.log()
        assert await found(peer) == ("bound", "/home/user/bound")


@covers("G-05", "G-06")
async def test_a_project_from_pwd_is_kept_until_roots_are_available() -> None:
    roots = Roots("file:///home/user/bound", error=(-32603, "not now"))
    async with guide(roots=roots, pwd="/home/user/fallback") as peer:
        assert await found(peer) == ("fallback", "/home/user/fallback")
        roots.error = None
        assert await found(peer) == ("bound", "/home/user/bound")


@covers("G-05", "G-16")
@pytest.mark.parametrize("error", [None, (-32603, "not now")], ids=["empty", "failing"])
async def test_the_last_project_survives_the_loss_of_its_root(error: tuple[int, str] | None, python: str) -> None:
    roots = Roots("file:///home/user/bound")
    async with guide(roots=roots, pwd="/home/user/elsewhere", python=python) as peer:
        assert await found(peer) == ("bound", "/home/user/bound")
        roots.entries, roots.error = [], error
        await peer.roots_changed()
        assert await found(peer) == ("bound", "/home/user/bound")
        assert roots.asked == 2


@covers("G-05", "G-16", "G-17", "G-25")
@pytest.mark.parametrize("options", [(), SHIPPED], ids=["as designed", "as shipped"])
async def test_a_change_to_another_folder_of_the_same_name_is_detected(options: tuple[str, ...], python: str) -> None:
    roots = Roots("file:///a/foo")
    async with guide(*options, roots=roots, python=python) as peer:
        assert (await peer.call("category_add", category="docs")).json["path"] == "/a/foo"
        roots.entries = ["file:///b/foo"]
        await peer.roots_changed()
        assert (await peer.call("category_list")).json == {
            "success": True,
            "project": "foo",
            "path": "/b/foo",
            "value": [],
        }
        assert "project: file:///a/foo -> file:///b/foo\n" in peer.log()
        # The listener reached the client through the session of the framework.
        assert "notifications/resources/list_changed" in [message.get("method") for message in peer.heard]
        await peer.roots_changed()
        assert await found(peer) == ("foo", "/b/foo")
        assert (roots.asked, peer.log().count(" -> ")) == (3, 2)


@covers("G-21")
def test_the_policy_can_be_tested_with_plain_values() -> None:
    with Resolver("mcp-guide", host={"style": "posix", "env": {"PWD": "/home/user/here"}}) as resolver:
        [answer, *_] = resolver.handle({"type": "asked", "ask": 1}, now=0)
        assert answer["type"] == "answer"
        assert answer["outcome"] == "resolved"
        assert answer["project"]["name"] == "here"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The server's module, without a server."""
    monkeypatch.setattr(sys, "argv", ["server.py"])
    monkeypatch.delenv("PWD", raising=False)
    spec = importlib.util.spec_from_file_location("guide", SERVER)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def mocked(*uris: str) -> Mock:
    return Mock(session=Mock(list_roots=AsyncMock(return_value=Mock(roots=[Mock(uri=uri) for uri in uris]))))


@covers("G-02", "G-05", "G-21")
async def test_a_function_of_the_guide_can_be_tested_with_a_mock_context(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await module.project_name() is None
    monkeypatch.setenv("PWD", "/home/user/here")
    assert await module.project_name() == "here"
    context = mocked("file:///home/user/my%20project", "file:///home/user/other")
    assert await module.project_name(context) == "my project"
    # Without a context, the last known project counts before PWD.
    assert await module.project_name() == "my project"
    context.session.list_roots.assert_awaited_once()


@covers("G-14", "G-21")
async def test_a_mock_that_fails_is_a_client_that_fails(module: ModuleType) -> None:
    context = mocked()
    context.session.list_roots.side_effect = RuntimeError("not now")
    assert await module.project_name(context) is None


# Choice


@covers("G-18", "G-26", "G-27")
@pytest.mark.parametrize("options", [(), SHIPPED], ids=["as designed", "as shipped"])
async def test_a_user_can_choose_by_name_path_and_uri(options: tuple[str, ...]) -> None:
    choices = {
        "other": ("other", None),
        "/home/user/second": ("second", "/home/user/second"),
        "file:///home/user/my%20other": ("my other", "/home/user/my other"),
    }
    roots = Roots("file:///home/user/first", "file:///home/user/second")
    async with guide(*options, roots=roots, python=SECOND_SDK) as peer:
        assert await found(peer) == ("first", "/home/user/first")
        for chosen, project in choices.items():
            assert await found(peer, "set_project" if options else "switch_project", project=chosen) == project
            await peer.roots_changed()
            assert await found(peer) == project


@covers("G-18", "G-27")
async def test_the_client_is_not_asked_after_a_selection(python: str) -> None:
    roots = Roots("file:///home/user/bound")
    async with guide(roots=roots, python=python) as peer:
        await found(peer, "switch_project", project="chosen")
        assert await found(peer) == ("chosen", None)
        assert roots.asked == 0


# As shipped


@covers("G-07", "G-08", "G-18")
async def test_as_shipped_a_session_is_unbound_and_says_so(python: str) -> None:
    async with guide(*SHIPPED, roots=Roots(), python=python) as peer:
        assert (await peer.call("get_project")).text == "(unbound)"
        assert (await peer.call("category_list")).json == {
            "success": False,
            "error": "No project available",
            "error_type": "no_project",
            "instruction": "No active project context is available. "
            "Call set_project with the repository root, not a worktree or subdirectory path.",
        }
        await found(peer, "set_project", project="/home/user/bound")
        assert (await peer.call("get_project")).text == "file:///home/user/bound"


@covers("G-27")
async def test_as_shipped_a_bad_choice_is_refused_in_its_own_words() -> None:
    refusals = {
        "a/b": "Path 'a/b' must be absolute (e.g. /path/to/project or file:///path/to/project)",
        "/a/../b": "Path '/a/../b' must not contain directory traversals (..)",
        "invalid@name": "Project name 'invalid@name' must contain only alphanumeric characters, underscores, "
        "and hyphens",
        "": "Project name cannot be empty",
    }
    async with guide(*SHIPPED, roots=Roots("file:///home/user/bound")) as peer:
        for value, refusal in refusals.items():
            assert (await peer.call("set_project", project=value)).json["error"] == refusal
        assert await found(peer) == ("bound", "/home/user/bound")


# Over HTTP, where all clients would share the single cached name of the seed


@covers("C8")
async def test_a_change_is_taken_without_waiting_for_the_new_list(python: str) -> None:
    roots = Roots("file:///home/user/bound")
    async with (
        kit.serve(SERVER, "--http", "{port}", python=python) as server,
        kit.http(f"{server.origin}/mcp", roots=roots) as peer,
    ):
        assert (await found(peer))[0] == "bound"
        roots.hold = anyio.Event()
        # Neither the notification nor another call waits for the client, which does not answer now.
        await peer.roots_changed()
        assert (await peer.call("get_project")).text == "file:///home/user/bound"
        roots.hold.set()


@covers("D5")
async def test_every_change_is_followed_by_a_listing(python: str) -> None:
    """Some clients report the next change only after their roots were listed again."""
    roots = Roots("file:///home/user/one")
    async with guide(roots=roots, python=python) as peer:
        for number, name in enumerate(("one", "two", "three"), 1):
            roots.entries = [f"file:///home/user/{name}"]
            if number > 1:
                assert roots.asked == number - 1
                await peer.roots_changed()
            assert (await found(peer))[0] == name


@covers("G-18", "G-24", "G2")
async def test_clients_of_one_server_share_nothing_and_pwd_does_not_count(python: str) -> None:
    one, two = Roots("file:///home/one/foo"), Roots("file:///home/two/foo")
    async with kit.serve(SERVER, "--http", "{port}", env={"PWD": "/srv/app"}, python=python) as server:
        url = f"{server.origin}/mcp"
        async with kit.http(url, roots=one) as first, kit.http(url, roots=two) as second, kit.http(url) as third:
            for _ in range(2):
                assert await found(first) == ("foo", "/home/one/foo")
                assert await found(second) == ("foo", "/home/two/foo")
                assert (await third.call("category_list")).json == NO_PROJECT
    assert (one.asked, two.asked) == (1, 1)


# Clients of revision 2026-07-28, whose calls are independent


@covers("G-01", "G-19")
async def test_a_modern_client_brings_its_roots_with_a_call() -> None:
    roots = Roots("file:///home/user/bound")
    async with guide(roots=roots, pwd="/home/user/stale", modern=True, python=SECOND_SDK) as peer:
        for asked in (1, 2):
            assert await found(peer) == ("bound", "/home/user/bound")
            # On a pipe, they count for the next calls too, for a second.
            assert 1 <= roots.asked <= asked
        [read] = (await peer.client.read_resource("guide://categories")).contents
        assert '"project": "bound"' in read.text
        [message] = (await peer.client.get_prompt("guide")).messages
        assert "Work in bound." in message.content.text
        assert (await peer.call("get_project")).text == "file:///home/user/bound"
        assert questions(peer) == []


@covers("G-08", "G-27")
async def test_a_modern_client_on_a_pipe_switches_or_names_the_project_in_the_call() -> None:
    async with guide(roots=Roots(), modern=True, python=SECOND_SDK) as peer:
        assert (await peer.call("category_list")).json == NO_PROJECT
        assert await found(peer, project="other") == ("other", None)
        assert (await peer.call("category_list")).json == NO_PROJECT
        await peer.call("switch_project", project="mine")
        assert await found(peer) == ("mine", None)
        assert await found(peer, project="other") == ("other", None)


@covers("G-06", "G-11")
async def test_a_modern_client_that_declares_no_roots_is_not_asked() -> None:
    async with guide(pwd="/home/user/fallback", modern=True, python=SECOND_SDK) as peer:
        assert await found(peer) == ("fallback", "/home/user/fallback")
