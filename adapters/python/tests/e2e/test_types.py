"""The documented examples, and what checkers must refuse, under `mypy --strict` and pyright with each framework."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from frameworks import FRAMEWORKS, Framework
from test_readme import BLOCKS, IMPORTS

SCRIPTS = Path(sys.executable).parent

#: For every framework: the whole API in use, and lines that must be refused, marked with `# error`.
API = """
from pathlib import Path

from rootwise import AnyProject, NoProjectError, Project, RootwiseError, host_facts, join_inside, resolve_at_start
from rootwise.{module} import ConnectionInfo, Rootwise
from rootwise.driver import Connection
from rootwise.testing import fixed_project


async def changed(project: Project | None, previous: Project | None, connection: ConnectionInfo) -> None:
    print(project, previous, connection.ended)


rootwise = Rootwise(
    "recommended",
    allowed_dirs=["/srv", Path("/data")],
    local=True,
    host={{"cwd": "/"}},
    on_change=lambda project, previous: print(project, previous),
)
other = Rootwise(on_change=changed)


async def any_changed(project: AnyProject | None, previous: AnyProject | None) -> None:
    print(project, previous)


nameless = Rootwise("thoughtbox", require_path=False, on_change=any_changed)


@nameless.inject
def described(project: AnyProject) -> str:
    return project.client_path or (project.path if isinstance(project, Project) else project.name)


async def folders(server: Rootwise) -> list[Path]:
    known, left = server.current(), await server.unselect()
    chosen = [await server.project(), await server.select("/a"), *([known] if known else []), *([left] if left else [])]
    return [Path(project.path) / join_inside(project, "a") for project in chosen]


async def without_folders() -> str:
    project: AnyProject = await nameless.project()
    chosen: AnyProject = await nameless.select("/a")
    if project.path is not None:
        print(Path(project.path))
    if isinstance(chosen, Project):
        print(Path(chosen.path))
    return f"{{await folders(rootwise)}} {{project.name}}"


async def use() -> str:
    project: Project = await rootwise.project(argument="/a", target="/a/b", host="/c")
    known: Project | None = rootwise.current()
    chosen: Project = await rootwise.select("/a")
    chosen = await rootwise.select(name="a")
    left: Project | None = await rootwise.unselect()
    roots = await rootwise.roots()
    found = roots.containing(Path("/a"))
    explanation = await rootwise.explain()
    rootwise.register_tools(object(), which="which", switch=None)
    with fixed_project("/fixed") as fixed:
        print(fixed.name, known, chosen, left, found and found.real_path, explanation.get("code"))
    try:
        return f"{{project.path}} {{explanation['text']}} {{roots.usable}}"
    except NoProjectError as error:
        print(error.instruction, error.status)
        raise RootwiseError(error.code, error.message) from None


def start() -> None:
    found = resolve_at_start(host=host_facts("stdio"))
    named = resolve_at_start("thoughtbox", require_path=False)
    print(found and Path(found.path), named and named.client_path, Connection(host=host_facts()))


Rootwise(locale=True)  # error
Rootwise(local="yes")  # error
Rootwise(allowed_dirs=7)  # error
Rootwise(on_change=lambda: None)  # error
Rootwise(require_path="no")  # error
Rootwise(require_path=False, on_change=changed)  # error


async def misuse() -> None:
    await rootwise.project(arguments="/a")  # error
    await rootwise.select(folder="/a")  # error
    await rootwise.select({{"value": "/a"}})  # error
    (await rootwise.explain())["texts"]  # error
    rootwise.explain().text  # error
    Path((await nameless.project()).path)  # error
    Path((await nameless.select("/a")).path)  # error
    Path((resolve_at_start("thoughtbox", require_path=False) or chosen_before()).path)  # error
    await folders(nameless)  # error


def chosen_before() -> AnyProject:
    raise NotImplementedError
