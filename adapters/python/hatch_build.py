"""Build hooks of hatchling, for `pip install` of a clone or of the source distribution, and for what PyPI gets.

With a Rust toolchain the wheel has the native extension; without one it runs the WebAssembly module under wasmtime.
`maturin build` makes the native wheels for PyPI and needs no hooks. `ROOTWISE_BUILD=pure` makes the pure wheel with a
toolchain too.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

EXTENSION = "_native.pyd" if os.name == "nt" else "_native.abi3.so"
LIBRARY = {"win32": "rootwise_python.dll", "darwin": "librootwise_python.dylib"}
CRATES = ("core", "bindings-shared", "bindings-python")
WASM = [
    *("cargo", "build", "--quiet", "--profile", "wasm", "--target", "wasm32-unknown-unknown"),
    *("-p", "rootwise-wasm", "--no-default-features", "--features", "plain"),
]


class Metadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        native = native_extension(Path(self.root))
        metadata["dependencies"] = [] if native else metadata["optional-dependencies"]["wasm"]
        metadata["scripts"] = {"rootwise": "rootwise._program:main"}


class Build(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        native = native_extension(root) if self.target_name == "wheel" else None
        try:
            provide_module(root)
        except RuntimeError:
            # The extension needs no module.
            if native is None:
                raise
        if self.target_name == "sdist":
            build_data["force_include"].update(rust_sources(root))
        if native is not None and version == "editable":
            shutil.copy2(native, root / "src" / "rootwise" / EXTENSION)
        elif native is not None:
            platform = re.sub("[-.]", "_", sysconfig.get_platform())
            build_data["pure_python"] = False
            build_data["tag"] = f"cp310-abi3-{platform}"
            build_data["force_include"][str(native)] = f"rootwise/{EXTENSION}"


@functools.cache
def native_extension(root: Path) -> Path | None:
    """Compiles the extension and returns it; none where this Python cannot load it or cargo cannot compile it."""
    # The stable interface, which one extension uses for every version, exists in CPython with its lock only.
    loads = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    places = [place for place in (root.parent.parent, root / "rust") if (place / CRATES[-1] / "Cargo.toml").is_file()]
    if os.environ.get("ROOTWISE_BUILD") == "pure" or not loads or not places or shutil.which("cargo") is None:
        return None
    command = ["cargo", "build", "--quiet", "--release", "-p", "rootwise-python"]
    try:
        # Standard output may belong to the caller's protocol.
        subprocess.run(
            command, cwd=places[0], check=True, stdout=sys.stderr, env={**os.environ, "PYO3_PYTHON": sys.executable}
        )
        return target(places[0]) / "release" / LIBRARY.get(sys.platform, "librootwise_python.so")
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"rootwise: no native extension, WebAssembly runs in its place: {problem}", file=sys.stderr)
        return None


def rust_sources(root: Path) -> dict[str, str]:
    """Returns the files from which cargo compiles the extension, each with its place in the source distribution.

    Tests and examples stay out, so the manifests must not name them.
    """
    repository, made = root.parent.parent, Path(tempfile.mkdtemp())
    if not (repository / CRATES[-1] / "Cargo.toml").is_file():
        return {}
    files = [repository / "Cargo.lock"]
    for crate in CRATES:
        inside = ["README.md", "build.rs", "clients.json", "policy.schema.json"]
        files += [file for name in inside if (file := repository / crate / name).is_file()]
        files += [file for name in ("src", "presets") for file in (repository / crate / name).rglob("*.*")]
    found = {str(file): f"rust/{file.relative_to(repository).as_posix()}" for file in files if file.is_file()}
    for place in (".", *CRATES):
        manifest = repository / place / "Cargo.toml"
        text = re.sub(r"^members = .*$", f"members = {json.dumps(CRATES)}", manifest.read_text("utf-8"), flags=re.M)
        # Everything from the head of such a table to the next one.
        text = re.sub(r"^\[(\[(test|bench|example)\]|dev-dependencies).*?(?=^\[|\Z)", "", text, flags=re.M | re.S)
        reduced = made / f"{place.strip('.')}-Cargo.toml"
        reduced.write_text(text, "utf-8")
        found[str(reduced)] = (Path("rust") / place / "Cargo.toml").as_posix()
    return found


def provide_module(root: Path) -> None:
    """Puts the WebAssembly module into the package: from `dist/` of the repository, or compiled by cargo.

    A source distribution contains it already.
    """
    module = root / "src" / "rootwise" / "rootwise-plain.wasm"
    repository = root.parent.parent
    built = repository / "dist" / module.name
    if built.is_file() and (not module.is_file() or built.stat().st_mtime > module.stat().st_mtime):
        shutil.copy2(built, module)
    if module.is_file():
        return
    if not (repository / "bindings-wasm" / "Cargo.toml").is_file():
        raise RuntimeError(f"{module} is missing, and this is not a clone of the repository that could compile it")
    try:
        subprocess.run(WASM, cwd=repository, check=True)
        made = target(repository) / "wasm32-unknown-unknown" / "wasm" / "rootwise_wasm.wasm"
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RuntimeError(
            "the package needs its native extension or its WebAssembly module, and cargo could compile neither; "
            "install Rust (https://rustup.rs) and run `rustup target add wasm32-unknown-unknown`, "
            f"or copy a built rootwise-plain.wasm to {built}"
        ) from problem
    shutil.copy2(made, module)


def target(workspace: Path) -> Path:
    """Returns the folder in which cargo puts what it compiles."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    output = subprocess.run(command, cwd=workspace, check=True, stdout=subprocess.PIPE).stdout
    return Path(json.loads(output)["target_directory"])
