"""The tests of the Python package, as sessions of nox; `python3 adapters/python/test.py` installs nox and runs them."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import nox

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = HERE / ".work"
WHEELS = WORK / "wheels"
PACKAGE = HERE / "src" / "rootwise"
EXTENSION = PACKAGE / ("_native.pyd" if os.name == "nt" else "_native.abi3.so")
#: The program, for the native wheel.
PROGRAM = HERE / "rootwise.data" / "scripts" / ("rootwise.exe" if os.name == "nt" else "rootwise")
PANICKING = WORK / "test-panic" / "_native.abi3.so"
INSTALLED = HERE / "tests" / "installed.py"

#: What each environment has, with exact versions.
GROUPS: dict[str, list[str]] = nox.project.load_toml(HERE / "pyproject.toml")["dependency-groups"]
OLDEST = ("mcp1_oldest", "fastmcp2_oldest")
FRAMEWORKS = ("mcp1", "mcp2", "fastmcp2", "fastmcp3", "fastmcp4", *OLDEST)

#: The frameworks in two halves that take about as long; some tests need no framework, and run once in each.
HALVES = ("mcp1 fastmcp2 fastmcp3", "mcp2 fastmcp4")

#: The framework of each example's server; the tests themselves run in the environment of `mcp2`.
EXAMPLES = {"mcp-guide": ("fastmcp3", "mcp1"), "conport": ("fastmcp4",), "cocosearch": ("mcp1",)}

# A version of Python that is not installed is left out, and nox says so; with `CI` set it would fail.
nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.reuse_venv = "yes"
nox.options.allow_parallel = True
nox.options.stop_on_first_error = True
nox.options.envdir = str(WORK / "nox")

# No test needs the network: FastMCP would ask a registry for newer versions of itself.
os.environ["FASTMCP_CHECK_FOR_UPDATES"] = "off"

# A version manager keeps other versions beside this one, and its commands for versions that are not in use only fail.
beside = sorted(Path(sys.base_prefix).parent.glob("3.*/bin"))
os.environ["PATH"] = os.pathsep.join([*map(str, beside), os.environ["PATH"]])


def cargo(session: nox.Session, *arguments: str, quiet: bool = False) -> str:
    with session.chdir(ROOT):
        return str(session.run("cargo", *arguments, external=True, silent=quiet))


def target(session: nox.Session) -> Path:
    output = cargo(session, "metadata", "--format-version", "1", "--no-deps", quiet=True)
    return Path(json.loads(output[output.index("{") :])["target_directory"])


def wheel(tags: str = "cp310-abi3-*") -> Path:
    [made] = WHEELS.glob(f"rootwise-*-{tags}.whl")
    return made


def pure_wheel() -> Path:
    return wheel("py3-none-any")


def program(session: nox.Session, *, has_program: bool) -> None:
    """The command `rootwise` is the program, or says what is missing."""
    codes = [0] if has_program else [1]
    said = str(session.run("rootwise", "--version", silent=True, success_codes=codes)).strip()
    version = re.search(r'^version = "(.+)"', (PACKAGE / "_version.py").read_text(), re.M)
    wanted = f"rootwise {version[1]}" if has_program and version else "the program is not in this installation"
    if wanted not in said:
        session.error(f"the command rootwise says: {said}")


def answers(session: nox.Session, backend: str) -> None:
    """The installed package answers, on the backend that it should have."""
    with session.chdir(WORK):
        output = str(session.run("python", "-I", str(INSTALLED), silent=True)).strip()
    if output != backend:
        session.error(f"the package runs {output}")


# What is tested


@nox.session(venv_backend="none")
def module(session: nox.Session) -> None:
    """the WebAssembly module is in the package"""
    made = ROOT / "dist" / "rootwise-plain.wasm"
    sources = [*(ROOT / "core" / "src").rglob("*.rs"), *ROOT.glob("bindings-*/src/*.rs"), ROOT / "Cargo.lock"]
    if not made.exists() or made.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        session.log("compiling the WebAssembly module, because dist/ has none or an older one")
        plain = ["-p", "rootwise-wasm", "--no-default-features", "--features", "plain"]
        cargo(session, "build", "--quiet", "--profile", "wasm", "--target", "wasm32-unknown-unknown", *plain)
        made = target(session) / "wasm32-unknown-unknown" / "wasm" / "rootwise_wasm.wasm"
    shutil.copyfile(made, PACKAGE / "rootwise-plain.wasm")


def debug_build(session: nox.Session) -> Path:
    """The folder of what cargo builds in the debug profile, with the options of `debugBuild` in scripts/tools.mjs."""
    cargo(session, "build", "--quiet", "--workspace", "--all-features", "--lib", "--bins", "--examples")
    return target(session) / "debug"


@nox.session(requires=["module"])
def build(session: nox.Session) -> None:
    """maturin builds the native wheel, which zig links for old Linux systems; the sources use its extension"""
    session.install(*GROUPS["release"])
    # What is published names an optimised program.
    program = os.environ.get("ROOTWISE_PROGRAM") or debug_build(session) / PROGRAM.name
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, PROGRAM)
    session.run("node", str(ROOT / "scripts" / "licences.mjs"), str(HERE / "THIRD-PARTY-LICENSES.txt"), external=True)
    for old in WHEELS.glob("*-abi3-*.whl"):
        old.unlink()
    linux = ["--zig", "--compatibility", "manylinux2014"] if sys.platform == "linux" else []
    session.run("maturin", "build", "--release", "--quiet", *linux, "--out", str(WHEELS))
    with zipfile.ZipFile(wheel()) as archive:
        EXTENSION.write_bytes(archive.read(f"rootwise/{EXTENSION.name}"))


@nox.session(venv_backend="none")
def panicking(session: nox.Session) -> None:
    """an extension is built in the debug profile, in which a test can provoke a panic"""
    names = {"win32": "rootwise_python.dll", "darwin": "librootwise_python.dylib"}
    PANICKING.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(debug_build(session) / names.get(sys.platform, "librootwise_python.so"), PANICKING)


@nox.session(default=False)
def tools(session: nox.Session) -> None:
    """the programs that build and check what is published are installed: maturin, zig, cargo-zigbuild, twine"""
    session.install(*GROUPS["release"])


@nox.session(default=False)
def generate(session: nox.Session) -> None:
    """the files that are made from the Rust types are written"""
    session.install(*GROUPS["lint"])
    session.run("python", "generate.py")


# Tests


@nox.session
def lint(session: nox.Session) -> None:
    """generated files are up to date, versions agree; ruff and mypy --strict have nothing to say"""
    session.install(*GROUPS["lint"])
    places = [ROOT / "Cargo.toml", HERE / "pyproject.toml", PACKAGE / "_version.py"]
    versions = {found[1] for file in places if (found := re.search(r'^version = "(.+)"', file.read_text(), re.M))}
    if len(versions) != 1:
        session.error(f"the versions of Cargo.toml, pyproject.toml and _version.py differ: {sorted(versions)}")
    session.run("python", "generate.py", "--check")
    folders = [".", str(ROOT / "benches"), str(ROOT / "examples")]
    session.run("ruff", "check", *folders)
    session.run("ruff", "format", "--check", *folders)
    session.run("mypy")


@nox.session(requires=["build", "panicking"])
def unit(session: nox.Session) -> None:
    """vectors, API, cache, driver, fork and properties, on both backends"""
    session.install(*GROUPS["test"])
    session.run("pytest", env={"PYTHONPATH": str(HERE / "src"), "ROOTWISE_TEST_PANIC": str(PANICKING)})


@nox.session(requires=["build"])
def wheels(session: nox.Session) -> None:
    """hatchling builds the pure wheel and the source distribution; twine and auditwheel accept what PyPI gets"""
    session.install(*GROUPS["release"])
    for old in (*WHEELS.glob("*-none-any.whl"), *WHEELS.glob("*.tar.gz")):
        old.unlink()
    session.run("hatchling", "build", "-d", str(WHEELS), silent=True, env={"ROOTWISE_BUILD": "pure"})
    made = [pure_wheel(), wheel(), *WHEELS.glob("*.tar.gz")]
    session.run("twine", "check", "--strict", *map(str, made))
    if sys.platform == "linux":
        session.run("auditwheel", "show", str(wheel()))
    pure, native = wheel_metadata(pure_wheel()), wheel_metadata(wheel())
    if native - pure or ["wasmtime" in line for line in pure - native] != [True]:
        session.error(f"the metadata of the wheels differ by more than wasmtime: {pure ^ native}")


def wheel_metadata(made: Path) -> set[str]:
    """The lines of a wheel's metadata about which the two wheels should agree."""
    with zipfile.ZipFile(made) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    kinds = ("Name", "Version", "Classifier", "Requires-Dist", "Provides-Extra", "License-File", "License-Expression")
    # Every program has its own order of version bounds.
    return {
        " ".join([f"{kind}:", *sorted(re.split("[ ,;]+|(?=>)|(?=<)", line))])
        for kind in kinds
        for line in metadata.get_all(kind, [])
    }


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"], reuse_venv=False, requires=["wheels"])
@nox.parametrize("kind", ["pure", "native"], ids=["pure", "native"])
def clean(session: nox.Session, kind: str) -> None:
    """a wheel in an environment with nothing else: nothing is compiled there, and the package answers"""
    made, backend = (wheel(), "native") if kind == "native" else (pure_wheel(), "wasm")
    session.install("--only-binary", ":all:", str(made))
    answers(session, backend)
    program(session, has_program=kind == "native")


