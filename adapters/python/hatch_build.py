"""Build hooks of the pure wheel and of the source distribution, which run the WebAssembly module everywhere.

`maturin build` makes the native wheel, which needs neither the hooks nor wasmtime.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

CARGO = [
    *("cargo", "build", "--quiet", "--profile", "wasm", "--target", "wasm32-unknown-unknown"),
    *("-p", "rootwise-wasm", "--no-default-features", "--features", "plain"),
]


class Metadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = metadata["optional-dependencies"]["wasm"]


class Build(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        provide_module(Path(self.root))


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
        subprocess.run(CARGO, cwd=repository, check=True)
        output = subprocess.run(
            ["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=repository, check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RuntimeError(
            "the package needs its WebAssembly module, and cargo could not compile it; "
            "install Rust (https://rustup.rs) and run `rustup target add wasm32-unknown-unknown`, "
            f"or copy a built rootwise-plain.wasm to {built}"
        ) from problem
    target = Path(json.loads(output.stdout)["target_directory"])
    shutil.copy2(target / "wasm32-unknown-unknown" / "wasm" / "rootwise_wasm.wasm", module)
