"""The plan for several workspaces, end to end: real processes, real clients of the revisions up to 2025-11-25."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import anyio
import database
import pytest
from kit import Peer, Reply, Roots, Serving, http, serve, stdio

SERVER = Path(__file__).with_name("server.py")

NONE = (
    "Error: No workspace available. Please set one using set_workspace_id tool, X-Workspace-Id header, "
    "or restart with --workspace-id"
)
SEVERAL = (
    "Error: Multiple workspaces available. Please select one using set_workspace_id tool or X-Workspace-Id header. "
    "Available: "
)
NOT_IN_ROOTS = "Error: Workspace URI not in declared roots. Available: "

Folder = Callable[[str], Path]


def mcp(server: Serving) -> str:
    return f"{server.origin}/mcp"


def operated(workspace: Path) -> Reply:
    return Reply(False, f"Operated on workspace: {workspace}")


def failed(text: str) -> Reply:
    return Reply(True, text)


def stored(workspace: Path) -> list[str]:
    path = workspace / "context_portal" / "context.db"
    assert path.is_file()
    return database.get_decisions(path)


async def log(peer: Peer, summary: str = "decided") -> Reply:
    return await peer.call("log_decision", summary=summary)


async def choose(peer: Peer, uri: str) -> Reply:
    return await peer.call("set_workspace_id", workspace_uri=uri)


# Over stdio


@pytest.mark.covers("C-01", "C-02", "C-09", "C-10", "C-22", "C-24", "C-26", "C-28")
async def test_over_stdio_the_working_directory_is_the_workspace_and_gets_the_database(folder: Folder) -> None:
    here = folder("here")
    async with stdio(SERVER, cwd=here) as peer:
        assert f"Using current working directory as default workspace: {here}" in peer.log()
        assert await log(peer, "use SQLite") == operated(here)
        assert stored(here) == ["use SQLite"]
        assert (await peer.call("get_decisions")).json == ["use SQLite"]
        assert "roots" not in peer.client.server_capabilities.model_dump(by_alias=True, exclude_none=True)


@pytest.mark.covers("C-18", "C-21")
async def test_over_stdio_several_roots_fall_through_to_the_working_directory(folder: Folder) -> None:
    here, roots = folder("here"), Roots(folder("a").as_uri(), folder("b").as_uri())
    async with stdio(SERVER, cwd=here, roots=roots) as peer:
        assert await log(peer) == operated(here)
        assert roots.asked == 1


@pytest.mark.covers("C-01", "C-18", "C-19")
async def test_the_only_root_beats_the_working_directory_and_stays(folder: Folder) -> None:
    here, a, b = folder("here"), folder("a"), folder("b")
    roots = Roots(a.as_uri())
    async with stdio(SERVER, cwd=here, roots=roots) as peer:
        assert await log(peer) == operated(a)
        roots.entries = [b.as_uri()]
        await peer.roots_changed()
        assert await log(peer) == operated(a)
        assert not (here / "context_portal").exists()


@pytest.mark.covers("C-01", "C-08", "C-16", "C-28")
async def test_a_command_line_workspace_beats_the_root_until_the_tool_replaces_it(folder: Folder) -> None:
    here, chosen, root = folder("here"), folder("chosen"), folder("root")
    async with stdio(SERVER, "--workspace-id", "../chosen", cwd=here, roots=Roots(root.as_uri())) as peer:
        assert f"Workspace set to command line argument: {chosen}" in peer.log()
        assert await log(peer) == operated(chosen)
        assert "Using current working directory" not in peer.log()
        assert await choose(peer, root.as_uri()) == Reply(False, f"Workspace set to: {root}")
        assert await log(peer) == operated(root)


@pytest.mark.covers("C-08", "C-20")
async def test_a_bad_command_line_workspace_is_a_warning_and_a_missing_root_an_error(
    folder: Folder, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    async with stdio(SERVER, "--workspace-id", "nowhere", cwd=folder("here"), roots=Roots(gone.as_uri())) as peer:
        assert "Warning: Provided workspace path doesn't exist: nowhere" in peer.log()
        # The working directory is available, but the root has a higher rank.
        assert await log(peer) == failed(f"Error: Declared root path does not exist: {gone}")


@pytest.mark.covers("C-08")
async def test_a_link_on_the_command_line_leads_to_the_folder_itself(folder: Folder, tmp_path: Path) -> None:
    real, link = folder("real"), tmp_path / "link"
    link.symlink_to(real)
    async with stdio(SERVER, "--workspace-id", link, cwd=folder("here")) as peer:
        assert f"Workspace set to command line argument: {real}" in peer.log()
        assert await log(peer) == operated(real)


@pytest.mark.covers("C-03", "C-08", "C-24")
@pytest.mark.parametrize("used_before", [True, False], ids=["after a call", "before any call"])
async def test_a_command_line_workspace_that_disappears_is_never_replaced(folder: Folder, used_before: bool) -> None:
    chosen, root = folder("chosen"), folder("root")
    async with stdio(SERVER, "--workspace-id", chosen, cwd=folder("here"), roots=Roots(root.as_uri())) as peer:
        # The server has checked it by then.
        assert f"Workspace set to command line argument: {chosen}" in peer.log()
        if used_before:
            assert await log(peer) == operated(chosen)
        shutil.rmtree(chosen)
        for _ in range(2):
            assert await log(peer) == failed(f"Error: Invalid workspace path: {chosen}")
        assert not (root / "context_portal").exists()


# Over HTTP


@pytest.mark.covers("C-01", "C-04", "C-09", "C-20", "C-27")
async def test_the_header_serves_only_its_request_and_the_working_directory_is_not_used(
    server: Serving, folder: Folder
) -> None:
    w = folder("w")
    async with http(mcp(server)) as peer:
        assert await log(peer) == failed(NONE)
        peer.headers["X-Workspace-Id"] = str(w)
        assert await log(peer) == operated(w)
        del peer.headers["X-Workspace-Id"]
        assert await log(peer) == failed(NONE)


@pytest.mark.covers("C-01", "C-04")
async def test_the_header_beats_the_tool_and_the_command_line(folder: Folder) -> None:
    here, cli, chosen, named = folder("here"), folder("cli"), folder("chosen"), folder("here/named")
    async with (
        serve(SERVER, "--transport", "http", "--port", "{port}", "--workspace-id", cli, cwd=here) as own,
        http(mcp(own), roots=Roots(chosen.as_uri())) as peer,
    ):
        assert f"Workspace set to command line argument: {cli}" in own.log()
        assert await log(peer) == operated(cli)
        assert await choose(peer, chosen.as_uri()) == Reply(False, f"Workspace set to: {chosen}")
        # A relative value is resolved against the server's working directory.
        peer.headers["X-Workspace-Id"] = "named"
        assert await log(peer) == operated(named)
        del peer.headers["X-Workspace-Id"]
        assert await log(peer) == operated(chosen)


@pytest.mark.covers("C-04")
async def test_a_link_in_the_header_leads_to_the_folder_itself(server: Serving, folder: Folder, tmp_path: Path) -> None:
    real, link = folder("real"), tmp_path / "link"
    link.symlink_to(real)
    async with http(mcp(server), headers={"X-Workspace-Id": str(link)}) as peer:
        assert await log(peer, "through the link") == operated(real)
        peer.headers["X-Workspace-Id"] = str(real)
        assert (await peer.call("get_decisions")).json == stored(real) == ["through the link"]
        other = folder("other")
        link.unlink()
        link.symlink_to(other)
        peer.headers["X-Workspace-Id"] = str(link)
        assert await log(peer) == operated(other)


@pytest.mark.covers("C-05", "C-25")
async def test_a_header_that_is_not_a_directory_is_a_warning_and_the_next_source_counts(
    server: Serving, folder: Folder, tmp_path: Path
) -> None:
    root, other, gone = folder("root"), folder("other"), tmp_path / "gone"
    async with http(mcp(server), roots=Roots(root.as_uri())) as peer:
        # The header takes a path: a URI is not a folder of the working directory.
        for value in (str(gone), other.as_uri()):
            peer.headers["X-Workspace-Id"] = value
            assert await log(peer) == operated(root)
            assert f"Warning: Workspace path from header doesn't exist: {value}" in server.log()


@pytest.mark.covers("C-06")
async def test_a_header_that_cannot_be_processed_is_an_error_line_and_the_next_source_counts(
    server: Serving, folder: Folder
) -> None:
    root = folder("root")
    async with http(mcp(server), roots=Roots(root.as_uri()), headers={"X-Workspace-Id": f"{root}\tb"}) as peer:
        assert await log(peer) == operated(root)
        assert "Error processing workspace header: control" in server.log()


@pytest.mark.covers("C-04", "C-10")
async def test_over_sse_under_fastapi_the_header_counts_too(folder: Folder) -> None:
    w, root = folder("w"), folder("root")
    async with (
        serve(SERVER, "--transport", "sse", "--port", "{port}", cwd=folder("here")) as own,
        http(f"{own.origin}/mcp/sse", roots=Roots(root.as_uri()), sse=True) as peer,
    ):
        assert await log(peer) == operated(root)
        peer.headers["X-Workspace-Id"] = str(w)
        assert await log(peer) == operated(w)


@pytest.mark.covers("C-02", "C-07")
async def test_concurrent_users_are_isolated(server: Serving, folder: Folder) -> None:
    users = range(6)
    by_header, by_root = [folder(f"header{user}") for user in users], [folder(f"root{user}") for user in users]

    async def work(user: int) -> None:
        async with http(mcp(server), roots=Roots(by_root[user].as_uri())) as peer:
            for turn in range(5):
                peer.headers["X-Workspace-Id"] = str(by_header[user])
                assert await log(peer, f"{user} {turn}") == operated(by_header[user])
                del peer.headers["X-Workspace-Id"]
                assert await log(peer, f"{user} {turn}") == operated(by_root[user])

    async with anyio.create_task_group() as together:
        for user in users:
            together.start_soon(work, user)
    for user in users:
        expected = [f"{user} {turn}" for turn in range(5)]
        assert stored(by_header[user]) == stored(by_root[user]) == expected


@pytest.mark.covers("C-03", "C-11", "C-12", "C-13", "C-15", "C-16")
async def test_set_workspace_id_accepts_and_refuses_values_without_roots(
    server: Serving, folder: Folder, tmp_path: Path
) -> None:
    w, gone, file = folder("w"), tmp_path / "gone", tmp_path / "file"
    file.touch()
    async with http(mcp(server)) as peer:
        for other in (str(w), "https://example.com/w", "w", ""):
            assert await choose(peer, other) == failed("Error: workspace_uri must be a file:// URI")
        assert await choose(peer, "file:///a%2Fb") == failed("Error: Invalid URI format: encoded_separator")
        for path in (gone, file):
            assert await choose(peer, path.as_uri()) == failed(f"Error: Workspace path does not exist: {path}")
        assert await log(peer) == failed(NONE)
        assert await choose(peer, w.as_uri()) == Reply(False, f"Workspace set to: {w}")
        assert await log(peer) == operated(w)


@pytest.mark.covers("C-14", "C-16", "C-17", "C-18", "C-20", "C-25", "C-27")
async def test_several_roots_are_an_error_until_one_of_them_is_set(server: Serving, folder: Folder) -> None:
    a, b, outside = folder("a"), folder("b"), folder("outside")
    roots = Roots({"uri": a.as_uri(), "name": "Alpha"}, b.as_uri())
    available = f"Alpha, {b.as_uri()}"
    async with http(mcp(server), roots=roots) as peer:
        assert await log(peer) == failed(SEVERAL + available)
        # The comparison is literal: another spelling of a root is not in the list.
        for uri in (outside.as_uri(), f"{a.as_uri()}/", folder("a/below").as_uri()):
            assert await choose(peer, uri) == failed(NOT_IN_ROOTS + available)
        assert await choose(peer, a.as_uri()) == Reply(False, f"Workspace set to: {a}")
        assert await log(peer) == operated(a)
        # The active workspace stays, whatever list arrives.
        roots.entries = [b.as_uri()]
        await peer.roots_changed()
        assert await log(peer) == operated(a)


@pytest.mark.covers("C-14", "C-19")
@pytest.mark.usefixtures("fastmcp4")
async def test_a_workspace_is_compared_with_the_current_list_when_it_is_set(server: Serving, folder: Folder) -> None:
    a, b = folder("a"), folder("b")
    roots = Roots(a.as_uri())
    async with http(mcp(server), roots=roots) as peer:
        assert await log(peer) == operated(a)
        roots.entries = [b.as_uri()]
        await peer.roots_changed()
        assert await choose(peer, a.as_uri()) == failed(NOT_IN_ROOTS + b.as_uri())
        assert await log(peer) == operated(a)
        assert await choose(peer, b.as_uri()) == Reply(False, f"Workspace set to: {b}")
        assert await log(peer) == operated(b)


@pytest.mark.covers("C-20", "C-23")
async def test_a_root_is_decoded_and_normalised_and_must_be_a_file_uri(server: Serving, folder: Folder) -> None:
    my = folder("my project")
    async with http(mcp(server), roots=Roots(f"{my.parent.as_uri()}/x/../my%20project")) as peer:
        assert await log(peer) == operated(my)
    async with http(mcp(server), roots=Roots("https://example.com/project")) as peer:
        assert await log(peer) == failed("Error: URI must start with file://")


@pytest.mark.covers("C-03", "C-22", "C-24")
async def test_a_workspace_is_checked_again_when_it_is_used(server: Serving, folder: Folder) -> None:
    root, chosen = folder("root"), folder("chosen")
    async with http(mcp(server), roots=Roots(root.as_uri(), chosen.as_uri())) as peer:
        await choose(peer, chosen.as_uri())
        chosen.rmdir()
        assert await log(peer) == failed(f"Error: Workspace path does not exist: {chosen}")
    async with http(mcp(server), roots=Roots(root.as_uri())) as peer:
        assert await log(peer) == operated(root)
        shutil.rmtree(root)
        assert await log(peer) == failed(f"Error: Invalid workspace path: {root}")
    with pytest.raises(ValueError, match=r"^Workspace path cannot be empty$"):
        database.database_path("")


@pytest.mark.covers("C-25")
async def test_internal_errors_are_not_shown(server: Serving, folder: Folder) -> None:
    w = folder("w")
    (w / "context_portal").touch()
    async with http(mcp(server), headers={"X-Workspace-Id": str(w)}) as peer:
        reply = await log(peer)
        assert reply.failed
        assert str(w) not in reply.text
        assert "exist" not in reply.text
