"""The machine of `rootwise.testing`: a disk of either style, clients that answer, are late or silent, and its time."""

from __future__ import annotations

from typing import Any

import pytest

from rootwise import NoProjectError, RootwiseError, presets, provided_roots
from rootwise.driver import ClientError
from rootwise.testing import FakeDisk, FakeHost, client_like

SHOP = "/work/shop"


@pytest.fixture
def disk() -> FakeDisk:
    return FakeDisk("/work/shop/.git/", "/work/api/", "/work/notes.txt")


def test_a_client_that_answers(disk: FakeDisk) -> None:
    host = FakeHost(disk=disk)
    client = host.connect(["/work/api", {"uri": "file:///work/shop", "name": "shop"}], delay_ms=300)
    assert client.project().path == "/work/api"
    assert (host.now, client.asked) == (300, 1)
    assert client.project(target="/work/shop/x").path == SHOP
    assert client.select("shop").path == SHOP
    assert client.project().path == SHOP
    assert client.explain()["text"].startswith("Project: shop")


def test_a_silent_client_costs_one_wait_and_no_real_time(disk: FakeDisk) -> None:
    host = FakeHost(disk=disk)
    client = host.connect("silent")
    for _ in range(3):
        with pytest.raises(NoProjectError) as caught:
            client.project()
        assert caught.value.code == "no_project"
    assert host.now == 5_000


def test_a_client_without_roots_and_one_that_refuses(disk: FakeDisk) -> None:
    host = FakeHost(disk=disk, cwd=SHOP)
    for roots, asked in ((None, 0), ("refused", 1)):
        client = host.connect(roots)  # type: ignore[arg-type]
        assert (client.project().path, client.project().source, client.asked) == (SHOP, "cwd", asked)


def test_a_change_counts_at_once(disk: FakeDisk) -> None:
    client = FakeHost(disk=disk).connect([SHOP])
    assert client.project().path == SHOP
    client.change(["/work/api"])
    assert client.project().path == "/work/api"


def test_a_list_counts_for_a_second(disk: FakeDisk) -> None:
    host = FakeHost(disk=disk)
    client = host.connect([SHOP])
    assert client.project().path == SHOP
    client.roots = ["/work/api"]
    assert client.project().path == SHOP
    host.now += 2_000
    assert client.project().path == "/work/api"


def test_a_client_on_another_machine(disk: FakeDisk) -> None:
    with pytest.raises(NoProjectError) as caught:
        FakeHost(disk=disk).connect(http=True).project(headers={"x-project-path": SHOP})
    assert caught.value.code == "other_machine"
    allowed = FakeHost(disk=disk, allowed_dirs=["/work"]).connect(http=True)
    assert allowed.project(headers={"x-project-path": SHOP}).path == SHOP


def test_the_other_style() -> None:
    disk = FakeDisk("C:\\code\\Shop\\.git\\", style="windows")
    client = FakeHost(disk=disk).connect(["c:\\CODE\\shop"])
    project = client.project()
    assert (project.path, project.real_path) == ("C:\\CODE\\shop", "C:\\code\\Shop")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/work/shop", {"found": "directory", "realPath": "/work/shop", "markers": [".git"]}),
        ("/work/link/", {"found": "directory", "realPath": "/work/shop", "markers": [".git"]}),
        ("/work/link/.git", {"found": "directory", "realPath": "/work/shop/.git", "markers": []}),
        ("/work/notes.txt", {"found": "file", "realPath": "/work/notes.txt"}),
        ("/work/notes.txt/x", {"found": "missing"}),
        ("/work/gone", {"found": "missing"}),
        ("/work/circle", {"found": "missing"}),
        ("/work/secret", {"found": "unreadable"}),
        ("/", {"found": "directory", "realPath": "/", "markers": []}),
    ],
)
def test_a_disk(path: str, found: Any, disk: FakeDisk) -> None:
    disk.link("/work/link", SHOP).link("/work/circle", "/work/circle").add("/work/secret/").deny("/work/secret")
    disk.add("/work/gone/deep/").remove("/work/gone")
    assert disk.probed({"path": path, "markers": [".git", "package.json"]}) == {"path": path, **found}


