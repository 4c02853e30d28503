"""Properties of any sequence of events."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootwise import Resolver, RootwiseError, presets
from rootwise._backend import Backend

URIS = st.sampled_from(
    [
        "file:///p/one",
        "file:///p/two",
        "/p/three",
        "C:\\x",
        "file:///",
        "http://a/",
        "file:///p/%zz",
        "",
        "file:///p/\ud800",
    ]
)
ROOTS = st.lists(st.builds(lambda uri: {"uri": uri}, URIS) | st.integers() | st.none(), max_size=3)
RESULTS = st.builds(lambda roots: {"roots": roots}, ROOTS) | st.none() | st.just({"roots": 1})
KINDS = ["error", "undeliverable", "unreadable", "abandoned"]
TOKENS = st.integers(0, 4)
ASKS = st.integers(1, 6)
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "argument": URIS,
        "headers": st.builds(lambda uri: {"X-Project-Path": uri}, URIS),
        "meta": st.none() | st.builds(lambda uri: {"agent-working-dir": uri}, URIS),
        "capabilities": st.sampled_from([{"roots": {}}, {}]),
        "inputResponses": st.builds(lambda roots: {"rootwise": {"roots": roots}}, ROOTS),
    },
)
WAYS = st.fixed_dictionaries(
    {}, optional={"askVia": st.sampled_from(["none", "request", "inputRequired"]), "facts": FACTS}
)


def event(kind: str, /, **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"type": st.just(kind), **parts})


def ways(kind: str, /, **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda one, way: {**one, **way}, event(kind, **parts), WAYS)


FOUND = st.sampled_from(["directory", "file", "missing", "unreadable"])
EVENTS = st.one_of(
    event("clientInitialized", capabilities=st.sampled_from([{"roots": {}}, {"roots": {"listChanged": True}}, {}, 1])),
    event("clientReady"),
    event("rootsListed", request=TOKENS, result=RESULTS),
    event("requestRefused", request=TOKENS, kind=st.sampled_from(KINDS)),
    event("rootsChanged"),
    ways("asked", ask=ASKS, want=st.sampled_from(["project", "roots"])),
    ways("asked", ask=ASKS),
    ways("selected", ask=ASKS, by=st.builds(lambda uri: {"value": uri}, URIS)),
    ways("selectionCleared", ask=ASKS),
    event("askWithdrawn", ask=ASKS),
    # "probes" stands for an answer to the last probe; its paths are filled in when it is played.
    event("probes", found=FOUND),
    event("deadlineReached"),
    event("nonsense"),
    event("closed"),
)
# Time mostly advances, sometimes by much; sometimes it runs backwards.
STEPS = st.lists(st.tuples(EVENTS, st.sampled_from([0, 1, 10, 500, 5000, 60_000, -5])), max_size=30)


class Player:
    """Plays a sequence and checks after every step what must hold."""

    def __init__(self, backend: Backend, policy: str) -> None:
        self.resolver = Resolver(policy, host={"style": "posix", "cwd": "/p/here"}, _backend=backend)
        self.now = 1000
        self.waiting: set[int] = set()
        self.request: int | None = None
        self.initialized = False
        self.probe: Any = None

    def step(self, event: Any, later: int) -> None:
        self.now = max(0, self.now + later)
        if event["type"] == "probes":
            paths = (
                [{"path": one["path"], "found": event["found"]} for one in self.probe["paths"]] if self.probe else []
            )
            event = {"type": "probed", "probe": self.probe["probe"] if self.probe else 77, "paths": paths}
        before = self.resolver.snapshot()
        held = self.resolver.project, self.resolver.deadline
        try:
            actions = self.resolver.handle(event, self.now)
        except RootwiseError:
            assert self.resolver.snapshot() == before
            assert (self.resolver.project, self.resolver.deadline) == held
            return
        if event["type"] in ("asked", "selected", "selectionCleared"):
            self.waiting.add(event["ask"])
        if event["type"] == "askWithdrawn":
            self.waiting.discard(event["ask"])
        # A request is over when the client answers it, when it is cancelled, or when the connection ends.
        again = event["type"] == "clientInitialized" and self.initialized
        if again or event["type"] == "closed" or event.get("request", -1) == self.request:
            self.request = None
        self.initialized |= event["type"] == "clientInitialized"
        for action in actions:
            if action["type"] == "answer":
                for ask in action["asks"]:
                    assert ask in self.waiting, "answered twice, or never asked"
                    self.waiting.remove(ask)
            elif action["type"] == "cancel":
                assert action["request"] == self.request
                self.request = None
            elif action["type"] == "sendRequest":
                assert self.request is None, "two requests at once"
                self.request = action["request"]
            elif action["type"] == "probe":
                self.probe = action

    def rest(self) -> None:
        """Playing nothing but deadlines answers everybody and ends."""
        for _ in range(50):
            if self.resolver.deadline is None:
                break
            self.now = max(self.now, self.resolver.deadline)
            self.step({"type": "deadlineReached"}, 0)
        assert self.resolver.deadline is None
        assert not self.waiting
        assert self.request is None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, policy=st.sampled_from(sorted(presets)))
def test_any_sequence_keeps_its_promises(backend: Backend, steps: list[tuple[Any, int]], policy: str) -> None:
    player = Player(backend, policy)
    for event, later in steps:
        player.step(event, later)
    player.rest()
    player.resolver.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, policy=st.sampled_from(sorted(presets)))
def test_the_same_sequence_gives_the_same_on_every_backend(steps: list[tuple[Any, int]], policy: str) -> None:
    from rootwise._backend import load

    results = []
    for name in ("native", "wasm"):
        player = Player(load(name), policy)
        for event, later in steps:
            player.step(event, later)
        results.append((player.resolver.snapshot(), player.resolver.explain()))
        player.resolver.close()
    assert results[0] == results[1]
