"""The documented examples, and what checkers must refuse, under `mypy --strict` and pyright with each framework."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from frameworks import FRAMEWORKS, Framework
from test_readme import BLOCKS, IMPORTS

SCRIPTS = Path(sys.executable).parent

#: For every framework: the whole API in use, and lines that must be refused, marked with `# error`.
API = """
from pathlib import Path

from rootwise import AnyProject, NoProjectError, Project, RootwiseError, host_facts, join_inside, resolve_at_start
from rootwise.{module} import ConnectionInfo, Rootwise
from rootwise.driver import Driver
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
    project: Project = await rootwise.project(argument="/a", target="/a/b", server="/c")
    known: Project | None = rootwise.current()
    chosen: Project = await rootwise.select("/a")
    chosen = await rootwise.select(name="a")
    left: Project | None = await rootwise.unselect()
    roots = await rootwise.roots()
    found = roots.containing(Path("/a"))
    explanation = await rootwise.explain()
    rootwise.register_tools(object(), which="which", switch=None, list="folders")
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
    print(found and Path(found.path), named and named.client_path, Driver(host=host_facts()))


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


#: What a checker refuses: for every file, the lines and the reasons.
Refused = dict[str, dict[int, str]]


def mypy(framework: Framework, folder: Path) -> Iterator[tuple[str, int, str]]:
    """The lines that mypy refuses in the files of a folder."""
    files = sorted(file.name for file in folder.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", framework.python, "--no-error-summary"]
    done = subprocess.run([*command, *files], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    for line in done.stdout.splitlines():
        name, number, kind, reason = line.split(":", 3)
        assert name in files, line
        if kind == " error":
            yield name, int(number), reason


def pyright(framework: Framework, folder: Path) -> Iterator[tuple[str, int, str]]:
    """The lines that pyright refuses in the files of a folder."""
    settings = {"typeCheckingMode": "standard", "include": ["."], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [str(SCRIPTS / "pyright"), "--outputjson", "--pythonpath", framework.python]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(list(folder.glob("*.py")))
    for one in report["generalDiagnostics"]:
        if one["severity"] == "error":
            yield Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["message"]


Checker = Callable[[Framework, Path], Iterator[tuple[str, int, str]]]
CHECKERS: list[Checker] = [mypy, pyright]
each_checker = pytest.mark.parametrize("checker", CHECKERS, ids=lambda checker: checker.__name__)


def suits(framework: Framework, code: str) -> bool:
    """Whether an example is for a framework."""
    imports = {**IMPORTS, "from fastmcp import Client": "fastmcp", "from mcp.server import MCPServer": "mcp2"}
    needs = all(framework.kind == kind for line, kind in imports.items() if line in code)
    return needs and ("starlette" not in code or framework.kind == "mcp2")


EXAMPLES = [
    pytest.param(framework, f"example_{at}.py", id=f"{framework.name}-{name}")
    for at, (name, code) in enumerate(BLOCKS.items())
    for framework in FRAMEWORKS
    if suits(framework, code)
]


def api_in_use(framework: Framework) -> str:
    module = "fastmcp" if framework.kind == "fastmcp" else "mcp"
    return API.format(module=module) + MORE[framework.kind]


@cache
def refused(framework: Framework, checker: Checker) -> Refused:
    """What a checker says about all examples and the API at once: starting it takes longer than checking."""
    examples = {f"example_{at}.py": code for at, code in enumerate(BLOCKS.values()) if suits(framework, code)}
    found: Refused = {name: {} for name in ("api.py", *examples)}
    with TemporaryDirectory() as folder:
        for name, code in {"api.py": api_in_use(framework), **examples}.items():
            (Path(folder) / name).write_text(code, "utf-8")
        for name, line, reason in checker(framework, Path(folder)):
            found[name][line] = reason
    return found


@each_checker
@pytest.mark.parametrize(("framework", "name"), EXAMPLES)
def test_an_example_passes(framework: Framework, name: str, checker: Checker) -> None:
    assert refused(framework, checker)[name] == {}


@each_checker
def test_the_api_passes_and_mistakes_do_not(framework: Framework, checker: Checker) -> None:
    lines = enumerate(api_in_use(framework).splitlines(), 1)
    wrong = [number for number, line in lines if line.endswith("# error")]
    found = refused(framework, checker)["api.py"]
    assert sorted(found) == wrong, found


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
