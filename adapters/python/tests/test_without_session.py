"""Without a session of MCP: host facts, the start of a process, requests in the middleware, and options."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from clients import Peer, roots

from rootwise import AnyProject, NoProjectError, Project, RootwiseError, host_facts, presets, resolve_at_start
from rootwise._adapter import Adapter
from rootwise._call import Call
from rootwise.starlette import App, ProjectMiddleware, Receive, Scope, Send, SharedEndpoint
from rootwise.start import resolve_and_explain


def test_the_command_line_is_read_like_everywhere() -> None:
    policy: Any = {"name": "own", "sources": [{"from": "configured", "read": ["project", "flag", "name", "not"]}]}
    words = ["--project=/a", "--flag", "--other", "c", "--name", "b", "x", "--project=/c", "--", "--not"]
    assert host_facts(policy=policy, argv=words)["arguments"] == {"project": "/a", "flag": "", "name": "b"}


def test_only_variables_that_the_policy_reads_are_taken() -> None:
    env = {"ROOTWISE_PROJECT": "/a", "CLAUDE_PROJECT_DIR": "/b", "SECRET": "x"}
    assert host_facts(env=env)["env"] == {"ROOTWISE_PROJECT": "/a", "CLAUDE_PROJECT_DIR": "/b"}


def test_at_start_the_command_line_wins_over_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        (folder / ".git").mkdir(parents=True)
    (here / "deep").mkdir()
    monkeypatch.chdir(here / "deep")
    found = resolve_at_start(host=host_facts(argv=[], env={}))
    assert found is not None
    assert (found.path, found.source) == (str(here), "cwd")
    named = resolve_at_start(host=host_facts(argv=["--project", str(there)], env={}))
    assert named is not None
    assert (named.path, named.source) == (str(there), "configured")
    nothing, why = resolve_and_explain(host={"style": "posix", "cwd": "/"})
    assert nothing is None
    assert why is not None
    assert why["code"] == "no_project"


def test_at_start_the_log_says_what_was_chosen_and_what_was_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "rootwise")
    resolve_at_start("conport", host={"style": "posix", "cwd": str(tmp_path), "arguments": {"workspace-id": "gone"}})
    assert [record.getMessage() for record in caplog.records] == [
        "rootwise: Warning: Provided workspace path doesn't exist: gone [value_rejected]",
        f"rootwise: Using current working directory as default workspace: {tmp_path} [project_chosen]",
    ]


async def request(app: Any, headers: Any, query: str = "") -> tuple[int, Any]:
    scope = {
        "type": "http",
        "method": "GET",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        if isinstance(headers, dict)
        else headers,
        "query_string": query.encode(),
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("the body must not be read")

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.anyio
async def test_the_middleware_reads_header_and_query_and_refuses_bad_values(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        project = scope["state"]["project"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(project and project.path).encode()})

    wrapped = ProjectMiddleware(app, allowed_dirs=[tmp_path.parent], host={"cwd": "/", "env": {}})
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))
    assert await request(wrapped, {}, f"project_path={tmp_path}") == (200, str(tmp_path))
    assert await request(wrapped, {}, f"project_path={tmp_path}&project_path=/gone") == (200, str(tmp_path))
    assert await request(wrapped, {}) == (200, None)
    status, reply = await request(wrapped, {"X-Project-Path": "relative/path"})
    assert (status, reply["error"]["data"]) == (400, {"code": "relative", "source": "header"})
    assert (reply["jsonrpc"], reply["id"], reply["error"]["code"]) == ("2.0", None, -32602)
    assert "relative/path" in reply["error"]["message"]


@pytest.mark.anyio
async def test_the_middleware_finds_a_header_however_the_policy_spells_it(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(scope["state"]["project"].path).encode()})

    policy: Any = {"name": "own", "sources": [{"from": "header", "read": ["X-Folder"]}]}
    wrapped = ProjectMiddleware(app, policy, local=True)
    assert await request(wrapped, {"x-folder": str(tmp_path)}) == (200, str(tmp_path))


async def state_of(app: Any) -> Any:
    async def inner(scope: Any, receive: Any, send: Any) -> None:
        project = scope["state"]["project"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(project and project.path).encode()})

    return app(inner)


@pytest.mark.anyio
async def test_a_remote_caller_learns_nothing_about_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probed: list[str] = []
    real = os.stat

    def watched(path: Any, *args: Any, **kwargs: Any) -> Any:
        probed.append(str(path))
        return real(path, *args, **kwargs)

    wrapped = await state_of(ProjectMiddleware)
    monkeypatch.setattr(os, "stat", watched)
    path = tmp_path / "path"
    gone = await request(wrapped, {"X-Project-Path": str(path)})
    path.mkdir()
    folder = await request(wrapped, {"X-Project-Path": str(path)})
    path.rmdir()
    path.write_text("")
    file = await request(wrapped, {"X-Project-Path": str(path)})
    assert gone == folder == file
    assert (gone[0], gone[1]["error"]["data"]["code"]) == (400, "other_machine")
    for way_out in ("`local`", "`allowed_dirs`", "`require_path`"):
        assert way_out in gone[1]["error"]["message"]
    assert not [probe for probe in probed if probe.startswith(str(path))]


@pytest.mark.anyio
async def test_a_folder_on_another_machine_is_a_project_where_no_path_is_required() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["state"]["project"])

    for path in ("/home/me/proj", "C:\\Users\\me\\proj"):
        wrapped = ProjectMiddleware(app, require_path=False)
        scope = {"type": "http", "method": "GET", "headers": [(b"x-project-path", path.encode())], "query_string": b""}
        await wrapped(scope, None, None)  # type: ignore[arg-type]
        assert (seen[-1].path, seen[-1].client_path, seen[-1].name) == (None, path, "proj")
        assert type(seen[-1]) is AnyProject


def test_a_policy_without_folders_needs_the_option_that_makes_the_type_true() -> None:
    named: Any = {"name": "own", "sources": [{"from": "query", "read": ["project"]}], "requirePath": False}
    for build in (lambda: ProjectMiddleware(None, named), lambda: resolve_at_start("thoughtbox")):  # type: ignore[arg-type]
        with pytest.raises(RootwiseError, match="require_path=False") as problem:
            build()
        assert problem.value.code == "bad_options"
    assert resolve_at_start("thoughtbox", host={"style": "posix", "cwd": "/"}, require_path=True) is None
    assert ProjectMiddleware(None, named, require_path=False).policy["requirePath"] is False  # type: ignore[arg-type]
    with pytest.raises(RootwiseError, match="require_path"):
        ProjectMiddleware(None, require_path="no")  # type: ignore[arg-type]


def test_an_injected_parameter_has_the_type_that_the_server_gives() -> None:
    def with_folder(project: Project) -> str:
        return project.path

    def with_any(project: AnyProject) -> str:
        return project.name

    for require_path, right, wrong, name in (
        (None, with_folder, with_any, "Project"),
        (False, with_any, with_folder, "AnyProject"),
    ):
        adapter = ProjectMiddleware(None, require_path=require_path)  # type: ignore[arg-type]
        adapter.inject(right)
        with pytest.raises(RootwiseError, match=rf"rootwise\.{name}$"):
            adapter.inject(wrong)


@pytest.mark.anyio
async def test_allowed_dirs_confine_projects_by_real_path_and_an_empty_list_allows_none(tmp_path: Path) -> None:
    inside, outside = tmp_path / "allowed" / "one", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (tmp_path / "allowed" / "link").symlink_to(outside)
    (tmp_path / "alias").symlink_to(tmp_path / "allowed")
    alias = tmp_path / "alias"
    for confined in ({"allowed_dirs": [alias]}, {"host": {"allowed_dirs": [str(alias)]}}):
        wrapped = await state_of(lambda app, confined=confined: ProjectMiddleware(app, **confined))
        for spelling in (inside, alias / "one"):
            assert await request(wrapped, {"X-Project-Path": str(spelling)}) == (200, str(spelling))
        for path in (outside, tmp_path / "allowed" / "link", tmp_path / "allowed" / ".." / "outside"):
            assert (await request(wrapped, {"X-Project-Path": str(path)}))[0] == 400
    nowhere = await state_of(lambda app: ProjectMiddleware(app, local=True, allowed_dirs=[]))
    for path in (inside, outside, "/", Path(__file__).parent):
        assert (await request(nowhere, {"X-Project-Path": str(path)}))[0] == 400


@pytest.mark.anyio
async def test_a_header_in_utf_8_names_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "jürgen"
    folder.mkdir()
    wrapped = await state_of(lambda app: ProjectMiddleware(app, allowed_dirs=[tmp_path]))
    assert await request(wrapped, {"X-Project-Path": str(folder)}) == (200, str(folder))
    assert await request(wrapped, {}, f"project_path={folder}") == (200, str(folder))
    raw: Any = [(b"x-project-path", str(folder).encode("latin-1"))]
    assert await request(wrapped, raw) == (200, str(folder))


@pytest.mark.anyio
async def test_only_the_request_itself_counts(tmp_path: Path) -> None:
    host = {"arguments": {"project": str(tmp_path)}, "cwd": str(tmp_path), "env": {"CLAUDE_PROJECT_DIR": str(tmp_path)}}
    wrapped = await state_of(lambda app: ProjectMiddleware(app, local=True, host=host))
    assert await request(wrapped, {}) == (200, None)
    with pytest.raises(RootwiseError, match="bad options at sources"):
        ProjectMiddleware(None, "wolfram")  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_a_refused_folder_needs_no_status_in_the_policy(tmp_path: Path) -> None:
    policy: Any = {"name": "own", "sources": [{"from": "header", "read": ["X-Folder"]}]}
    wrapped = await state_of(lambda app: ProjectMiddleware(app, policy, local=True))
    status, reply = await request(wrapped, {"X-Folder": str(tmp_path / "gone")})
    assert (status, reply["error"]["data"]["code"]) == (400, "missing")


@pytest.mark.anyio
async def test_a_gate_may_read_a_header_and_a_parameter_of_its_own(tmp_path: Path) -> None:
    wrapped = await state_of(lambda app: ProjectMiddleware(app, header="X-Own", query="own", local=True))
    assert await request(wrapped, {"X-Own": str(tmp_path)}) == (200, str(tmp_path))
    assert await request(wrapped, {}, f"own={tmp_path}") == (200, str(tmp_path))
    assert await request(wrapped, {"X-Project-Path": str(tmp_path / "gone")}) == (200, None)
    assert (await request(wrapped, {"X-Own": str(tmp_path / "gone")}))[0] == 400
    for wrong in ("", 7):
        with pytest.raises(RootwiseError, match="bad options at header"):
            ProjectMiddleware(None, header=wrong)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_a_gate_whose_function_fails_answers_that_it_failed(tmp_path: Path) -> None:
    def failing(_scope: Any) -> Any:
        raise OSError("no directory service")

    def junk(_scope: Any) -> Any:
        return "/srv"

    for function, code, text in (
        (failing, "outside", "The folders of this caller are not known: no directory service"),
        (junk, "bad_options", "bad options at allowed_dirs: the function must return a list of folders"),
    ):
        wrapped = await state_of(lambda app, function=function: ProjectMiddleware(app, allowed_dirs=function))
        status, reply = await request(wrapped, {"X-Project-Path": str(tmp_path)})
        error = {"code": -32603, "message": text, "data": {"code": code}}
        assert (status, reply["error"]) == (500, error)


@pytest.mark.anyio
async def test_a_project_can_be_required(tmp_path: Path) -> None:
    wrapped = await state_of(lambda app: ProjectMiddleware(app, local=True, required=True))
    assert (await request(wrapped, {}))[0] == 400
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))


@pytest.mark.anyio
async def test_of_many_requests_at_once_only_some_are_checked(tmp_path: Path) -> None:
    wrapped = await state_of(lambda app: ProjectMiddleware(app, local=True, max_pending=2))
    answers: list[Any] = []

    async def one() -> None:
        answers.append(await request(wrapped, {"X-Project-Path": str(tmp_path)}))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(one)
        # A request that names nothing needs no check.
        await anyio.lowlevel.checkpoint()
        assert await request(wrapped, {}) == (200, None)
    refused = [body["error"]["data"]["code"] for status, body in answers if status == 503]
    assert refused == ["too_many_checks"] * 3
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))
    for wrong in (0, True, "2"):
        with pytest.raises(RootwiseError, match="max_pending"):
            ProjectMiddleware(None, max_pending=wrong)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_requests_leave_nothing_for_each_other(tmp_path: Path) -> None:
    policy = presets["recommended"]
    policy["memory"] = {"pin": "immutable"}
    wrapped = await state_of(lambda app: ProjectMiddleware(app, policy, allowed_dirs=[tmp_path]))
    assert await request(wrapped, {"X-Project-Path": str(tmp_path)}) == (200, str(tmp_path))
    assert await request(wrapped, {}) == (200, None)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"policy": "recomended"}, "policy"),
        ({"policy": {"name": "own", "sources": [{"from": "rots"}]}}, "sources[0].from"),
        ({"policy": {"name": "own", "sources": None}}, "sources"),
        ({"policy": {"timing": {"callerTimeoutMs": "soon"}}}, "timing.callerTimeoutMs"),
        ({"policy": {"name": "own", "sources": [{"from": "roots"}], "timings": {}}}, "timings"),
        ({"host": {"cwdd": "/"}}, "cwdd"),
        ({"host": {"toolArgument": "path"}}, "host.toolArgument: the name is tool_argument"),
        ({"host": {"path_map": [{"fromStyle": "posix"}]}}, "host.path_map.fromStyle: the name is from_style"),
        ({"host": {"style": "amiga"}}, "style"),
        ({"allowed_dirs": "/srv"}, "allowed_dirs"),
        ({"allowed_dirs": ["/srv", "relative"]}, "allowed_dirs[1]"),
        ({"on_change": 7}, "on_change"),
    ],
)
def test_an_option_that_cannot_work_fails_in_the_constructor(options: dict[str, Any], place: str) -> None:
    with pytest.raises(RootwiseError) as caught:
        Adapter(**options)
    assert caught.value.code == "bad_options"
    assert place in str(caught.value)
    if options == {"policy": "recomended"}:
        assert all(name in str(caught.value) for name in presets)


@pytest.mark.anyio
@pytest.mark.parametrize("named", [5, ["/a"], {"path": "/a"}, True])
async def test_an_argument_that_is_no_text_is_refused_and_not_ignored(named: Any, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    adapter: Any = Adapter(argument="path", host={"cwd": str(tmp_path)})
    for value, end in (({}, str(tmp_path)), ({"path": named}, "invalid")):
        parts = adapter.inputs.parts(None, transport="stdio", argument=adapter.named_by(value))
        call = Call(adapter.driver(), parts)
        answer: Any = await call.ask()
        call.end()
        assert (answer["project"]["path"] if "project" in answer else answer["code"]) == end


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("method", "path", "headers", "taken"),
    [
        ("GET", "/mcp", {"accept": "text/event-stream"}, ("sse", "/sse")),
        ("GET", "/mcp", {"accept": "text/event-stream", "mcp-session-id": "1"}, ("streamable", "/mcp")),
        ("GET", "/mcp", {"accept": "text/event-stream", "mcp-protocol-version": "1"}, ("streamable", "/mcp")),
        ("POST", "/mcp", {"accept": "application/json, text/event-stream"}, ("streamable", "/mcp")),
        ("GET", "/mcp", {"accept": "text/html"}, ("streamable", "/mcp")),
        ("GET", "/sse", {}, ("sse", "/sse")),
        ("POST", "/messages/", {}, ("sse", "/messages/")),
        ("GET", "/other", {"accept": "text/event-stream"}, ("streamable", "/other")),
    ],
)
@pytest.mark.parametrize("mount", ["", "/below"])
async def test_both_http_transports_share_one_path(
    method: str, path: str, headers: dict[str, str], taken: tuple[str, str], mount: str
) -> None:
    served: list[tuple[str, str]] = []

    def app(name: str) -> App:
        async def serve(scope: Scope, _receive: Receive, _send: Send) -> None:
            served.append((name, scope["path"]))

        return serve

    scope = {
        "type": "http",
        "method": method,
        "root_path": mount,
        "path": mount + path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    unused: Any = None
    await SharedEndpoint(app("streamable"), app("sse"))(scope, unused, unused)
    assert served == [(taken[0], mount + taken[1])]


@pytest.mark.anyio
@pytest.mark.parametrize("pick", ["first", "only"])
async def test_a_removed_selection_leaves_the_project_that_counts_or_none(
    pick: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    policy: Any = presets["recommended"]
    policy["roots"] = {**policy.get("roots", {}), "pick": pick}
    adapter: Any = Adapter(policy=policy, local=True, host={"cwd": str(tmp_path), "env": {}})
    driver, peer = adapter.driver(), Peer(roots(*folders))
    peer.may_answer.set()
    session = driver.open("stdio", local=True)
    session.initialized({"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}})
    session.ready()
    call = Call(driver, {}, session, peer)
    monkeypatch.setattr(adapter, "call", lambda: call)
    assert (await adapter.select(str(folders[1]))).path == str(folders[1])
    left = await adapter.unselect()
    assert (left and left.path) == (str(folders[0]) if pick == "first" else None)
    call.end()
    with pytest.raises(NoProjectError) as caught:
        await adapter.unselect()
    assert caught.value.code == "call_over"
    session.close()


@pytest.mark.anyio
async def test_an_argument_that_the_policy_does_not_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    policy: Any = {"name": "own", "sources": [{"from": "cwd", "verify": "none"}]}
    adapter: Any = Adapter(policy=policy, host={"cwd": "/work"})
    monkeypatch.setattr(adapter, "_asker", lambda _context: Call(adapter.driver(), {}))
    with pytest.raises(RootwiseError) as caught:
        await adapter.project(argument="/other")
    assert caught.value.code == "bad_options"
