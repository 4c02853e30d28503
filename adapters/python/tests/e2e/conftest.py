"""What the end-to-end tests share."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "one", tmp_path / "two"]
    for folder in made:
        folder.mkdir()
    return made


@pytest.fixture(scope="session")
def nursery() -> Iterator[str]:
    # Paths of Unix sockets are short.
    with tempfile.TemporaryDirectory(prefix="rw") as folder:
        path = f"{folder}/n"
        script = Path(__file__).with_name("nursery.py")
        process = subprocess.Popen([sys.executable, str(script), path], stdout=subprocess.PIPE)
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        yield path
        process.terminate()
        process.communicate()


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Path(__file__).with_name("server.py")
    process = subprocess.Popen(
        [sys.executable, str(server), "--http", str(port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}/mcp"
    for _ in range(600):
        try:
            urllib.request.urlopen(urllib.request.Request(address, method="OPTIONS"))
            break
        except urllib.error.HTTPError:
            break
        except OSError:
            time.sleep(0.1)
            assert process.poll() is None, process.stdout and process.stdout.read().decode()
    yield address
    process.terminate()
    process.communicate()
