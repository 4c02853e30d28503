"""Starts the server like a user, on both generations of the SDK, with the SDK's client on three transports."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import cocosearch
import httpx2
import kit
import pytest
from mcp import MCPError

SERVER = Path(cocosearch.__file__)
README = SERVER.with_name("README.md").read_text("utf-8")
SHIPPED = ("--preset", "cocosearch-shipped")

NOTHING = "No project detected. Set COCOSEARCH_PROJECT or use --project-from-cwd."
TIP = "Tip: Use Claude Code for automatic project detection"

on_every_transport = pytest.mark.parametrize("transport", ["stdio", "sse", "http"])
over_http = pytest.mark.parametrize("transport", ["sse", "http"])


@dataclass
class Start:
    """Starts the server over stdio; over HTTP it is already running."""

    options: tuple[str, ...]
    how: dict[str, Any]
    serving: kit.Serving

    @asynccontextmanager
    async def client(
        self, transport: str, project: str | Path = "", *, path: str = "/mcp", modern: bool = False, **how: Any
    ) -> AsyncIterator[kit.Peer]:
        """Connects a client; over HTTP its URL names the project, if one is given."""
        if transport == "stdio":
            async with kit.stdio(SERVER, "mcp", "serve", *self.options, modern=modern, **how, **self.how) as peer:
                yield peer
            return
        query = f"?project_path={project}" if project else ""
        before = len(self.serving.log())
        async with kit.http(
            f"{self.serving.origin}{path}{query}", sse=transport == "sse", modern=modern, **how
        ) as peer:
            yield replace(peer, log=lambda: self.serving.log()[before:])


@asynccontextmanager
async def started(*options: str, transport: str = "http", **how: Any) -> AsyncIterator[Start]:
    command = ["mcp", "serve", "--transport", transport, "--port", "{port}", *options]
    async with kit.serve(SERVER, *command, **how) as serving:
        yield Start(options, how, serving)


@pytest.fixture(scope="module", params=["SERVER_PYTHON", "mcp2"])
def python(request: pytest.FixtureRequest) -> str | None:
    """The server's interpreter: the one SERVER_PYTHON names has `mcp` 1.x, the one of these tests has 2.x."""
    return sys.executable if request.param == "mcp2" else None


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home folder for the indexes, of these tests and of the servers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with projects in it. All but one are indexed."""
    place = tmp_path_factory.mktemp("projects")
    for name in ("alpha", "beta", "gamma", "delta", "bare", "a blank and ümlaut"):
        (place / name).mkdir()
        (place / name / "code.txt").write_text(f"the needle of {name}\n", "utf-8")
        if name != "bare":
            assert cocosearch.index(place / name) == 1
    return place


@pytest.fixture(scope="module")
async def untold(python: str | None, place: Path) -> AsyncIterator[Start]:
    """Only the client can name its project: the working directory does not count without the flag."""
    async with started(python=python, cwd=place) as start:
        yield start


@pytest.fixture(scope="module")
async def told(python: str | None, place: Path) -> AsyncIterator[Start]:
    """The variable and the working directory name a project for clients that do not."""
    env = {"COCOSEARCH_PROJECT": str(place / "gamma")}
    async with started("--project-from-cwd", transport="sse", python=python, cwd=place / "delta", env=env) as start:
        yield start


@pytest.fixture(scope="module")
async def flagged(python: str | None, place: Path) -> AsyncIterator[Start]:
    """The working directory names a project without an index."""
    async with started("--project-from-cwd", python=python, cwd=place / "bare") as start:
        yield start


@pytest.fixture(scope="module")
async def shipped(python: str | None, place: Path) -> AsyncIterator[Start]:
    async with started(*SHIPPED, python=python, cwd=place / "delta") as start:
        yield start


async def search(peer: kit.Peer) -> tuple[str, str]:
    """Returns the project that was searched and the source that named it."""
    name, source, _ = await search_with_hints(peer)
    return name, source


async def search_with_hints(peer: kit.Peer) -> tuple[str, str, list[str]]:
    reply = await peer.call("search_code", query="needle")
    assert not reply.failed, reply.text
    head, found, *hints = reply.text.splitlines()
    said = re.fullmatch(r"In (.+) \(from (\w+)\):", head)
    assert said
    name = Path(said[1]).name
    # Only this project was searched.
    assert found == f"code.txt: the needle of {name}"
    return name, said[2], hints


async def failure(peer: kit.Peer) -> str:
    reply = await peer.call("search_code", query="needle")
    assert reply.failed, reply.text
    return reply.text.removeprefix("Error executing tool search_code: ")


def disagreements(log: str) -> list[str]:
    return [line for line in log.splitlines() if "[disagreement]" in line]


# The order


@pytest.mark.covers("S-01", "S-02", "S-14", "S-18")
@on_every_transport
async def test_the_order_is_the_same_on_every_transport(transport: str, told: Start, place: Path) -> None:
    roots = kit.Roots((place / "alpha").as_uri())
    async with told.client(transport, place / "beta", roots=roots) as peer:
        assert await search(peer) == ("alpha", "roots")
    if transport != "stdio":
        async with told.client(transport, place / "beta") as peer:
            assert await search(peer) == ("beta", "query_param")
    async with told.client(transport) as peer:
        assert await search(peer) == ("gamma", "env")


@pytest.mark.covers("S-01", "S-10", "S-12", "S-13")
@on_every_transport
async def test_the_working_directory_ranks_last_and_a_failed_first_response_has_the_hint(
    transport: str, flagged: Start, place: Path
) -> None:
    bare = place / "bare"
    advice = f"Project detected at {bare} but not indexed. Run `cocosearch index {bare}` first."
    async with flagged.client(transport) as peer:
        assert await failure(peer) == f"{advice}\n{TIP}"
        assert await failure(peer) == advice


@pytest.mark.covers("S-03")
@on_every_transport
async def test_a_lower_source_that_names_another_project_is_logged_once(
    transport: str, told: Start, place: Path
) -> None:
    alpha, beta = place / "alpha", place / "beta"
    async with told.client(transport, beta, roots=kit.Roots(alpha.as_uri())) as peer:
        assert await search(peer) == ("alpha", "roots")
        assert await search(peer) == ("alpha", "roots")
        # The flag sets a variable too.
        lost = [("query", beta), ("env", place / "gamma"), ("env", place / "delta"), ("cwd", place / "delta")]
        assert disagreements(peer.log()) == [
            f"rootwise: roots ({alpha}) and {source} ({folder}) name different projects [disagreement]"
            for source, folder in lost[transport == "stdio" :]
        ]


@pytest.mark.covers("S-04", "S-23")
@on_every_transport
async def test_a_missing_project_returns_an_instruction(transport: str, untold: Start) -> None:
    async with untold.client(transport) as peer:
        assert await failure(peer) == NOTHING


# Roots


@pytest.mark.covers("S-05")
@on_every_transport
async def test_a_change_of_the_roots_is_used_by_the_next_call(transport: str, untold: Start, place: Path) -> None:
    roots = kit.Roots((place / "alpha").as_uri())
    async with untold.client(transport, roots=roots) as peer:
        assert await search(peer) == ("alpha", "roots")
        roots.entries = [(place / "beta").as_uri()]
        before = len(peer.heard)
        await peer.roots_changed()
        await peer.client.send_ping()
        # The notification itself causes no output: this is the answer to the ping.
        assert len(peer.heard[before:]) == 1
        assert await search(peer) == ("beta", "roots")
        assert roots.asked == 2


@pytest.mark.covers("S-06", "S-21")
async def test_of_several_roots_the_first_is_searched_and_no_other(untold: Start, place: Path) -> None:
    roots = kit.Roots((place / "beta").as_uri(), (place / "alpha").as_uri())
    async with untold.client("http", roots=roots) as peer:
        assert await search(peer) == ("beta", "roots")


@pytest.mark.covers("S-07", "S-21")
async def test_file_uris_of_unix_are_read_and_all_others_fall_through(untold: Start, place: Path) -> None:
    folder = place / "a blank and ümlaut"
    roots = kit.Roots(folder.as_uri())
    async with untold.client("http", roots=roots) as peer:
        assert await search(peer) == (folder.name, "roots")
        for uri in (f"https://example.com{place}/alpha", f"file://elsewhere{place}/alpha", "file:///C:/alpha"):
            roots.entries = [uri]
            assert await failure(peer) == NOTHING


@pytest.mark.covers("S-08")
async def test_a_missing_first_root_falls_through_to_the_next_source_silently(
    untold: Start, told: Start, place: Path
) -> None:
    roots = kit.Roots((place / "gone").as_uri(), (place / "alpha").as_uri())
    # The client has roots, so it gets no advice to use one that has.
    async with told.client("http", roots=roots) as peer:
        assert await search_with_hints(peer) == ("gamma", "env", [])
    async with untold.client("http", place / "beta", roots=roots) as peer:
        assert await search_with_hints(peer) == ("beta", "query_param", [])
    async with untold.client("http", roots=roots) as peer:
        assert await failure(peer) == NOTHING


@pytest.mark.covers("S-09")
async def test_the_server_declares_no_roots_and_asks_only_clients_that_do(untold: Start, place: Path) -> None:
    roots = kit.Roots(error=(-32601, "Method not found"))
    async with untold.client("http", place / "beta", roots=roots) as peer:
        assert "roots" not in peer.heard[0]["result"]["capabilities"]
        # A client that declares roots but does not support them counts as one without roots.
        assert await search(peer) == ("beta", "query_param")
        assert roots.asked == 1
    async with untold.client("http", place / "beta") as peer:
        assert await search(peer) == ("beta", "query_param")
        assert [message for message in peer.heard if message.get("method") == "roots/list"] == []


# Clients without roots


@pytest.mark.covers("S-10")
@on_every_transport
async def test_the_hint_comes_once_with_the_first_response(transport: str, told: Start) -> None:
    async with told.client(transport) as peer:
        # A tool that shows no hints leaves them to the next one.
        assert TIP not in (await peer.call("analyze_query", query="two words")).text
        assert await search_with_hints(peer) == ("gamma", "env", [TIP])
        assert await search_with_hints(peer) == ("gamma", "env", [])


@pytest.mark.covers("S-11", "S-12")
@pytest.mark.parametrize(("block", "source"), [(0, "env"), (1, "env")])
async def test_both_ways_for_claude_desktop_are_documented_and_work(
    block: int, source: str, python: str | None, place: Path
) -> None:
    said = re.findall(r"```json\n(.+?)```", README, re.DOTALL)[block].replace("/path/to/repo", str(place / "gamma"))
    server = json.loads(said)["mcpServers"]["cocosearch"]
    assert (server["command"], server["args"][0]) == ("python", "/path/to/cocosearch.py")
    command = (SERVER, *server["args"][1:])
    async with kit.stdio(*command, env=server.get("env"), cwd=place / "gamma", python=python) as peer:
        assert await search_with_hints(peer) == ("gamma", source, [TIP])


@pytest.mark.covers("S-13")
@over_http
async def test_a_project_without_an_index_returns_the_command_to_index_it(
    transport: str, untold: Start, tmp_path: Path
) -> None:
    (tmp_path / "code.txt").write_text(f"the needle of {tmp_path.name}\n", "utf-8")
    async with untold.client(transport, tmp_path) as peer:
        said = await failure(peer)
        assert said == f"Project detected at {tmp_path} but not indexed. Run `cocosearch index {tmp_path}` first."
        _, *command = shlex.split(said.split("`")[1])
        await anyio.run_process([sys.executable, str(SERVER), *command])
        assert await search(peer) == (tmp_path.name, "query_param")


# The query parameter


@pytest.mark.covers("S-15", "S-18")
async def test_a_relative_path_is_a_bad_request_whatever_else_could_answer(
    untold: Start, told: Start, place: Path
) -> None:
    assert (untold.how["cwd"] / "alpha").is_dir()
    for start in (untold, told):
        async with httpx2.AsyncClient(base_url=start.serving.origin, trust_env=False) as web:
            for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/sse"), ("POST", "/messages/")):
                response = await web.request(method, f"{path}?project_path=alpha")
                assert response.status_code == 400
                assert response.json()["error"]["message"] == "Project path must be absolute: alpha"


@pytest.mark.covers("S-06", "S-12")
@pytest.mark.parametrize("roots", [None, kit.Roots("file:///"), kit.Roots("file:///tmp")], ids=["none", "/", "/tmp"])
async def test_no_advice_repeats_the_flag_that_was_given(python: str | None, roots: kit.Roots | None) -> None:
    home = Path.home()
    command = (SERVER, "mcp", "serve", "--project-from-cwd")
    async with kit.stdio(*command, cwd=home, env={"HOME": str(home)}, roots=roots, python=python) as peer:
        assert await failure(peer) == (
            f"The working directory {home} is not a project. "
            "Set COCOSEARCH_PROJECT, or start the server in the project's folder."
        )


@pytest.mark.covers("S-14", "S-16", "S-18")
@over_http
async def test_each_request_may_name_its_own_project(transport: str, untold: Start, place: Path) -> None:
    async with untold.client(transport, place / "alpha") as peer, untold.client(transport) as other:
        for name in ("alpha", "beta", "alpha"):
            peer.query["project_path"] = str(place / name)
            assert await search(peer) == (name, "query_param")
            assert await failure(other) == NOTHING


@pytest.mark.covers("S-14")
@over_http
async def test_of_two_projects_in_one_query_the_first_counts(transport: str, untold: Start, place: Path) -> None:
    for second in (place / "beta", "/bad/path"):
        async with untold.client(transport, f"{place}/alpha&project_path={second}") as peer:
            assert await search(peer) == ("alpha", "query_param")


@pytest.mark.covers("S-17", "S-18")
async def test_a_path_that_does_not_exist_is_a_bad_request_at_every_endpoint(untold: Start) -> None:
    async with httpx2.AsyncClient(base_url=untold.serving.origin, trust_env=False) as web:
        for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/sse"), ("POST", "/messages/")):
            response = await web.request(method, f"{path}?project_path=/bad/path")
            assert response.status_code == 400
            assert response.json()["error"]["message"] == "Project path does not exist: /bad/path"
        page = await web.get("/mcp?project_path=/bad/path", headers={"Host": "elsewhere.example"})
        assert (page.status_code, page.text) == (400, "Invalid host header")


@pytest.mark.covers("S-17", "S-22")
@over_http
async def test_a_bad_path_is_a_bad_request_despite_good_roots(transport: str, untold: Start, place: Path) -> None:
    roots = kit.Roots((place / "alpha").as_uri())
    async with untold.client(transport, roots=roots) as peer, anyio.create_task_group() as group:
        assert await search(peer) == ("alpha", "roots")
        peer.query["project_path"] = "/bad/path"

        async def call() -> None:
            # The SDK's client does not expose the status, and over SSE it waits for an answer that never arrives.
            with suppress(MCPError):
                await search(peer)
                raise AssertionError("it was answered")

        group.start_soon(call)
        while "%2Fbad%2Fpath" not in peer.log():  # noqa: ASYNC110 - the log is a file
            await anyio.sleep(0.05)
        group.cancel_scope.cancel()
    assert '%2Fbad%2Fpath HTTP/1.1" 400 Bad Request' in peer.log()
    assert roots.asked == 1


# Transports


@pytest.mark.covers("S-19")
async def test_one_endpoint_distinguishes_the_transports(untold: Start) -> None:
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
    }
    both = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(base_url=untold.serving.origin, trust_env=False, headers=both) as web:
        for path in ("/mcp", "/sse"):
            async with web.stream("GET", path) as stream:
                lines = stream.aiter_lines()
                assert await anext(lines) == "event: endpoint"
                assert (await anext(lines)).startswith("data: /messages/?session_id=")
        started = await web.post("/mcp", json=begin)
        assert started.status_code == 200
        session = {"Mcp-Session-Id": started.headers["Mcp-Session-Id"]}
        async with web.stream("GET", "/mcp", headers=session) as stream:
            assert stream.headers["Mcp-Session-Id"] == session["Mcp-Session-Id"]
        assert (await web.get("/mcp", headers={"Accept": "text/html"})).status_code == 406
        assert (await web.delete("/mcp", headers=session)).status_code == 200


@pytest.mark.covers("S-19")
@pytest.mark.parametrize(("transport", "path"), [("sse", "/sse"), ("sse", "/mcp"), ("http", "/mcp")])
async def test_every_command_serves_every_client(
    transport: str, path: str, told: Start, untold: Start, place: Path
) -> None:
    for start in (told, untold):
        async with start.client(transport, place / "alpha", path=path) as peer:
            assert await search(peer) == ("alpha", "query_param")


# As shipped


@pytest.mark.covers("S-08", "S-17", "S-22")
async def test_as_shipped_bad_values_fall_through_and_the_first_root_that_exists_counts(
    shipped: Start, place: Path
) -> None:
    roots = kit.Roots((place / "gone").as_uri(), (place / "alpha").as_uri())
    async with shipped.client("http", "/bad/path", roots=roots) as peer:
        assert await search(peer) == ("alpha", "roots")
        assert disagreements(peer.log()) == []
    async with shipped.client("http", "/bad/path") as peer:
        assert await search(peer) == ("delta", "cwd")


@pytest.mark.covers("S-13")
async def test_as_shipped_a_model_can_index_a_project_as_instructed(shipped: Start, tmp_path: Path) -> None:
    (tmp_path / "code.txt").write_text(f"the needle of {tmp_path.name}\n", "utf-8")
    async with shipped.client("http", tmp_path) as peer:
        assert await failure(peer) == (
            f"Project detected at {tmp_path} but not indexed. Index this project first using:\n"
            f"  CLI: cocosearch index {tmp_path}\n  MCP: index_codebase(path='{tmp_path}')"
        )
        assert (await peer.call("index_codebase", path=str(tmp_path))).text == "1 files indexed"
        assert await search(peer) == (tmp_path.name, "query_param")


async def test_as_shipped_the_project_is_the_repository_around_the_folder(shipped: Start, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "code.txt").write_text(f"the needle of {tmp_path.name}\n", "utf-8")
    cocosearch.index(tmp_path)
    async with shipped.client("http", roots=kit.Roots((tmp_path / "src").as_uri())) as peer:
        assert await search(peer) == (tmp_path.name, "roots")


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
async def test_as_shipped_worktrees_share_an_index_and_clones_do_not(
    shipped: Start, untold: Start, tmp_path: Path
) -> None:
    def git(folder: Path, *arguments: str) -> None:
        settings = [part for name in ("user.name", "user.email") for part in ("-c", f"{name}=t")]
        env = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *settings, *arguments], cwd=folder, env=env, check=True, capture_output=True)

    repo, fix, clone = (tmp_path / name for name in ("repo", "fix", "clone"))
    repo.mkdir()
    git(repo, "init", "-q")
    (repo / "code.txt").write_text("the needle of all\n", "utf-8")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "first")
    git(repo, "worktree", "add", "-q", str(fix))
    git(tmp_path, "clone", "-q", "repo", "clone")
    roots = kit.Roots(repo.as_uri())

    async def searched(peer: kit.Peer, folder: Path) -> str:
        roots.entries = [folder.as_uri()]
        return (await peer.call("search_code", query="needle")).text.removeprefix("Error executing tool search_code: ")

    async with shipped.client("http", roots=roots) as peer:
        assert (await searched(peer, repo)).startswith(f"Project detected at {repo} but not indexed.")
        await peer.call("index_codebase", path=str(repo))
        for folder in (repo, fix):
            assert await searched(peer, folder) == f"In {folder} (from roots):\ncode.txt: the needle of all"
        assert (await searched(peer, clone)).startswith(f"Project detected at {clone} but not indexed.")
        # Whichever worktree is indexed last, all of them find it; a clone has an index of its own.
        (fix / "code.txt").write_text("the needle of the fix\n", "utf-8")
        for folder in (fix, clone):
            await peer.call("index_codebase", path=str(folder))
        found = [(await searched(peer, folder)).splitlines()[1] for folder in (repo, fix, clone)]
        assert found == ["code.txt: the needle of the fix"] * 2 + ["code.txt: the needle of all"]
    # As designed, a project is its folder.
    async with untold.client("http", roots=roots) as peer:
        assert (await searched(peer, fix)).startswith(f"Project detected at {fix} but not indexed.")


@pytest.mark.covers("A6")
@pytest.mark.parametrize(
    ("root", "project"),
    [
        ("mono/app", "mono/app"),
        ("mono/lib", "mono"),
        ("mono/app/src", "mono/app"),
        ("one/link", "two"),
        ("one/link/deep", "two"),
        ("plain", "plain"),
        ("worktree/src", "worktree"),
    ],
)
async def test_as_shipped_the_nearest_marker_of_either_kind_counts_on_the_real_path(
    shipped: Start, tmp_path: Path, root: str, project: str
) -> None:
    for folder in (
        "mono/.git",
        "mono/app/src",
        "mono/lib",
        "one/.git",
        "two/.git",
        "two/pkg/deep",
        "plain",
        "worktree/src",
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "mono/app/cocosearch.yaml").touch()
    # In a worktree `.git` is a file.
    (tmp_path / "worktree/.git").write_text("gitdir: elsewhere")
    (tmp_path / "one/link").symlink_to(tmp_path / "two/pkg")
    async with shipped.client("http", roots=kit.Roots((tmp_path / root).as_uri())) as peer:
        assert (await failure(peer)).startswith(f"Project detected at {tmp_path / project} but not indexed.")


@pytest.mark.covers("S-10", "S-12", "S-23")
async def test_as_shipped_there_are_two_variables_and_the_hint_comes_every_time(
    python: str | None, place: Path
) -> None:
    both = {"COCOSEARCH_PROJECT_PATH": str(place / "beta"), "COCOSEARCH_PROJECT": str(place / "gamma")}
    for options, env, name in (((), both, "beta"), (("--project-from-cwd",), {}, "delta")):
        command = (SERVER, "mcp", "serve", *SHIPPED, *options)
        async with kit.stdio(*command, env=env, cwd=place / "delta", python=python) as peer:
            for _ in range(2):
                assert await search_with_hints(peer) == (name, "env", [f"{TIP} via MCP Roots."])


# Clients of revision 2026-07-28, with a server that speaks it


@pytest.fixture(scope="module")
async def modern(place: Path) -> AsyncIterator[Start]:
    env = {"COCOSEARCH_PROJECT": str(place / "gamma")}
    async with started(python=sys.executable, cwd=place, env=env) as start:
        yield start


@pytest.mark.covers("S-01", "S-02", "S-03", "S-05", "S-08", "S-09", "S-10")
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_modern_client_gets_the_same_order_and_over_http_every_call_is_stateless(
    transport: str, modern: Start, place: Path
) -> None:
    alpha, beta, gamma = place / "alpha", place / "beta", place / "gamma"
    roots = kit.Roots(alpha.as_uri())
    async with modern.client(transport, modern=True, roots=roots) as peer:
        assert await search(peer) == ("alpha", "roots")
        # No notification about the change is needed.
        roots.entries = [beta.as_uri()]
        assert await search(peer) == ("beta", "roots")
        assert await search(peer) == ("beta", "roots")
        assert roots.asked == 3
        # Over HTTP calls are independent: each logs its disagreements, and each fallback result of a client without
        # roots has the hint. On a pipe both come once.
        alone = transport == "http"
        assert disagreements(peer.log()) == [
            f"rootwise: roots ({folder}) and env ({gamma}) name different projects [disagreement]"
            for folder in ((alpha, beta, beta) if alone else (alpha, beta))
        ]
        roots.entries = [(place / "gone").as_uri(), alpha.as_uri()]
        assert await search_with_hints(peer) == ("gamma", "env", [])
    async with modern.client(transport, modern=True) as peer:
        for hints in ([TIP], [TIP] if alone else []):
            assert await search_with_hints(peer) == ("gamma", "env", hints)
        assert [message for message in peer.heard if "inputRequests" in message.get("result", {})] == []


@pytest.mark.covers("S-14", "S-16", "S-17", "S-22")
async def test_a_modern_request_names_its_project_in_its_query(modern: Start, place: Path) -> None:
    async with modern.client("http", modern=True, roots=kit.Roots()) as peer:
        for name in ("alpha", "beta"):
            peer.query["project_path"] = str(place / name)
            assert await search(peer) == (name, "query_param")
        peer.query["project_path"] = "/bad/path"
        with pytest.raises(MCPError):
            await search(peer)
        assert '%2Fbad%2Fpath HTTP/1.1" 400 Bad Request' in peer.log()


# The README


async def test_the_commands_of_the_readme_work(python: str | None, tmp_path: Path) -> None:
    (tmp_path / "code.txt").write_text(f"the needle of {tmp_path.name}\n", "utf-8")
    [block] = re.findall(r"```sh\n(.+?)```", README, re.DOTALL)
    indexing, over_stdio, over_http = (shlex.split(line) for line in block.splitlines())
    assert all(words[:2] == ["python", "cocosearch.py"] for words in (indexing, over_stdio, over_http))
    told = [str(tmp_path) if word == "/path/to/repo" else word for word in indexing]
    await anyio.run_process([sys.executable, str(SERVER), *told[2:]])
    roots = kit.Roots(tmp_path.as_uri())
    async with kit.stdio(SERVER, *over_stdio[2:], cwd=tmp_path, roots=roots, python=python) as peer:
        assert await search(peer) == (tmp_path.name, "roots")
    port = ["{port}" if word == "3000" else word for word in over_http]
    async with kit.serve(SERVER, *port[2:], cwd=tmp_path, python=python) as serving:
        [url] = re.findall("`http://127.0.0.1:3000(/.+?)`", README)
        async with kit.http(serving.origin + url.replace("/path/to/repo", str(tmp_path))) as peer:
            assert await search(peer) == (tmp_path.name, "query_param")


def test_the_readme_counts_the_lines_of_detection() -> None:
    said = re.search(r"`(grep .+?)` prints (\d+)", README)
    assert said
    done = subprocess.run(shlex.split(said[1]), cwd=SERVER.parent, capture_output=True, text=True)
    assert done.stdout.strip() == said[2]
