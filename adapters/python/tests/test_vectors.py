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
FILES = sorted(VECTORS.rglob("*.json"))


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


class Run:
    def __init__(self, backend: Backend, file: Path) -> None:
        text = file.read_text("utf-8")
        scenario = json.loads(text)
        self.backend = backend
        self.options = json.dumps({"policy": policy_of(scenario["policy"]), "host": scenario["host"]})
        self.machine: Machine = backend.open(self.options)
        self.project: str | None = None
        self.steps = elements(members(text)["steps"])

    def all(self) -> None:
        for index, text in enumerate(self.steps):
            step, raw = json.loads(text), members(text)
            if "restore" in step:
                self.restore(step)
            else:
                self.event(index, step, raw)
        self.machine.close()

    def restore(self, step: Any) -> None:
        snapshot = self.machine.snapshot()
        parse_reply(snapshot)
        self.machine.close()
        prefix = step["restore"].get("idPrefix")
        self.machine = self.backend.restore(snapshot, self.options, float(step["now"]), prefix)

    def event(self, index: int, step: Any, raw: dict[str, str]) -> None:
        event = step["eventText"] if "eventText" in step else compact(raw["event"])
        reply = self.machine.handle(event, float(step["now"]))
        if "error" in step:
            assert json.loads(reply)["error"]["code"] == step["error"], f"step {index}"
            return
        got = members(reply)
        assert got["actions"] == compact(raw["actions"]), f"step {index}"
        assert got["deadline"] == raw["deadline"], f"step {index}"
        if "project" in got:
            project = json.loads(got["project"])
            self.project = project and project["key"]
        assert self.project == step["project"], f"step {index}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(VECTORS).with_suffix("").as_posix())
def test_vector(backend: Backend, file: Path) -> None:
    Run(backend, file).all()


def test_there_are_vectors_and_their_blanks_are_left_out() -> None:
    assert len(FILES) >= 200
    assert compact('{ "a b" : [1,\n "\\" c" ] }') == '{"a b":[1,"\\" c"]}'
    assert members('{ "a": {"b": [1, 2]}, "c": "}," }') == {"a": '{"b": [1, 2]}', "c": '"},"'}
    assert elements("[ {}, [1, 2] , 3 ]") == ["{}", "[1, 2]", "3"]
