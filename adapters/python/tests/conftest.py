"""Fixtures: both backends for the resolver's tests, both event loops for the driver's."""

from __future__ import annotations

import pytest

from rootwise import RootwiseError
from rootwise._backend import Backend, load


@pytest.fixture(scope="session", params=["native", "wasm"])
def backend(request: pytest.FixtureRequest) -> Backend:
    try:
        return load(request.param)
    except RootwiseError as problem:
        pytest.fail(f"{request.param}: {problem}; run `python3 adapters/python/test.py`, which builds it")


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)
