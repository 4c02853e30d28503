"""The API that people use, the same on every backend."""

from __future__ import annotations

import dataclasses
import math
import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest

import rootwise
from rootwise import Resolver, RootwiseError
from rootwise._backend import Backend

HOST: Any = {"style": "posix"}
INITIALIZED: Any = {"type": "clientInitialized", "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}


def listed(*uris: str, request: int = 1) -> Any:
    return {"type": "rootsListed", "request": request, "result": {"roots": [{"uri": uri} for uri in uris]}}


def resolved(backend: Backend, **options: Any) -> Resolver:
    """A resolver that has resolved `/p/one`."""
    resolver = Resolver(host=HOST, _backend=backend, **options)
    resolver.handle(INITIALIZED, 0)
    resolver.handle({"type": "clientReady"}, 0)
    [sent] = resolver.handle({"type": "asked", "ask": 1}, 0)
    assert sent["type"] == "sendRequest"
    assert resolver.deadline == 5000
    resolver.handle(listed("file:///p/one"), 1)
    answer = resolver.handle({"type": "probed", "probe": 1, "paths": [{"path": "/p/one", "found": "directory"}]}, 2)[0]
    assert answer["type"] == "answer"
    assert answer["outcome"] == "resolved"
    return resolver


def code_of(call: Any) -> str:
    with pytest.raises(RootwiseError) as caught:
        call()
    return caught.value.code


def test_a_conversation_ends_in_a_project(backend: Backend) -> None:
    with resolved(backend) as resolver:
        assert resolver.project is not None
        assert resolver.project.path == "/p/one"
        assert resolver.project.root == rootwise.RootRef(0, "file:///p/one", None, "/p/one")
        assert resolver.deadline is None
        assert resolver.explain()["text"].startswith("Project: one (/p/one), from roots")
    assert code_of(resolver.explain) == "used_after_close"


def test_the_project_is_one_frozen_object_until_it_changes(backend: Backend) -> None:
    resolver = resolved(backend)
    project = resolver.project
    assert project is not None
    resolver.handle({"type": "asked", "ask": 2}, 3)
    assert resolver.project is project
    with pytest.raises(dataclasses.FrozenInstanceError):
        project.name = "other"  # type: ignore[misc]
    assert hash(project) == hash(dataclasses.replace(project))
    resolver.handle({"type": "rootsChanged"}, 300)
    resolver.handle(listed(request=2), 301)
    assert resolver.project is None


def test_a_snapshot_goes_on_elsewhere_and_a_damaged_one_is_refused(backend: Backend) -> None:
    resolver = resolved(backend)
    snapshot = resolver.snapshot()
    restored = Resolver.restore(snapshot, host=HOST, now=100, id_prefix="other-", _backend=backend)
    assert restored.project == resolver.project
    damaged = snapshot.replace("/p/one", "/p/two")
    for bad in (damaged, "{}", ""):
        assert code_of(lambda bad=bad: Resolver.restore(bad, host=HOST, now=0, _backend=backend)) == "bad_snapshot"
    assert code_of(lambda: Resolver.restore(snapshot, "wolfram", host=HOST, now=0, _backend=backend)) == "bad_snapshot"
    assert code_of(lambda: Resolver.restore(snapshot, host=HOST, now=-1, _backend=backend)) == "bad_event"
    assert code_of(lambda: Resolver.restore(None, host=HOST, now=0, _backend=backend)) == "bad_options"  # type: ignore[arg-type]


def test_a_closed_resolver_raises_and_closing_twice_does_no_harm(backend: Backend) -> None:
    resolver = resolved(backend)
    resolver.close()
    resolver.close()
    for call in (resolver.explain, resolver.snapshot, lambda: resolver.handle({"type": "clientReady"}, 0)):
        assert code_of(call) == "used_after_close"
    assert resolver.project is None
    assert resolver.deadline is None


def test_misuse_has_a_code_and_changes_nothing(backend: Backend) -> None:
    resolver = resolved(backend)
    before = resolver.snapshot()
    circular: dict[str, Any] = {"type": "clientReady"}
    circular["self"] = circular
    events: list[tuple[Any, str]] = [
        ({"type": "nonsense"}, "bad_event"),
        ({"type": "asked"}, "bad_event"),
        ({"type": "asked", "ask": -1}, "bad_event"),
        ({"type": "asked", "ask": 1 << 32}, "bad_event"),
        ({"type": "asked", "ask": math.nan}, "bad_event"),
        ({"type": "asked", "ask": b"1"}, "bad_event"),
        ({"type": "probed", "probe": 99, "paths": []}, "unknown_probe"),
        ({"type": "message", "text": "x" * (5 << 20)}, "event_too_large"),
        ({"type": "message", "text": "ä" * (1 << 20)}, "event_too_large"),
        (circular, "bad_event"),
        (None, "bad_event"),
        ("closed", "bad_event"),
    ]
    for event, code in events:
        assert code_of(lambda event=event: resolver.handle(event, 5)) == code, str(event)[:80]
    for now in (-1, 0.5, math.nan, math.inf, 1 << 53, 10**400, "7", None, True):
        assert code_of(lambda now=now: resolver.handle({"type": "clientReady"}, now)) == "bad_event", str(now)[:20]
    assert resolver.snapshot() == before


def test_options_that_cannot_work_say_where(backend: Backend) -> None:
    def open_with(policy: Any, host: Any) -> Any:
        return lambda: Resolver(policy, host=host, _backend=backend)

    assert code_of(open_with(None, None)) == "bad_options"
    assert code_of(open_with(None, {"style": "amiga"})) == "bad_options"
    assert code_of(open_with("nobody", HOST)) == "bad_options"
    assert code_of(open_with({"name": "mine", "sources": []}, HOST)) == "bad_options"
    assert code_of(open_with(None, {"style": "posix", "cwd": "x" * (17 << 20)})) == "too_large"


def test_every_preset_opens_and_a_copy_can_be_changed(backend: Backend) -> None:
    assert "recommended" in rootwise.presets
    for name in rootwise.presets:
        Resolver(name, host=HOST, _backend=backend).close()
    mine = rootwise.presets["recommended"]
    mine["timing"] = {"callerTimeoutMs": 10}
    resolver = Resolver(mine, host=HOST, _backend=backend)
    resolver.handle(INITIALIZED, 0)
    resolver.handle({"type": "clientReady"}, 0)
    resolver.handle({"type": "asked", "ask": 1}, 0)
    assert resolver.deadline == 10
    assert "timing" not in rootwise.presets["recommended"]


def test_one_bad_text_never_spoils_the_rest(backend: Backend) -> None:
    resolver = Resolver(host=HOST, _backend=backend)
    resolver.handle(INITIALIZED, 0)
    resolver.handle({"type": "clientReady"}, 0)
    resolver.handle({"type": "asked", "ask": 1}, 0)
    roots = [{"uri": "file:///p/\ud800"}, {"uri": "file:///p/ä", "name": "\udfff"}]
    actions = resolver.handle({"type": "rootsListed", "request": 1, "result": {"roots": roots}}, 1)
    [probe] = [action for action in actions if action["type"] == "probe"]
    assert [wanted["path"] for wanted in probe["paths"]] == ["/p/ä"]


def test_a_windows_project_on_a_posix_server_finds_its_session(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rootwise._functions.loaded_backend", lambda: backend)
    policy: Any = {"name": "t", "requirePath": False, "sources": [{"from": "roots", "verify": "none"}]}
    resolver = Resolver(policy, host={"style": "posix", "transport": "http"}, _backend=backend)
    root = "file:///c%3A/Users/dev/p"
    resolver.handle({"type": "rootsListed", "result": {"roots": [{"uri": root}]}}, 0)
    resolver.handle({"type": "asked", "ask": 1, "askVia": "none"}, 0)
    project = resolver.project
    assert project is not None
    assert (project.key, project.style) == ("C:\\USERS\\DEV\\P", "windows")
    for stored in (project.key, root, "c:/users/dev/p"):
        for asked in (project, project.key, root):
            found = rootwise.recover_session([{"id": "a", "project": stored, "updatedAt": 1}], project=asked)
            assert found["sessionId"] == "a"


def test_functions_on_every_backend(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rootwise._functions.loaded_backend", lambda: backend)
    assert rootwise.file_uri_to_path("file:///a%20b", "posix") == "/a b"
    assert rootwise.file_uri_to_path("file:///c%3A/x", "windows") == "C:\\x"
    assert rootwise.project_key("file:///c:/Users", "windows") == "C:\\USERS"
    assert code_of(lambda: rootwise.file_uri_to_path("http://a/", "posix")) == "not_file_uri"
    assert code_of(lambda: rootwise.file_uri_to_path("file:///a%2Fb", "posix")) == "encoded_separator"
    assert code_of(lambda: rootwise.file_uri_to_path("file:///a", "vms")) == "bad_options"  # type: ignore[arg-type]
    assert code_of(lambda: rootwise.file_uri_to_path("file:///" + "a" * (3 << 20), "posix")) == "too_large"
    assert rootwise.is_inside("/a", "/a/b", "posix")
    assert not rootwise.is_inside("/a", "/ab", "posix")
    assert not rootwise.is_inside("/a", "/a/b", "posix", real=("/a", "/mnt/b"))
    assert rootwise.join_inside("/a", "b/../c", "posix") == "/a/c"
    assert code_of(lambda: rootwise.join_inside("/a", "../c", "posix")) == "outside"
    project = resolved(backend).project
    assert project is not None
    assert rootwise.join_inside(project, "x.py", "posix") == "/p/one/x.py"
    assert rootwise.project_key("file:///c%3A/Users") == "C:\\USERS"
    assert rootwise.project_key("file:///Users") == "/Users"
    sessions: list[rootwise.types.SessionRecord] = [{"id": "s1", "project": "/p/one", "updatedAt": 1}]
    newest = {"outcome": "newest", "sessionId": "s1", "otherProject": False, "candidates": ["s1"], "problems": []}
    for one in (project, project.key, project.uri):
        assert rootwise.recover_session(sessions, project=one) == newest
    dated: list[rootwise.types.SessionRecord] = [
        {"id": "later", "project": "/a", "updatedAt": "2026-01-31T09:00:00Z"},
        {"id": "earlier", "project": "/a", "updatedAt": "2026-01-31T09:30:00+01:00"},
        {"id": "unknown", "project": "/a", "updatedAt": "soon"},
    ]
    found = rootwise.recover_session(dated, project="/a", archived_before="2026-01-01")
    assert found["candidates"] == ["later", "earlier", "unknown"]
    assert [(problem["sessionId"], problem["code"]) for problem in found["problems"]] == [("unknown", "unreadable")]
    assert rootwise.recover_session(dated, session_id="unknown")["outcome"] == "explicit"
    assert code_of(lambda: rootwise.recover_session(dated, archived_before="soon")) == "bad_options"
    blank: list[rootwise.types.SessionRecord] = [{"id": "b", "project": ""}]
    assert rootwise.recover_session(blank, project=" ")["outcome"] == "no_project"
    assert rootwise.basename("C:\\a\\b c\\", "windows") == "b c"
    assert rootwise.basename("/", "posix") is None
    assert rootwise.path_to_file_uri("/a b", "posix") == "file:///a%20b"
    assert rootwise.path_to_file_uri("b", "posix") is None
    assert rootwise.project_id(project.key) == project.id
    assert rootwise.project_slug(project.name, project.key) == project.slug
    assert rootwise.project_slug("../../etc", "/a").startswith("etc-")
    assert rootwise.sanitize_name("../my project", "word") == "my-project"
    assert rootwise.sanitize_name("My Project", "identifier") == "my_project"


def test_an_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(RootwiseError("bad_event", "words")))
    assert (error.code, str(error)) == ("bad_event", "words")


def test_threads_may_share_a_resolver_and_a_process(backend: Backend) -> None:
    """Every thread has a connection of its own and all of them share one more."""
    shared = resolved(backend)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            own = resolved(backend)
            for step in range(100):
                [answer] = own.handle({"type": "asked", "ask": step}, step + 10)
                assert answer["type"] == "answer"
                [common] = shared.handle({"type": "asked", "ask": number * 1000 + step}, step + 10)
                assert common["type"] == "answer"
                assert common["asks"] == [number * 1000 + step]
            own.close()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_importing_loads_no_machine() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, rootwise; print([m for m in sys.modules if 'wasmtime' in m or '_native' in m])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
