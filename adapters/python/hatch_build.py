"""What differs between the two wheels.

The pure wheel runs the WebAssembly module everywhere, so it needs wasmtime. With `ROOTWISE_NATIVE` naming a compiled
extension, the wheel carries that as well, is tagged for this platform, and needs nothing.
"""

from __future__ import annotations

import os
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

#: wasmtime changes its interface often: these versions have been run.
WASMTIME = "wasmtime>=38,<51"


class Metadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        native = bool(os.environ.get("ROOTWISE_NATIVE"))
        metadata["dependencies"] = [] if native else [WASMTIME]
        metadata["optional-dependencies"] = {"wasm": [WASMTIME], "async": ["anyio>=4"]}


class Build(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        extension = os.environ.get("ROOTWISE_NATIVE")
        if extension:
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            suffix = ".pyd" if os.name == "nt" else ".abi3.so"
            build_data["force_include"][extension] = f"rootwise/_native{suffix}"
            build_data["tag"] = f"cp310-abi3-{os.environ.get('ROOTWISE_PLATFORM', platform)}"
            build_data["pure_python"] = False