def test_a_relative_path_is_refused() -> None:
    with pytest.raises(RootwiseError, match="bad options at path: must be absolute on this disk, not 'shop'"):
        FakeDisk("shop")


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("claude-code", "roots"),
        ("vs-code", "roots"),
        ("opencode", "roots"),
        ("cursor", "env"),
        ("zed", "cwd"),
        ("codex", "meta"),
        ("goose", "meta"),
        ("fast-agent", "cwd"),
        ("cline", None),
    ],
)
def test_a_client_like_one_that_people_use(disk: FakeDisk, name: str, source: str | None) -> None:
    like = client_like(name, roots=[SHOP])
    client = FakeHost(disk=disk, **like.host).connect(**like.client)
    if source is None:
        with pytest.raises(NoProjectError):
            client.project()
    else:
        project = client.project()
        assert (project.path, project.source) == (SHOP, source)


def test_what_a_client_says_of_itself_and_its_calls() -> None:
    codex = client_like("codex", roots=[SHOP], conversation="chat-7").client
    assert codex["meta"]["threadId"] == "chat-7"
    assert codex["meta"]["x-codex-turn-metadata"] == {"workspaces": {SHOP: {}}}
    assert "elicitation" in codex["capabilities"]
    assert client_like("vs-code").client["meta"] == {"vscode.conversationId": "conversation-1"}
    assert client_like("claude-code").client["capabilities"]["roots"] == {"listChanged": True}


@pytest.mark.parametrize("modern", [False, True])
def test_a_client_that_is_shown_a_form(disk: FakeDisk, modern: bool) -> None:
    policy: Any = {**presets["recommended"], "roots": {"pick": "only"}, "elicit": "ambiguous"}
    host = FakeHost(policy, disk=disk)
    seen = []

    def choose(form: Any) -> Any:
        seen.append(form["requestedSchema"]["properties"]["project"]["enum"])
        return {"action": "accept", "content": {"project": "api"}}

    like = client_like("claude-code", roots=[SHOP, "/work/api"])
    client = host.connect(**{**like.client, "modern": modern, "form": choose})
    assert client.project().path == "/work/api"
    assert seen == [["shop", "api"]]
    for form, problem in ((like.client["form"], NoProjectError), ("silent", ClientError if modern else NoProjectError)):
        with pytest.raises(problem):
            host.connect(**{**like.client, "modern": modern, "form": form}).project()


def test_a_silent_client_of_either_revision(disk: FakeDisk) -> None:
    with pytest.raises(ClientError, match="does not answer roots/list"):
        FakeHost(disk=disk).connect("silent", modern=True).project()
    late = FakeHost(disk=disk)
    assert late.connect([SHOP], modern=True, delay_ms=300).project().path == SHOP
    assert late.now == 300


def test_a_client_that_nobody_knows_gets_the_nearest_name() -> None:
    with pytest.raises(RootwiseError, match="nearest name is `cursor`"):
        client_like("crusor")
    with pytest.raises(RootwiseError, match=r"folders\[0\]"):
        client_like("cursor", roots=["shop"])
    like = client_like("Claude Code", roots=["C:\\code"], style="windows")
    assert (like.host["cwd"], like.is_modern) == ("C:\\code", True)
    assert like.client["roots"] == [{"uri": "file:///C:/code", "name": "code"}]


def test_the_roots_that_a_client_provides() -> None:
    windows = provided_roots(["c:\\code\\my shop", "C:/CODE/My Shop", "\\\\server\\Share\\x#"], "windows")
    assert windows == [
        {"uri": "file:///C:/code/my%20shop", "name": "my shop"},
        {"uri": "file://server/Share/x%23", "name": "x#"},
    ]
    assert provided_roots(["file:///c%3A/x", "file://server/share/x", "/"], "posix") == [
        {"uri": "file:///C:/x", "name": "x"},
        {"uri": "file://server/share/x", "name": "x"},
        {"uri": "file:///"},
    ]
    for wrong in ("x", "~/x", "https://example.com/x", "file:x", "", 7, None, {"path": "/x"}):
        with pytest.raises(RootwiseError, match=r"folders\[1\]"):
            provided_roots(["/work", wrong], "posix")
