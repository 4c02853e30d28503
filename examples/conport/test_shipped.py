"""ConPort as shipped: the call names its workspace; over stdio, variables and markers are the fallback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kit import Reply, Roots, http, serve, stdio

SERVER = Path(__file__).with_name("server.py")
SHIPPED = (SERVER, "--preset", "conport-shipped")

Folder = Callable[[str], Path]


def operated(workspace: Path) -> Reply:
    return Reply(False, f"Operated on workspace: {workspace}")


async def test_the_nearest_folder_with_a_marker_is_the_workspace_unless_the_call_names_one(folder: Folder) -> None:
    project, source, other = folder("project"), folder("project/src"), folder("other")
    # The content of a marker does not matter, as in ConPort.
    (project / "package.json").touch()
    roots = Roots(other.as_uri())
    async with stdio(*SHIPPED, cwd=source, roots=roots) as peer:
        assert await peer.call("log_decision", summary="here") == operated(project)
        assert await peer.call("log_decision", summary="there", workspace_id=str(other)) == operated(other)
        assert (await peer.call("get_decisions")).json == ["here"]
        assert roots.asked == 0
        info = (await peer.call("get_workspace_detection_info")).json
        assert "cwd         won" in info.pop("explanation")
        assert info == {
            "start_path": str(source),
            "detected_workspace": str(project),
            "detection_method": "strong_indicators",
            "indicators_found": ["package.json"],
            "environment_variables": {},
        }


async def test_a_template_falls_through_to_a_variable_and_the_variable_beats_the_markers(folder: Folder) -> None:
    project, named = folder("project"), folder("named")
    (project / ".git").mkdir()
    template = ("--workspace_id", "${workspaceFolder}")
    async with stdio(*SHIPPED, *template, env={"CONPORT_WORKSPACE": str(named)}, cwd=project) as peer:
        assert await peer.call("log_decision", summary="one") == operated(named)


async def test_two_weak_markers_count_and_without_any_the_working_directory_does(folder: Folder) -> None:
    project, source, bare = folder("project"), folder("project/src"), folder("bare")
    (source / "README.md").touch()
    (project / "README.md").touch()
    (project / "Makefile").touch()
    async with stdio(*SHIPPED, cwd=source) as peer:
        assert await peer.call("log_decision", summary="one") == operated(project)
    async with stdio(*SHIPPED, cwd=bare) as peer:
        assert await peer.call("log_decision", summary="two") == operated(bare)


@pytest.mark.covers("A7")
async def test_a_marker_in_the_home_folder_says_nothing_about_a_folder_below_it(folder: Folder) -> None:
    home, here = folder("home"), folder("home/notes/today")
    (home / ".git").mkdir()
    async with stdio(*SHIPPED, cwd=here, env={"HOME": str(home)}) as peer:
        assert await peer.call("log_decision", summary="one") == operated(here)


async def test_over_http_only_the_call_itself_names_a_workspace(folder: Folder) -> None:
    project, named = folder("project"), folder("named")
    (project / ".git").mkdir()
    command = (*SHIPPED, "--transport", "http", "--port", "{port}", "--workspace_id", str(project))
    async with serve(*command, cwd=project) as server, http(f"{server.origin}/mcp") as peer:
        assert (await peer.call("log_decision", summary="one")).failed
        assert await peer.call("log_decision", summary="two", workspace_id=str(named)) == operated(named)
        assert not (project / "context_portal").exists()


async def test_the_search_can_start_elsewhere_or_not_at_all(folder: Folder) -> None:
    project, source, here = folder("project"), folder("project/src"), folder("here")
    for place in (project, here):
        (place / ".git").mkdir()
    async with stdio(*SHIPPED, "--workspace-search-start", source, cwd=here) as peer:
        assert await peer.call("log_decision", summary="one") == operated(project)
    variable = {"CONPORT_WORKSPACE": str(project)}
    async with stdio(*SHIPPED, "--no-auto-detect", env=variable, cwd=here) as peer:
        assert (await peer.call("log_decision", summary="two")).failed
        assert (await peer.call("get_workspace_detection_info")).json["detection_method"] == "none"
        assert await peer.call("log_decision", summary="two", workspace_id=str(project)) == operated(project)
