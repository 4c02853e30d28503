"""Every Python example of the documentation, run as it stands in the environments it is for."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
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
HTTP = 'mcp.run(transport="http"'
#: The import of a server, and the framework that it belongs to.
IMPORTS = {
    "from fastmcp import FastMCP": "fastmcp",
    "from mcp.server.mcpserver import": "mcp2",
    "from mcp.server.fastmcp import": "mcp1",
}
SERVERS = [
    pytest.param(framework, code, id=f"{framework.name}-{name}")
    for name, code in BLOCKS.items()
    for line, kind in IMPORTS.items()
    for framework in FRAMEWORKS
    if line in code and framework.kind == kind and HTTP not in code
]
#: Servers for a team, over HTTP.
TEAMS = [
    pytest.param(framework, code, id=f"{framework.name}-{name}")
    for name, code in BLOCKS.items()
    for framework in FRAMEWORKS
    if HTTP in code and framework.kind == "fastmcp"
]
#: A client of FastMCP calls the first server of its page.
CALLERS = [
    pytest.param(framework, name.split(", ")[0], code, id=f"{framework.name}-{name}")
    for name, code in BLOCKS.items()
    for framework in FRAMEWORKS
    if "from fastmcp import Client" in code and framework.kind == "fastmcp"
]
SWITCHERS = [caller for caller in CALLERS if "switch_project" in str(caller.values[2])]
CALLERS = [caller for caller in CALLERS if caller not in SWITCHERS]
#: Those that need no framework of their own; `mcp` 2.x brings Starlette with it.
OTHERS = {
    name: code
    for name, code in BLOCKS.items()
    if not any(line in code for line in (*IMPORTS, "from fastmcp import Client"))
}
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


@pytest.mark.parametrize(("framework", "page", "code"), CALLERS)
def test_a_client(framework: Framework, page: str, code: str, folders: list[Path], tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(BLOCKS[f"{page}, example 1"], "utf-8")
    (tmp_path / "client.py").write_text(code, "utf-8")

    def run(*opened: str) -> str:
        command = [framework.python, "client.py", *opened]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run(str(folders[1])) == f"working in {folders[1]}\n"
    assert f"```text\n{run()}```" in (ROOT / page).read_text("utf-8")


@pytest.mark.parametrize(("framework", "page", "code"), SWITCHERS)
def test_a_client_that_switches(
    framework: Framework, page: str, code: str, folders: list[Path], tmp_path: Path
) -> None:
    [server] = [other for name, other in BLOCKS.items() if name.startswith(page) and "register_tools(" in other]
    (tmp_path / "switching.py").write_text(server, "utf-8")
    (tmp_path / "switch.py").write_text(code, "utf-8")
    one, other = folders[:2]
    command = [framework.python, "switch.py", str(one), str(other)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"working in {one}\nProject set to: {other.name}\nworking in {other}\n"


#: What a user of a team does: the calls of the command line, on one connection.
USER = """
import asyncio, json, sys
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

async def main():
    url, user, roots, calls = json.loads(sys.argv[1])
    transport = StreamableHttpTransport(url, headers={"Authorization": f"Bearer token-of-{user}"})
    async with Client(transport, roots=roots) as client:
        results = [await client.call_tool(name, given, raise_on_error=False) for name, given in calls]
    print(json.dumps([[result.is_error, result.content[0].text] for result in results]))

asyncio.run(main())
"""


@pytest.mark.parametrize(("framework", "code"), TEAMS)
def test_a_team(framework: Framework, code: str, tmp_path: Path) -> None:
    shop, blog, site = (tmp_path / folder for folder in ("ann/shop", "ann/blog", "bob/site"))
    for folder in (shop, blog, site):
        folder.mkdir(parents=True)
    (tmp_path / "server.py").write_text(code.replace("/srv/projects", str(tmp_path)), "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    command = [framework.python, "server.py"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stderr
            assert any("running on" in line for line in server.stderr)

            def user(name: str, roots: list[Path], *calls: tuple[str, dict[str, str]]) -> list[list[object]]:
                script = [f"http://127.0.0.1:{port}/mcp", name, [root.as_uri() for root in roots], calls]
                played = [framework.python, "-W", "ignore", "-c", USER, json.dumps(script)]
                done = subprocess.run(played, capture_output=True, text=True, timeout=90)
                assert done.returncode == 0, done.stderr
                results: list[list[object]] = json.loads(done.stdout)
                return results

            [first, other] = user("ann", [shop, blog], ("status", {}), ("status", {"project_path": str(blog)}))
            assert first == [False, f"ann works in {shop}"]
            assert other == [False, f"ann works in {blog}"]
            [[failed, text]] = user("bob", [shop], ("status", {}))
            assert failed
            assert "works in" not in str(text)
            [[failed, _]] = user("ann", [], ("status", {"project_path": "/usr/share"}))
            assert failed
            with pytest.raises(HTTPError, match="401"):
                urlopen(Request(f"http://127.0.0.1:{port}/mcp", method="POST"), timeout=30)
            if not framework.modern:
                switched = ("switch_project", {"project": str(blog)})
                assert user("ann", [shop, blog], switched, ("status", {}))[1] == [False, f"ann works in {blog}"]
        finally:
            server.terminate()


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
