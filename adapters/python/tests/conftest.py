"""Fixtures of the resolver's tests: both backends."""

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
