"""Every framework with the real clients of both SDKs and both eras, over stdio and over Streamable HTTP."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from frameworks import FRAMEWORKS, Framework
from peers import CLIENTS, Client, Peer

NURSERY = str(Path(__file__).with_name("nursery.py"))
Get = Callable[[str], Peer]


@dataclass(frozen=True)
class Scenario:
    name: str
    #: The client's roots, where `one` and `two` are folders; "refuse" answers -32601; none are not declared.
    roots: Any
    steps: list[Any]
    #: The results of the calls: a folder, or the error that no project was found.
    calls: list[str]
    #: How often a client is asked that keeps a connection.
    asked: int
    #: How often a modern client is asked over HTTP, where its calls are stateless; none where it does not apply.
    asked_modern: int | None = None
    #: The ability that the framework needs.
    needs: str | None = None
    hasty: bool = False


WHERE = {"call": "where"}
TWICE = [WHERE, WHERE]
NONE = "No project was found"
SCENARIOS = [
    Scenario("several roots, 50 calls at once", ["one", "two"], [{**WHERE, "times": 50}, {"call": "where_awaited"}],
             ["one"] * 51, 1, 51),
    Scenario("no roots declared", None, TWICE, [NONE, NONE], 0, 0),
    Scenario("an empty list", [], TWICE, [NONE, NONE], 1, 2),
    Scenario("-32601", "refuse", TWICE, [NONE, NONE], 1),
    Scenario("never answered", "silent", TWICE, [NONE, NONE], 1, hasty=True),
    Scenario("roots that change", ["one"], [WHERE, {"roots": ["two"]}, WHERE], ["one", "two"], 2),
    Scenario("bad entries", ["https://example.com/x", "file://elsewhere/x", "relative", "one"], [WHERE], ["one"], 1),
    Scenario("bad entries in a modern call", ["https://example.com/x", "relative", "one"], [WHERE], ["one"], 1, 1,
             needs="raw_responses"),
]  # fmt: skip


def applies(framework: Framework, client: Client, scenario: Scenario, transport: str) -> bool:
    return all(
        (
            framework.modern or not client.modern,
            scenario.asked_modern is not None or not client.modern,
            scenario.needs is None or getattr(framework, scenario.needs),
            # A process of its own, because the others are patient.
            transport == "stdio" or not scenario.hasty,
        )
    )


CASES = [case for case in product(FRAMEWORKS, CLIENTS, SCENARIOS, ("stdio", "http")) if applies(*case)]


def server(nursery: str, url: str, transport: str, *options: str) -> dict[str, Any]:
    if transport == "http":
        return {"url": url}
    # Isolated, because this process only lends its streams.
    return {"command": sys.executable, "args": ["-IS", NURSERY, nursery, "--stdio", *options]}


@pytest.mark.parametrize(
    ("framework", "client", "scenario", "transport"), CASES, ids=lambda part: getattr(part, "name", part)
)
def test_a_real_client(
    client: Client, scenario: Scenario, transport: str, peer: Get, folders: list[Path], nursery: str, url: str
) -> None:
    uris = {folder.name: folder.as_uri() for folder in folders}
    paths = {folder.name: str(folder) for folder in folders}

    def filled(roots: Any) -> Any:
        return [uris.get(root, root) for root in roots] if isinstance(roots, list) else roots

    steps = [{"roots": filled(step["roots"])} if "roots" in step else step for step in scenario.steps]
    place = server(nursery, url, transport, *(["--wait=1000"] if scenario.hasty else []))
    reply = peer(client.peer).play(client, place, filled(scenario.roots), steps)
    results = [result for call in reply["results"] for result in call]
    for result, wanted in zip(results, scenario.calls, strict=True):
        assert result["failed"] == (wanted == NONE), result
        assert result["text"] == paths[wanted] if wanted in paths else NONE in result["text"], result
    if client.modern and transport == "http":
        assert reply["asked"] == scenario.asked_modern
    elif client.modern:
        # On a pipe, roots count for later calls; those that arrive before the first list are asked too.
        at_once = max(step.get("times", 1) for step in steps)
        assert scenario.asked <= reply["asked"] <= scenario.asked * at_once
    else:
        assert reply["asked"] == scenario.asked


@pytest.mark.only("modern")
def test_a_tool_with_questions_of_its_own_keeps_its_project(peer: Get, folders: list[Path], nursery: str) -> None:
    client = next(client for client in CLIENTS if client.generation and client.modern)
    place = server(nursery, "", "stdio")
    reply = peer(client.peer).play(client, place, [folders[0].as_uri()], [{"call": "rounds"}], word="yes")
    assert reply["results"] == [[{"failed": False, "text": f"{folders[0]} yes"}]]
    assert reply["asked"] == 3


TYPESCRIPT = [
    (framework, client)
    for framework, client in product(FRAMEWORKS, CLIENTS)
    if client.generation and (framework.modern or not client.modern)
]


@pytest.mark.parametrize(("framework", "client"), TYPESCRIPT, ids=lambda part: part.name)
@pytest.mark.parametrize("by", ["header", "query"])
def test_a_request_names_its_project(client: Client, by: str, peer: Get, folders: list[Path], url: str) -> None:
    one, two = map(str, folders)
    headers = {"X-Project-Path": two} if by == "header" else {}
    place = {"url": url if by == "header" else f"{url}?{urlencode({'project_path': two})}"}
    reply = peer(client.peer).play(client, place, [Path(one).as_uri()], TWICE, headers=headers)
    assert reply["results"] == [[{"failed": False, "text": two}]] * 2
    assert reply["asked"] == 0


@pytest.mark.parametrize(("framework", "client"), TYPESCRIPT, ids=lambda part: part.name)
def test_a_server_without_sessions_goes_by_the_request_and_asks_only_who_can_be_asked(
    client: Client, peer: Get, folders: list[Path], stateless_url: str
) -> None:
    one, two = map(str, folders)
    place, roots = {"url": stateless_url}, [Path(one).as_uri()]
    plain = peer(client.peer).play(client, place, roots, [WHERE])
    [[result]] = plain["results"]
    assert result["text"] == one if client.modern else NONE in result["text"]
    assert plain["asked"] == int(client.modern)
    named = peer(client.peer).play(client, place, roots, [WHERE], headers={"X-Project-Path": two})
    assert named["results"] == [[{"failed": False, "text": two}]]
    assert named["asked"] == 0


def test_there_is_something_to_test() -> None:
    assert CASES
