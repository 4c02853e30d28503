"""Plays conversations through the Python extension: the same lines in and out as bindings-shared/examples/replay.rs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
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


#: The session of an endpoint that is explained and saved at the end.
SESSION = 1


def play(native: Any, kind: str, options: str, steps: list[tuple[str | None, float, str | None]]) -> list[str]:
    machine, failure = native.open(options)
    if machine is None:
        return [failure]
    said = [machine.view()]
    for event, now, argument in steps:
        if event is not None:
            said.append(machine.handle(event, float(now)))
        elif kind == "endpoint":
            saved = machine.snapshot(int(argument or 0))
            said.append(json.dumps({"saved": saved}, ensure_ascii=False, separators=(",", ":")))
        else:
            saved = machine.snapshot()
            machine.close()
            machine, failure = native.restore(saved, options, float(now), argument)
            if machine is None:
                return [*said, failure]
            said.append(machine.view())
    return [*said, machine.explain(SESSION), machine.snapshot(SESSION)]


def main() -> None:
    native = extension(sys.argv[1])
    for line in sys.stdin.buffer:
        conversation = json.loads(line)
        said = play(native, conversation.get("machine", "resolver"), conversation["options"], conversation["steps"])
        sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
