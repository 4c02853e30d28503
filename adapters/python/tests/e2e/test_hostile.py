"""A hostile client beside a good one: see tests/soak/hostile.mjs, which also runs for longer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from frameworks import Framework

HERE = Path(__file__).parent
SOAK = HERE.parents[3] / "tests" / "soak" / "hostile.mjs"


def test_a_good_client_is_not_let_down_beside_a_hostile_one(framework: Framework) -> None:
    server = [framework.python, "-W", "ignore", str(HERE / "server.py"), "--http", "--wait=5000", "--life=60000"]
    environment = {**os.environ, "FRAMEWORK": framework.kind}
    command = ["node", str(SOAK), "--seconds", "8", "--", *server]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr
