"""Every scenario of tests/vectors, byte for byte, on every backend."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rawjson import compact, elements, members

from rootwise import presets
from rootwise._backend import Backend, Machine
from rootwise._error import parse_reply

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "tests" / "vectors"
FILES = sorted(file for file in VECTORS.rglob("*.json") if not file.name.endswith(".out.json"))


def merged(into: Any, changes: Any) -> Any:
    if not isinstance(into, dict) or not isinstance(changes, dict):
        return changes
    return {**into, **{key: merged(into.get(key), value) for key, value in changes.items()}}


def policy_of(policy: Any) -> Any:
    if isinstance(policy, str):
        return presets[policy]
    if "preset" in policy:
        return merged(presets[policy["preset"]], policy.get("with", {}))
    return policy


def view(machine: Machine) -> dict[str, str]:
    """What a machine returns when it is restored, without the handle that the WebAssembly module adds."""
    return {key: part for key, part in members(machine.view()).items() if key != "handle"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(VECTORS).with_suffix("").as_posix())
def test_vector(backend: Backend, file: Path) -> None:
    text = file.read_text("utf-8")
    scenario = json.loads(text)
    given = {key: scenario[key] for key in ("machine", "rootsWatched") if key in scenario}
    options = json.dumps({"policy": policy_of(scenario["policy"]), "host": scenario["host"], **given})
    steps = elements(members(text)["steps"])
    recorded = elements(file.with_suffix(".out.json").read_text("utf-8"))
    machine = backend.open(options)
    saved: dict[str, str] = {}
    for index, (written, reply) in enumerate(zip(steps, recorded, strict=True)):
        step = json.loads(written)
        if "save" in step:
            snapshot = saved[f"${step['save']}"] = machine.snapshot(step["save"])
            assert {"saved": snapshot} == json.loads(reply), f"step {index}"
        elif "restore" in step:
            snapshot = machine.snapshot()
            parse_reply(snapshot)
            machine.close()
            machine = backend.restore(snapshot, options, float(step["now"]), step["restore"].get("idPrefix"))
            assert view(machine) == members(compact(reply)), f"step {index}"
        else:
            event = step["eventText"] if "eventText" in step else compact(members(written)["event"])
            for name, snapshot in saved.items():
                event = event.replace(f'"saved":"{name}"', f'"saved":{json.dumps(snapshot, ensure_ascii=False)}')
            assert machine.handle(event, float(step["now"])) == compact(reply), f"step {index}"
    machine.close()


def test_there_are_vectors_and_their_blanks_are_left_out() -> None:
    assert len(FILES) >= 200
    assert compact('{ "a b" : [1,\n "\\" c" ] }') == '{"a b":[1,"\\" c"]}'
    assert members('{ "a": {"b": [1, 2]}, "c": "}," }') == {"a": '{"b": [1, 2]}', "c": '"},"'}
    assert elements("[ {}, [1, 2] , 3 ]") == ["{}", "[1, 2]", "3"]