#: Makes `pip install` compile the extension fast and not small, in a folder of its own.
COMPILED = {
    "CARGO_TARGET_DIR": str(WORK / "cargo"),
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
}


@nox.session(venv_backend="venv", reuse_venv=False, requires=["wheels"])
def source(session: nox.Session) -> None:
    """the source distribution installs without a compiler, and with Rust it has the native extension"""
    [archive] = WHEELS.glob("*.tar.gz")
    install = ("python", "-m", "pip", "install", "--quiet", "--force-reinstall", str(archive))
    session.run(*install, env={"PATH": "/nonexistent"})
    answers(session, "wasm")
    session.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "rootwise", "wasmtime")
    session.run(*install, env=COMPILED)
    answers(session, "native")
    program(session, has_program=False)


@nox.session(venv_backend="venv", reuse_venv=False, requires=["module"])
def clone(session: nox.Session) -> None:
    """the package installs from a clone, with the native extension if Rust is installed, or says what to run"""
    copy = WORK / "clone"
    shutil.rmtree(copy, ignore_errors=True)
    with session.chdir(ROOT):
        listing = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        files = str(session.run(*listing, external=True, silent=True))
    for name in files.split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    install = ("python", "-m", "pip", "install", "--quiet", str(copy / "adapters" / "python"))
    # Without the module and without cargo it says what to do.
    output = session.run(*install, env={"PATH": "/nonexistent"}, silent=True, success_codes=[1])
    if "rustup target add wasm32-unknown-unknown" not in str(output):
        session.error(f"a clone without the module says: {output}")
    # With the module in dist/, as `npm run build` leaves it, it installs and runs.
    (copy / "dist").mkdir()
    shutil.copy2(PACKAGE / "rootwise-plain.wasm", copy / "dist")
    session.run(*install, env={"PATH": "/nonexistent"})
    answers(session, "wasm")
    session.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "rootwise", "wasmtime")
    session.run(*install, env=COMPILED)
    answers(session, "native")