"""

#: What only some frameworks have.
MORE = {
    "mcp1": '''

from mcp.server.fastmcp import FastMCP

mcp = FastMCP("demo")


@mcp.tool()
@rootwise.inject
def injected(project: Project, more: str = "") -> str:
    return f"{project.path}{more}"
''',
    "mcp2": '''

from mcp.server.mcpserver import MCPServer
from rootwise.mcp import CurrentProject

mcp = MCPServer("demo", middleware=[rootwise, other])


@mcp.tool()
def direct(project: CurrentProject) -> str:
    return project.name


@mcp.resource("project://info")
@rootwise.inject
def injected(project: Project) -> str:
    return project.name
''',
    "fastmcp": '''

from fastmcp import FastMCP
from rootwise.fastmcp import CurrentProject, current_project

mcp = FastMCP("demo", middleware=[rootwise, other])


@mcp.tool
def direct(project: Project = CurrentProject()) -> str:
    return project.name


@mcp.resource("project://info")
async def awaited() -> str:
    return (await current_project()).name
''',
}  # fmt: skip


def mypy(framework: Framework, file: Path) -> list[int]:
    """The lines that mypy refuses."""
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", framework.python]
    cache = f"--cache-dir={file.parents[1] / 'mypy'}"
    done = subprocess.run(
        [*command, cache, "--no-error-summary", file.name], cwd=file.parent, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    print(done.stdout, done.stderr)
    assert done.returncode in (0, 1), done.stderr
    assert all(line.startswith(f"{file.name}:") for line in lines), lines
    return sorted({int(line.split(":")[1]) for line in lines if ": error:" in line})


def pyright(framework: Framework, file: Path) -> list[int]:
    """The lines that pyright refuses."""
    settings = {"typeCheckingMode": "standard", "include": [file.name], "pythonVersion": "3.11"}
    (file.parent / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [str(SCRIPTS / "pyright"), "--outputjson", "--pythonpath", framework.python]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True)
    report = json.loads(done.stdout)
    print(json.dumps(report["generalDiagnostics"], indent=1))
    assert report["summary"]["filesAnalyzed"] == 1
    errors = [one for one in report["generalDiagnostics"] if one["severity"] == "error"]
    return sorted({one["range"]["start"]["line"] + 1 for one in errors})


CHECKERS = [mypy, pyright]
each_checker = pytest.mark.parametrize("checker", CHECKERS, ids=lambda checker: checker.__name__)

EXAMPLES = [
    pytest.param(framework, code, id=f"{framework.name}-{name}")
    for name, code in BLOCKS.items()
    for framework in FRAMEWORKS
    if all(framework.kind == kind for line, kind in IMPORTS.items() if line in code)
    if "starlette" not in code or framework.kind == "mcp2"
]


@each_checker
@pytest.mark.parametrize(("framework", "code"), EXAMPLES)
def test_an_example_passes(framework: Framework, code: str, checker: partial[list[int]], tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(code, "utf-8")
    assert checker(framework, file) == []


@each_checker
def test_the_api_passes_and_mistakes_do_not(framework: Framework, checker: partial[list[int]], tmp_path: Path) -> None:
    module = "fastmcp" if framework.kind == "fastmcp" else "mcp"
    code = API.format(module=module) + MORE[framework.kind]
    file = tmp_path / "api.py"
    file.write_text(code, "utf-8")
    wrong = [number for number, line in enumerate(code.splitlines(), 1) if line.endswith("# error")]
    assert checker(framework, file) == wrong


def test_type_hints_can_be_read_at_run_time(framework: Framework) -> None:
    module = "fastmcp" if framework.kind == "fastmcp" else "mcp"
    code = f"""
import inspect, typing
import rootwise, rootwise.driver, rootwise.testing, rootwise.types
import rootwise.{module} as adapter
for module in (rootwise, rootwise.driver, rootwise.types, adapter):
    for name in getattr(module, "__all__", dir(module)):
        try:
            one = getattr(module, name)
        except ImportError:
            continue
        if isinstance(one, type) or (inspect.isfunction(one) and module is adapter):
            typing.get_type_hints(one)
for name in dir(adapter.Rootwise):
    one = getattr(adapter.Rootwise, name)
    if callable(one) and str(getattr(one, "__module__", "")).startswith("rootwise"):
        typing.get_type_hints(one)
print("read")
"""
    done = subprocess.run([framework.python, "-c", code], capture_output=True, text=True)
    assert done.stdout == "read\n", done.stderr
