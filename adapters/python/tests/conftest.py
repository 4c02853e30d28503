"""What the tests of the resolver share: both faces, where both are there."""

from __future__ import annotations

import pytest

from rootwise import RootwiseError
from rootwise._face import Face, load


@pytest.fixture(scope="session", params=["native", "wasm"])
def face(request: pytest.FixtureRequest) -> Face:
    try:
        return load(request.param)
    except RootwiseError as problem:
        pytest.fail(f"{request.param}: {problem}; run `python3 adapters/python/test.py`, which builds it")
