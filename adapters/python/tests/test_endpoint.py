"""The endpoint as an object of Python, on both backends. Its behaviour is in the vectors."""

from __future__ import annotations

from typing import Any

import pytest

from rootwise import Endpoint, RootwiseError
from rootwise._backend import Backend

HOST: Any = {"style": "posix", "env": {}}


def test_sessions_have_projects_explanations_and_snapshots(backend: Backend) -> None:
    with Endpoint(host=HOST, _backend=backend) as endpoint:
        endpoint.handle({"type": "sessionOpened", "session": 1, "transport": "stdio"}, 0)
        endpoint.handle({"type": "clientInitialized", "session": 1, "capabilities": {"roots": {}}}, 0)
        endpoint.handle({"type": "clientReady", "session": 1}, 0)
        [sent] = endpoint.handle({"type": "asked", "ask": 1, "session": 1}, 1).actions
        assert sent["type"] == "sendRequest"
        assert endpoint.deadline is not None
        listed: Any = {
            "type": "requestAnswered",
            "request": sent["request"],
            "result": {"roots": [{"uri": "file:///a"}]},
        }
        [probe] = endpoint.handle(listed, 2).actions
        assert probe["type"] == "probe"
        probed: Any = {"type": "probed", "probe": probe["probe"], "paths": [{"path": "/a", "found": "directory"}]}
        output = endpoint.handle(probed, 3)
        assert [action["type"] for action in output.actions][:2] == ["answer", "announce"]
        [change] = output.sessions
        assert (change["session"], change["project"]["path"]) == (1, "/a")
        assert "/a" in endpoint.explain(1)["text"]
        saved = endpoint.snapshot(1)
        endpoint.handle({"type": "sessionOpened", "session": 2, "transport": "stdio", "saved": saved}, 4)
        assert "/a" in endpoint.explain(2)["text"]
    with pytest.raises(RootwiseError, match="the endpoint is closed"):
        endpoint.handle({"type": "deadlineReached"}, 5)


def test_mistakes_have_codes_and_change_nothing(backend: Backend) -> None:
    with pytest.raises(RootwiseError) as caught:
        Endpoint(host={**HOST, "cwdd": "/"}, _backend=backend)
    assert caught.value.code == "bad_options"
    with Endpoint(host=HOST, _backend=backend) as endpoint:
        endpoint.handle({"type": "sessionOpened", "session": 1, "transport": "http"}, 0)
        for event, code in (
            ({"type": "sessionOpened", "session": 1, "transport": "http"}, "duplicate_session"),
            ({"type": "asked", "ask": 1}, "bad_event"),
            ({"type": "probed", "probe": 7, "paths": []}, "unknown_probe"),
        ):
            with pytest.raises(RootwiseError) as caught:
                endpoint.handle(event, 1)  # type: ignore[arg-type]
            assert caught.value.code == code
        with pytest.raises(RootwiseError) as caught:
            endpoint.explain(9)
        assert caught.value.code == "closed"
