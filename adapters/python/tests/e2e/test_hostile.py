"""Clients that do their worst: see tests/soak, whose programs also run for longer."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import listening
from frameworks import Framework

HERE = Path(__file__).parent
SOAK = HERE.parents[3] / "tests" / "soak"


def test_a_good_client_is_not_let_down_beside_a_hostile_one(framework: Framework) -> None:
    server = [framework.python, "-W", "ignore", str(HERE / "server.py"), "--http", "--wait=5000", "--life=60000"]
    environment = {**os.environ, "FRAMEWORK": framework.kind}
    command = ["node", str(SOAK / "hostile.mjs"), "--seconds", "8", "--", *server]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_ten_users_whose_calls_end_early_get_their_own_newest_project_and_none_waits(
    url: str, framework: Framework
) -> None:
    # SDK 1.x ends the session of a client that cancels a call while its result is on its way, also without Rootwise.
    options = [] if framework.modern else ["--drop-only"]
    command = ["node", str(SOAK / "users.mjs"), *options, url]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_users_whose_conversations_have_the_same_ids_keep_their_own_projects(
    nursery: str, framework: Framework
) -> None:
    if not framework.modern:
        pytest.skip("this framework does not speak 2026-07-28")
    options = ["--remote", "--caller", "--declare", f"--allowed={os.path.realpath(tempfile.gettempdir())}"]
    with listening(nursery, *options) as url:
        command = ["node", str(SOAK / "users.mjs"), "--conversations", url]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert ended.returncode == 0, ended.stdout + ended.stderr
