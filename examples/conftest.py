"""Records which requirements a test shows (`@pytest.mark.covers("G-01")`) in the file that ROOTWISE_RESULTS names."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

outcomes = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "covers(*ids): the requirements that a test shows")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    seen = item.stash.setdefault(outcomes, [])
    seen.append(report.outcome)
    results = os.environ.get("ROOTWISE_RESULTS")
    if call.when == "teardown" and results and "skipped" not in seen:
        line = {
            "suite": item.path.parent.relative_to(REPOSITORY).as_posix(),
            "test": item.name.removeprefix("test_").replace("_", " "),
            "covers": sorted({id for mark in item.iter_markers("covers") for id in mark.args}),
            # Setup, call and teardown.
            "passed": seen == ["passed"] * 3,
        }
        with open(results, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return report
