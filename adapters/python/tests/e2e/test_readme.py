"""Every Python example of the documentation, run as it stands in the environments it is for."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from frameworks import FRAMEWORKS, PYTHONS, Framework
from peers import CLIENTS, Peer

ROOT = Path(__file__).resolve().parents[4]
DOCS = sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md"))
PAGES = ["README.md", "adapters/python/README.md", *DOCS]
BLOCKS = {
    f"{page}, example {number}": code
    for page in PAGES
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S), 1
    )
}
#: The import of a server, and the framework that it belongs to.
IMPORTS = {
    "from fastmcp import": "fastmcp",
    "from mcp.server.mcpserver import": "mcp2",
    "from mcp.server.fastmcp import": "mcp1",
}
SERVERS = [
    pytest.param(framework, code, id=f"{framework.name}-{name}")
    for name, code in BLOCKS.items()
    for line, kind in IMPORTS.items()
    for framework in FRAMEWORKS
    if line in code and framework.kind == kind
]
#: Those that need no framework of their own; `mcp` 2.x brings Starlette with it.
OTHERS = {name: code for name, code in BLOCKS.items() if not any(line in code for line in IMPORTS)}
WEB = {name: code for name, code in OTHERS.items() if "import Starlette" in code}
PROGRAMS = {name: code for name, code in OTHERS.items() if name not in WEB}
mcp2_only = pytest.mark.skipif("mcp2" not in {framework.name for framework in FRAMEWORKS}, reason="runs with mcp 2.x")


@pytest.mark.parametrize(("framework", "code"), SERVERS)
def test_a_server(
    framework: Framework, code: str, folders: list[Path], tmp_path: Path, peer: Callable[[str], Peer]
) -> None:
    file = tmp_path / "server.py"
    file.write_text(code, "utf-8")
    client = next(client for client in CLIENTS if client.generation == 2 and client.modern == framework.modern)
    place = {"command": framework.python, "args": [str(file)]}
    reply = peer(client.peer).play(client, place, [folders[1].as_uri()], [{"call": "status"}])
    assert reply["results"] == [[{"failed": False, "text": f"working in {folders[1]}"}]]


@mcp2_only
@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program(code: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    done = subprocess.run(
        [PYTHONS["mcp2"], "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "FASTMCP_CHECK_FOR_UPDATES": "off"},
    )
    assert done.returncode == 0, done.stderr
    # The comment after `print` is its output; `/my/project` stands for the working directory.
    reply = re.findall(r"print\(.*\)  # (.+)$", code, re.M)
    assert reply
    for text in reply:
        assert text.replace("/my/project", str(tmp_path)) in done.stdout.splitlines()


@mcp2_only
@pytest.mark.parametrize("code", WEB.values(), ids=WEB)
def test_a_web_application(code: str, folders: list[Path], tmp_path: Path) -> None:
    # In the example it stands for the folder of all projects.
    (tmp_path / "web.py").write_text(code.replace("/my/projects", str(tmp_path)), "utf-8")
    command = [PYTHONS["mcp2"], "-m", "uvicorn", "web:app", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            [url] = next(found for line in server.stderr if (found := re.findall(r"running on (http://\S+)", line)))
            with urlopen(Request(f"{url}/status", headers={"X-Project-Path": str(folders[1])}), timeout=30) as response:
                assert response.read().decode() == f"working in {folders[1]}"
        finally:
            server.terminate()


def test_there_are_examples_of_every_kind() -> None:
    assert SERVERS
    assert WEB
    assert PROGRAMS
