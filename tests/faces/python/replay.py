"""Plays conversations through the Python extension: the same lines in and out as bindings-shared/examples/replay.rs."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any


def extension(file: str) -> Any:
    """The compiled library itself, without the package around it."""
    spec = spec_from_loader("_native", ExtensionFileLoader("_native", file))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play(native: Any, options: str, steps: list[tuple[str | None, float, str | None]]) -> list[str]:
    machine, failure = native.open(options)
    if machine is None:
        return [failure]
    said = [machine.view()]
    for event, now, prefix in steps:
        if event is not None:
            said.append(machine.handle(event, float(now)))
            continue
        saved = machine.snapshot()
        machine.close()
        machine, failure = native.restore(saved, options, float(now), prefix)
        if machine is None:
            return [*said, failure]
        said.append(machine.view())
    return [*said, machine.explain(), machine.snapshot()]


def main() -> None:
    native = extension(sys.argv[1])
    for line in sys.stdin.buffer:
        conversation = json.loads(line)
        said = play(native, conversation["options"], conversation["steps"])
        sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
