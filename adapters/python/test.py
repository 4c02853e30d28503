"""Tests the Python package: `python3 adapters/python/test.py [--only a,b] [--list]`.

It builds what the tests need (cargo), creates an environment for every framework (from PyPI), and reports each step.
"""

from __future__ import annotations

import argparse
import email
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = HERE / ".work"
PACKAGE = HERE / "src" / "rootwise"
EXTENSION = PACKAGE / ("_native.pyd" if os.name == "nt" else "_native.abi3.so")
ENVIRONMENTS: dict[str, list[str]] = json.loads((HERE / "environments.json").read_text("utf-8"))
WHEELS = WORK / "wheels"
TEST_PANIC = WORK / "test-panic" / "_native.abi3.so"

#: The frameworks in two halves that take about as long.
HALVES = ("mcp1 fastmcp2 fastmcp3", "mcp2 fastmcp4")

#: The framework of each example's server; the tests themselves run in the environment `mcp2`.
EXAMPLES = {"mcp-guide": "mcp1", "conport": "fastmcp4", "cocosearch": "mcp1"}


class Failed(Exception):
    pass


def run(*command: str | Path, cwd: Path = HERE, quiet: bool = False, **env: str) -> str:
    """Runs a program and returns its output; the output is printed when it fails, and unless `quiet` is set."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        raise Failed(f"$ {' '.join(str(part) for part in command)}\n{done.stdout}")
    if not quiet and done.stdout.strip():
        print(done.stdout.rstrip(), flush=True)
    return done.stdout


def target() -> Path:
    output = run("cargo", "metadata", "--format-version", "1", "--no-deps", cwd=ROOT, quiet=True)
    return Path(json.loads(output[output.index("{") :])["target_directory"])


def library(profile: str) -> Path:
    name = {"win32": "rootwise_python.dll", "darwin": "librootwise_python.dylib"}.get(
        sys.platform, "librootwise_python.so"
    )
    return target() / profile / name


def at_once(*jobs: Callable[[], object]) -> None:
    """Runs jobs, two at a time; all of them end before the first failure is raised."""
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(job) for job in jobs]
    for future in futures:
        future.result()


# Environments


def python(name: str) -> Path:
    """Returns the interpreter of an environment, which is created if it is missing or out of date."""
    home = WORK / "environments" / name
    stamp = home / "made-from.json"
    wanted = json.dumps(ENVIRONMENTS[name])
    interpreter = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not stamp.exists() or stamp.read_text() != wanted:
        uv = installer()
        run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, home, quiet=True)
        run(uv, "pip", "install", "--quiet", "--python", interpreter, *ENVIRONMENTS[name], quiet=True)
        stamp.write_text(wanted)
    return interpreter


def installer() -> Path:
    """Returns uv, which creates seven environments in the time that pip needs for one."""
    home = WORK / "installer"
    uv = home / ("Scripts" if os.name == "nt" else "bin") / "uv"
    if not uv.exists():
        run(sys.executable, "-m", "venv", home, quiet=True)
        run(uv.with_name("python"), "-m", "pip", "install", "--quiet", "uv==0.13.7", quiet=True)
    return uv


def install(interpreter: Path, wheel: Path) -> None:
    run(installer(), "pip", "install", "--quiet", "--reinstall", "--python", interpreter, wheel, quiet=True)


def with_wheel(*names: str) -> dict[str, Path]:
    """Returns the interpreters of environments, with the newest wheel installed."""
    interpreters = {name: python(name) for name in names}
    for interpreter in interpreters.values():
        install(interpreter, wheel())
    return interpreters


# Steps


def build() -> None:
    """the WebAssembly module, the native extension, and one in which a panic can be provoked are built"""
    made = ROOT / "dist" / "rootwise-plain.wasm"
    sources = [*(ROOT / "core" / "src").rglob("*.rs"), *ROOT.glob("bindings-*/src/*.rs"), ROOT / "Cargo.lock"]
    if not made.exists() or made.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        print("compiling the WebAssembly module, because dist/ has none or an older one")
        wasm = [
            "--target",
            "wasm32-unknown-unknown",
            "-p",
            "rootwise-wasm",
            "--no-default-features",
            "--features",
            "plain",
        ]
        run("cargo", "build", "--quiet", "--profile", "wasm", *wasm, cwd=ROOT)
        made = target() / "wasm32-unknown-unknown" / "wasm" / "rootwise_wasm.wasm"
    shutil.copyfile(made, PACKAGE / "rootwise-plain.wasm")
    print("compiling the extension", flush=True)
    shutil.rmtree(WHEELS, ignore_errors=True)
    # At once, because the end of an optimized build keeps only one processor busy.
    at_once(
        native_wheel,
        lambda: run("cargo", "build", "--quiet", "-p", "rootwise-python", "--features", "test-panic", cwd=ROOT),
    )
    # The tests of the sources run the extension that the wheel contains.
    with zipfile.ZipFile(wheel()) as archive:
        EXTENSION.write_bytes(archive.read(f"rootwise/{EXTENSION.name}"))
    TEST_PANIC.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(library("debug"), TEST_PANIC)


def native_wheel() -> None:
    """Maturin builds the wheel and checks which symbols of the system it needs; zig links it for old Linux systems."""
    tools = python("release").parent
    linux = ["--zig", "--compatibility", "manylinux2014"] if sys.platform == "linux" else []
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    run(tools / "maturin", "build", "--release", *linux, "--out", WHEELS, quiet=True, PATH=path)


def tools() -> None:
    """the programs that build and check what is published are installed: maturin, zig, twine, auditwheel"""
    python("release")


def generate() -> None:
    """the files that are made from the Rust types are written"""
    run(python("check"), "generate.py")


def lint() -> None:
    """generated files are up to date, versions agree; ruff and mypy --strict have nothing to say"""
    tool = python("check")
    places = [ROOT / "Cargo.toml", HERE / "pyproject.toml", PACKAGE / "_version.py"]
    versions = {
        found[1] for file in places if (found := re.search(r'^version = "(.+)"', file.read_text("utf-8"), re.M))
    }
    if len(versions) != 1:
        raise Failed(f"the versions of Cargo.toml, pyproject.toml and _version.py differ: {sorted(versions)}")
    run(tool, "generate.py", "--check")
    run(tool, "-m", "ruff", "check", ".")
    run(tool, "-m", "ruff", "format", "--check", ".")
    run(tool, "-m", "mypy")


def unit() -> None:
    """vectors, API, cache, driver, fork and properties, on both backends"""
    run(python("check"), "-m", "pytest", PYTHONPATH=str(HERE / "src"), ROOTWISE_TEST_PANIC=str(TEST_PANIC))


def wheels() -> None:
    """twine and auditwheel accept both wheels, which install into clean environments and run without a compiler"""
    release = python("release")
    run(release, "-m", "hatchling", "build", "-t", "wheel", "-d", WHEELS, quiet=True)
    pure, native = pure_wheel(), wheel()
    run(release, "-m", "twine", "check", "--strict", pure, native, quiet=True)
    if sys.platform == "linux":
        run(release, "-m", "auditwheel", "show", native)
    needs = {made: wheel_metadata(made) for made in (pure, native)}
    wasmtime = needs[pure] - needs[native]
    if needs[native] - needs[pure] or ["wasmtime" in line for line in wasmtime] != [True]:
        raise Failed(f"the metadata of the wheels differ by more than wasmtime: {needs[pure] ^ needs[native]}")
    uv = installer()
    for name, made, backend in (("pure", pure, "wasm"), ("native", native, "native")):
        for version in ("", "3.10", "3.12", "3.13", "3.14"):
            found = sys.executable if not version else other_python(version)
            if found is None:
                print(f"{name} wheel: Python {version} is not on this machine, so it was not tried")
                continue
            home = WORK / "clean" / f"{name}{version}"
            run(uv, "venv", "--quiet", "--clear", "--python", found, home, quiet=True)
            interpreter = home / "bin" / "python"
            # Without a compiler on the path: nothing may need one.
            run(uv, "pip", "install", "--quiet", "--only-binary", ":all:", "--python", interpreter, made, quiet=True)
            output = run(interpreter, "-I", HERE / "tests" / "measure.py", cwd=WORK, quiet=True)
            if not output.startswith(f"{backend}:"):
                raise Failed(f"the {name} wheel runs {output}")
            print(f"{name} wheel on Python {version or 'of this run'}: {output.rstrip()}", flush=True)


def clone() -> None:
    """the package installs from a clone and from its source distribution, or says what to run; twine accepts both"""
    release = python("release")
    folder, copy = WORK / "source", WORK / "clone"
    for old in (folder, copy):
        shutil.rmtree(old, ignore_errors=True)
    files = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT, quiet=True)
    for name in files.split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    package = copy / "adapters" / "python"
    # Without the module and without cargo it says what to do.
    fresh = clean_environment("clone")
    try:
        run(fresh, "-m", "pip", "install", "--quiet", package, quiet=True, PATH="/nonexistent")
        raise Failed("a clone without the module was installed")
    except Failed as failure:
        if "rustup target add wasm32-unknown-unknown" not in str(failure):
            raise
    # With the module in dist/, as `npm run build` leaves it, it installs and runs.
    (copy / "dist").mkdir()
    shutil.copy2(PACKAGE / "rootwise-plain.wasm", copy / "dist")
    run(fresh, "-m", "pip", "install", "--quiet", package, quiet=True, PATH="/nonexistent")
    print(run(fresh, "-I", HERE / "tests" / "measure.py", cwd=WORK, quiet=True).rstrip())
    run(release, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, quiet=True)
    [archive] = folder.glob("*.tar.gz")
    fresh = clean_environment("source")
    run(fresh, "-m", "pip", "install", "--quiet", archive, quiet=True, PATH="/nonexistent")
    print(run(fresh, "-I", HERE / "tests" / "measure.py", cwd=WORK, quiet=True).rstrip())
    run(release, "-m", "twine", "check", "--strict", archive, quiet=True)


def clean_environment(name: str) -> Path:
    home = WORK / "clean" / name
    shutil.rmtree(home, ignore_errors=True)
    run(sys.executable, "-m", "venv", home, quiet=True)
    return home / ("Scripts" if os.name == "nt" else "bin") / "python"


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


def other_python(version: str) -> str | None:
    """Returns another version of Python on this machine: on the path, or beside this one."""
    beside = Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python3")
    for found in (shutil.which(f"python{version}"), *map(str, beside)):
        # A version manager may have a command for a version that is not there.
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found
    return None


def wheel(tags: str = "cp310-abi3-*") -> Path:
    for made in WHEELS.glob(f"rootwise-*-{tags}.whl"):
        return made
    raise Failed("the wheel is missing: python3 adapters/python/test.py --only build,wheels")


def pure_wheel() -> Path:
    return wheel("py3-none-any")


def oldest() -> None:
    """the oldest wasmtime of the tested range runs the vectors"""
    interpreter = python("oldest")
    install(interpreter, pure_wheel())
    run(installer(), "pip", "install", "--quiet", "--python", interpreter, *ENVIRONMENTS["oldest"], quiet=True)
    run(interpreter, "-m", "pytest", "tests/test_vectors.py", "-k", "wasm")


def frameworks() -> None:
    """every framework with real clients, over stdio and HTTP; the documentation's examples and their types"""
    run_frameworks()


