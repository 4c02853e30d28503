"""Fixtures: folders to work in, and one HTTP server for all tests of a preset."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from kit import Serving, serve

SERVER = Path(__file__).with_name("server.py")


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], Path]:
    def make(name: str) -> Path:
        made = tmp_path / name
        made.mkdir(parents=True)
        return made

    return make


@pytest.fixture(scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Serving]:
    async with serve(SERVER, "--transport", "http", "--port", "{port}", cwd=tmp_path_factory.mktemp("cwd")) as serving:
        yield serving


@pytest.fixture(scope="session")
def fastmcp4() -> None:
    """Only FastMCP 4 passes changes of the roots to a server and speaks revision 2026-07-28."""
    with_it = [os.environ["SERVER_PYTHON"], "-c", "from fastmcp.tools.base import InputRequiredToolResult"]
    if subprocess.run(with_it, capture_output=True, timeout=60).returncode != 0:
        pytest.skip("the server's FastMCP neither tells of changed roots nor speaks revision 2026-07-28")
