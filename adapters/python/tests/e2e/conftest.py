"""Fixtures of the end-to-end tests. Processes start on first use and serve all tests."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from frameworks import FRAMEWORKS, Framework
from nursery import order
from peers import PEERS, Peer
from raw import Raw

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "only(attribute): for the frameworks that have it")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    given = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "framework" in metafunc.fixturenames and not any("framework" in names for names in given):
        needed = [mark.args[0] for mark in metafunc.definition.iter_markers("only")]
        able = [framework for framework in FRAMEWORKS if all(getattr(framework, name) for name in needed)]
        none = pytest.param(None, marks=pytest.mark.skip(reason=f"none of these frameworks: {', '.join(needed)}"))
        metafunc.parametrize("framework", able or [none], ids=lambda framework: framework and framework.name)


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Folders with a marker, so that a model may name them to a client without roots."""
    made = [tmp_path / "one", tmp_path / "two"]
    for folder in made:
        (folder / ".git").mkdir(parents=True)
    return made


@pytest.fixture(scope="session")
def started() -> Iterator[Callable[..., str | Peer]]:
    """Starts something once: what `start` makes of `arguments`."""
    running: dict[object, str | Peer] = {}
    with ExitStack() as stack:

        def get(start: Callable[..., object], *arguments: object) -> str | Peer:
            key = start, *arguments
            if key not in running:
                running[key] = stack.enter_context(start(*arguments))
            return running[key]

        yield get


@contextmanager
def nursing(framework: Framework) -> Iterator[str]:
    # Paths of Unix sockets are short.
    with tempfile.TemporaryDirectory(prefix="rw") as folder:
        path = f"{folder}/n"
        of = ["--of", str(HERE / "server.py"), "serve"]
        command = [framework.python, "-W", "ignore", str(HERE / "nursery.py"), path, *of]
        environment = {**os.environ, "FRAMEWORK": framework.kind}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            yield path
            process.terminate()


@contextmanager
def listening(nursery: str, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server that listens; it is gone afterwards."""
    reading, writing = os.pipe()
    with open(os.devnull, "rb") as nothing, os.fdopen(reading) as output:
        connection, pid = order(nursery, ["--http", *options], [nothing.fileno(), writing, 2], environment)
        os.close(writing)
        try:
            yield output.readline().strip()
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            connection.settimeout(30)
            connection.recv(1)
            connection.close()


@pytest.fixture
def nursery(framework: Framework, started: Callable[..., str]) -> str:
    return started(nursing, framework)


@pytest.fixture
def raw(nursery: str) -> Iterator[Raw]:
    with Raw(nursery) as client:
        yield client


@pytest.fixture
def forgetful(nursery: str) -> Iterator[Raw]:
    """With a server for which no list of roots is fresh, so that every modern call is asked."""
    with Raw(nursery, "--age=0") as client:
        yield client


@pytest.fixture
def url(nursery: str, started: Callable[..., str]) -> str:
    return started(listening, nursery)


@pytest.fixture
def stateless_url(nursery: str, started: Callable[..., str]) -> str:
    return started(listening, nursery, "--stateless")


@pytest.fixture
def peer(started: Callable[..., Peer]) -> Callable[[str], Peer]:
    """A real client by its name."""
    return lambda name: started(Peer, tuple(PEERS[name]))