def frameworks_wasm() -> None:
    """the conversations of every framework on the WebAssembly backend, which the servers load before `fork`"""
    run_frameworks("test_e2e.py", "test_http.py", "test_isolation.py", "test_features.py", ROOTWISE_BACKEND="wasm")


def run_frameworks(*files: str, **environment: str) -> None:
    interpreters = with_wheel(*" ".join(HALVES).split())
    environments = json.dumps({name: str(interpreter) for name, interpreter in interpreters.items()})

    def test(half: str) -> None:
        output = run(
            python("check"),
            *("-m", "pytest", "--rootdir", ".", "--confcutdir", ".", *(files or ["."])),
            cwd=HERE / "tests" / "e2e",
            quiet=True,
            FRAMEWORKS=half,
            ENVIRONMENTS=environments,
            **environment,
        )
        versions = ", ".join(ENVIRONMENTS[name][0] for name in half.split())
        print(f"{versions}:\n{output.rstrip()}", flush=True)

    python("check")  # Created before both halves need it.
    at_once(*(partial(test, half) for half in HALVES))


def examples() -> None:
    """the tests of the Python servers among the examples"""
    interpreters = with_wheel("mcp2", *sorted(set(EXAMPLES.values())))

    def test(name: str) -> None:
        output = run(
            interpreters["mcp2"],
            *("-m", "pytest", "-q", "."),
            cwd=ROOT / "examples" / name,
            quiet=True,
            SERVER_PYTHON=str(interpreters[EXAMPLES[name]]),
        )
        print(f"{name} ({ENVIRONMENTS[EXAMPLES[name]][0]}):\n{output.rstrip()}", flush=True)

    at_once(*(partial(test, name) for name in EXAMPLES))


