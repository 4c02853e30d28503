"""The client's user who is asked for the project: every framework with real clients of both eras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from conftest import listening
from frameworks import FRAMEWORKS
from peers import CLIENTS, Client, Peer
from raw import Raw
from test_clients import WHERE, server

Get = Callable[[str], Peer]
ELICIT = "--elicit=ambiguous"
CASES = [case for case in product(FRAMEWORKS, CLIENTS, ("stdio", "http")) if case[0].modern or not case[1].modern]


@pytest.fixture
def asking_url(nursery: str, started: Callable[..., str]) -> str:
    return started(listening, nursery, ELICIT)


@pytest.fixture
def asking(nursery: str) -> Iterator[Raw]:
    with Raw(nursery, ELICIT) as client:
        yield client


def play(client: Client, transport: str, peer: Get, folders: list[Path], nursery: str, url: str, **form: Any) -> Any:
    place = server(nursery, url, transport, ELICIT)
    return peer(client.peer).play(client, place, [folder.as_uri() for folder in folders], [WHERE, WHERE], **form)


@pytest.mark.parametrize(("framework", "client", "transport"), CASES, ids=lambda part: getattr(part, "name", part))
def test_the_user_chooses_one_of_several_roots_once(
    client: Client, transport: str, peer: Get, folders: list[Path], nursery: str, asking_url: str
) -> None:
    chosen = {"action": "accept", "content": {"project": str(folders[1])}}
    reply = play(client, transport, peer, folders, nursery, asking_url, form=chosen)
    # Over HTTP a modern call is stateless: nothing would keep the answer.
    is_asked = transport == "stdio" or not client.modern
    folder = folders[1] if is_asked else folders[0]
    assert reply["results"] == [[{"failed": False, "text": str(folder)}]] * 2
    assert [form["project"]["enum"] for form in reply["forms"]] == [list(map(str, folders))] * is_asked


@pytest.mark.parametrize(("framework", "client", "transport"), CASES, ids=lambda part: getattr(part, "name", part))
def test_a_user_who_declines_leaves_the_first_root(
    client: Client, transport: str, peer: Get, folders: list[Path], nursery: str, asking_url: str
) -> None:
    reply = play(client, transport, peer, folders, nursery, asking_url, form={"action": "decline"})
    assert reply["results"] == [[{"failed": False, "text": str(folders[0])}]] * 2
    assert len(reply["forms"]) == (transport == "stdio" or not client.modern)


@pytest.mark.parametrize(("framework", "client", "transport"), CASES, ids=lambda part: getattr(part, "name", part))
def test_a_client_without_forms_is_not_asked(
    client: Client, transport: str, peer: Get, folders: list[Path], nursery: str, asking_url: str
) -> None:
    reply = play(client, transport, peer, folders, nursery, asking_url)
    assert reply["results"] == [[{"failed": False, "text": str(folders[0])}]] * 2


def form_in(raw: Raw) -> dict[str, Any]:
    return raw.next(lambda message: message.get("method") == "elicitation/create")


def test_another_call_does_not_wait_for_the_user(asking: Raw, folders: list[Path]) -> None:
    asking.handshake({"roots": {}, "elicitation": {}})
    first = asking.call("where")
    asking.roots(asking.asked(), *(folder.as_uri() for folder in folders))
    form = form_in(asking)
    assert asking.text(asking.call("where")) == (False, str(folders[0]))
    asking.send(id=form["id"], result={"action": "accept", "content": {"project": str(folders[1])}})
    assert asking.text(first) == (False, str(folders[1]))


def test_an_error_ends_the_question(asking: Raw, folders: list[Path]) -> None:
    asking.handshake({"roots": {}, "elicitation": {}})
    call = asking.call("where")
    asking.roots(asking.asked(), *(folder.as_uri() for folder in folders))
    asking.send(id=form_in(asking)["id"], error={"code": -32601, "message": "Method not found"})
    assert asking.text(call) == (False, str(folders[0]))
