"""A panic in the native extension ends that resolver and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TEST_PANIC = os.environ.get("ROOTWISE_TEST_PANIC")

SCRIPT = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("_native", sys.argv[1])
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
machine, _ = native.open('{"host":{"style":"posix"}}')
other, _ = native.open('{"host":{"style":"posix"}}')
code = lambda text: json.loads(text).get("error", {}).get("code")
print(code(machine.handle('{"type":"testPanic"}', 0.0)))
print(code(machine.handle('{"type":"clientReady"}', 0.0)), code(machine.snapshot()), code(machine.explain()))
print(code(other.handle('{"type":"clientReady"}', 0.0)))
machine.close()
print(code(machine.snapshot()))
"""


@pytest.mark.skipif(not TEST_PANIC, reason="ROOTWISE_TEST_PANIC names no extension in which a test can provoke a panic")
def test_a_panic_kills_one_resolver() -> None:
    output = subprocess.run([sys.executable, "-c", SCRIPT, str(TEST_PANIC)], capture_output=True, text=True)
    assert output.returncode == 0, output.stderr
    assert output.stdout.splitlines() == ["dead", "dead dead dead", "None", "used_after_close"]