def soak() -> None:
    """20,000 resolvers opened and closed in one process, memory flat, on both backends"""
    tool, script = python("check"), HERE / "tests" / "soak.py"
    at_once(*(partial(run, tool, script, name, PYTHONPATH=str(HERE / "src")) for name in ("native", "wasm")))


TESTS = (build, lint, unit, wheels, oldest, clone, frameworks, frameworks_wasm, examples, soak)
STEPS: dict[str, Callable[[], None]] = {step.__name__: step for step in (*TESTS, generate, tools)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Tests the Python package; without options all of it.")
    parser.add_argument("--only", help="steps, with commas between them")
    parser.add_argument("--list", action="store_true", help="show the steps")
    options = parser.parse_args()
    if options.list:
        for name, step in STEPS.items():
            print(f"{name:12} {step.__doc__}")
        return
    chosen = options.only.split(",") if options.only else [step.__name__ for step in TESTS]
    for unknown in set(chosen) - set(STEPS):
        raise SystemExit(f"unknown step `{unknown}`; --list shows them")
    for number, name in enumerate(chosen, 1):
        print(f"\n[{number}/{len(chosen)}] {name}: {STEPS[name].__doc__}", flush=True)
        began = time.monotonic()
        try:
            STEPS[name]()
        except Failed as problem:
            raise SystemExit(
                f"{problem}\n{name} failed; again alone: python3 adapters/python/test.py --only {name}"
            ) from None
        print(f"{name} passed in {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
