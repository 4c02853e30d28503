"""Clients of revision 2026-07-28, for which nothing is remembered between calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kit import Reply, Roots, Serving, http, stdio

SERVER = Path(__file__).with_name("server.py")

pytestmark = pytest.mark.usefixtures("fastmcp4")

Folder = Callable[[str], Path]


def operated(workspace: Path) -> Reply:
    return Reply(False, f"Operated on workspace: {workspace}")


@pytest.mark.covers("C-01", "C-04", "C-20")
async def test_every_call_brings_its_own_roots_or_header(server: Serving, folder: Folder) -> None:
    a, b, named = folder("a"), folder("b"), folder("named")
    roots = Roots(a.as_uri())
    async with http(f"{server.origin}/mcp", roots=roots, modern=True) as peer:
        assert await peer.call("log_decision", summary="one") == operated(a)
        # The first root is not kept, and a change needs no notification.
        roots.entries = [b.as_uri()]
        assert await peer.call("log_decision", summary="two") == operated(b)
        assert roots.asked == 2
        peer.headers["X-Workspace-Id"] = str(named)
        assert await peer.call("log_decision", summary="three") == operated(named)
        assert roots.asked == 2
        del peer.headers["X-Workspace-Id"]
        roots.entries = [{"uri": a.as_uri(), "name": "Alpha"}, b.as_uri()]
        said = await peer.call("log_decision", summary="four")
        assert said == Reply(
            True,
            "Error: Multiple workspaces available. Please select one using set_workspace_id tool or X-Workspace-Id "
            f"header. Available: Alpha, {b.as_uri()}",
        )


async def test_a_workspace_cannot_be_set_and_the_call_returns_an_alternative(server: Serving, folder: Folder) -> None:
    a = folder("a")
    async with http(f"{server.origin}/mcp", roots=Roots(a.as_uri()), modern=True) as peer:
        said = await peer.call("set_workspace_id", workspace_uri=a.as_uri())
        assert said == Reply(
            True,
            "Error: This client keeps no state between calls. Please send the X-Workspace-Id header with every "
            "request, or restart with --workspace-id",
        )


@pytest.mark.covers("C-08", "C-21")
async def test_over_stdio_several_roots_fall_through_to_the_working_directory_and_the_command_line_beats_both(
    folder: Folder,
) -> None:
    here, a, b, cli = folder("here"), folder("a"), folder("b"), folder("cli")
    roots = Roots(a.as_uri(), b.as_uri())
    async with stdio(SERVER, cwd=here, roots=roots, modern=True) as peer:
        assert await peer.call("log_decision", summary="one") == operated(here)
    async with stdio(SERVER, "--workspace-id", str(cli), cwd=here, roots=roots, modern=True) as peer:
        assert await peer.call("log_decision", summary="two") == operated(cli)


async def test_as_shipped_nothing_changes(folder: Folder) -> None:
    project, source, other = folder("project"), folder("project/src"), folder("other")
    (project / "Cargo.toml").touch()
    roots = Roots(other.as_uri())
    async with stdio(SERVER, "--preset", "conport-shipped", cwd=source, roots=roots, modern=True) as peer:
        assert await peer.call("log_decision", summary="here") == operated(project)
        assert await peer.call("log_decision", summary="there", workspace_id=str(other)) == operated(other)
        assert roots.asked == 0
        assert str(project) in (await peer.call("get_workspace_detection_info")).text