@nox.session(requires=["wheels"])
def oldest(session: nox.Session) -> None:
    """the oldest wasmtime of the tested range runs the vectors"""
    session.install("--reinstall-package", "rootwise", *GROUPS["oldest"], str(pure_wheel()))
    session.run("pytest", "tests/test_vectors.py", "-k", "wasm")


@nox.session(requires=["build"])
@nox.parametrize("name", FRAMEWORKS, ids=FRAMEWORKS)
def framework(session: nox.Session, name: str) -> None:
    """an environment with one framework and the native wheel; the servers of the tests run in it"""
    session.install("--reinstall-package", "rootwise", *GROUPS[name], str(wheel()))


def interpreter(name: str) -> str:
    return str(WORK / "nox" / f"framework-{name}" / ("Scripts" if os.name == "nt" else "bin") / "python")


def converse(session: nox.Session, half: str, *files: str, **environment: str) -> None:
    session.install(*GROUPS["test"])
    environments = json.dumps({name: interpreter(name) for name in FRAMEWORKS})
    with session.chdir(HERE / "tests" / "e2e"):
        session.run(
            *("pytest", "--rootdir", ".", "--confcutdir", ".", *(files or ["."])),
            env={"FRAMEWORKS": half, "ENVIRONMENTS": environments, **environment},
        )


@nox.session(requires=["framework"])
@nox.parametrize("half", HALVES, ids=["older", "newer"])
def frameworks(session: nox.Session, half: str) -> None:
    """every framework with real clients, over stdio and HTTP; the documentation's examples and their types"""
    converse(session, half)


@nox.session(requires=["framework"])
@nox.parametrize("half", HALVES, ids=["older", "newer"])
def frameworks_wasm(session: nox.Session, half: str) -> None:
    """the same conversations on the WebAssembly backend, which the servers load before `fork`"""
    files = ("test_e2e.py", "test_http.py", "test_isolation.py", "test_features.py")
    converse(session, half, *files, ROOTWISE_BACKEND="wasm")


@nox.session(requires=["framework"])
def frameworks_oldest(session: nox.Session) -> None:
    """the oldest versions of the frameworks that the extras allow"""
    converse(session, " ".join(OLDEST), "test_features.py", "test_reason.py")


@nox.session(venv_backend="none", requires=["framework"])
@nox.parametrize("name", list(EXAMPLES), ids=list(EXAMPLES))
def examples(session: nox.Session, name: str) -> None:
    """the tests of a Python server among the examples"""
    with session.chdir(ROOT / "examples" / name):
        servers = zip(("SERVER_PYTHON", "OTHER_SERVER_PYTHON"), EXAMPLES[name], strict=False)
        server = {variable: interpreter(framework) for variable, framework in servers}
        session.run(interpreter("mcp2"), "-m", "pytest", "-q", ".", env=server, external=True)


@nox.session(requires=["build"])
@nox.parametrize("backend", ["native", "wasm"], ids=["native", "wasm"])
def soak(session: nox.Session, backend: str) -> None:
    """20,000 resolvers opened and closed in one process, memory flat"""
    session.install(*GROUPS["test"])
    session.run("python", str(HERE / "tests" / "soak.py"), backend, env={"PYTHONPATH": str(HERE / "src")})
