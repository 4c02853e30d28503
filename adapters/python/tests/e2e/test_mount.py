"""One folder under two paths, as in a container: servers in a mount namespace where the folder lies elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import HERE, listening
from frameworks import Framework
from raw import Client, Raw, RawHttp


def namespace() -> list[str]:
    """The command that gives a process mounts of its own; empty where this user may not."""
    for flags in (["-m"], ["-Urm"]):
        command = ["unshare", *flags]
        try:
            probe = subprocess.run([*command, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True)
        except FileNotFoundError:
            break
        if probe.returncode == 0:
            return command
    return []


UNSHARE = namespace()
pytestmark = pytest.mark.skipif(not UNSHARE, reason="this system does not let this user make a mount namespace")

#: Mounts the code at the workspace and hides the client's home, as a container does, then starts the program.
CONTAINER = 'mount --bind "$1/me" "$2" && mount -t tmpfs none "$1" && shift 2 && exec "$@"'


class Container:
    """Servers that see the folder `me` of the client's home as the workspace."""

    def __init__(self, place: Path) -> None:
        self.home, self.workspace = place / "home", place / "workspace"
        self.me = self.home / "me"
        self.environment = {"ROOTWISE_PATH_MAP": f"{self.me}={self.workspace}"}
        #: Where servers are ordered.
        self.nursery = ""


@pytest.fixture
def container(framework: Framework, tmp_path: Path) -> Iterator[Container]:
    made = Container(tmp_path.resolve())
    (made.me / "app" / "src").mkdir(parents=True)
    (made.me / "app" / "src" / "a.txt").write_text("text")
    made.workspace.mkdir()
    # Paths of Unix sockets are short.
    with tempfile.TemporaryDirectory(prefix="rw") as folder:
        made.nursery = f"{folder}/n"
        of = ["--of", str(HERE / "server.py"), "serve"]
        python = [framework.python, "-W", "ignore", str(HERE / "nursery.py"), made.nursery, *of]
        command = [*UNSHARE, "sh", "-c", CONTAINER, "sh", str(made.home), str(made.workspace), *python]
        environment = {**os.environ, "FRAMEWORK": framework.kind}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd="/") as process:
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            yield made
            process.terminate()


def told(client: Client, call: int, *roots: Path) -> str:
    client.answer_questions(call, *(root.as_uri() for root in roots))
    failed, text = client.text(call)
    assert not failed, text
    return text


def test_without_a_map_the_clients_folder_does_not_exist(container: Container) -> None:
    with Raw(container.nursery, "--environment") as client:
        client.handshake()
        call = client.call("described")
        client.answer_questions(call, (container.me / "app").as_uri())
        failed, text = client.text(call)
        assert failed
        assert "does not exist" in text


def test_over_stdio_both_sides_name_the_same_file(container: Container) -> None:
    app, here = container.me / "app", container.workspace / "app"
    with Raw(container.nursery, "--environment", environment=container.environment) as client:
        client.handshake()
        assert json.loads(told(client, client.call("described"), app))[1:3] == [str(here), str(app)]
        file = here / "src" / "a.txt"
        for spelled in ("src/a.txt", str(app / "src" / "a.txt"), (app / "src" / "a.txt").as_uri(), str(file)):
            assert told(client, client.call("resolved_file", file=spelled), app) == str(file), spelled
        call = client.call("resolved_file", file=str(container.me / "secret"))
        client.answer_questions(call, app.as_uri())
        failed, text = client.text(call)
        assert failed
        assert "outside the project" in text
    # Out here nothing is mounted: the server found the file by the map and not by its spelling.
    assert os.listdir(container.workspace) == []


def test_over_http_a_header_names_the_folder_as_its_client_does(container: Container) -> None:
    app, here = container.me / "app", container.workspace / "app"
    options = ("--remote", f"--allowed={container.workspace}", "--environment")
    with listening(container.nursery, *options, environment=container.environment) as url, RawHttp(url) as client:
        client.handshake(capabilities={})
        client.headers = {"X-Project-Path": str(app)}
        assert json.loads(told(client, client.call("described")))[1:3] == [str(here), str(app)]
        client.headers = {"X-Project-Path": str(container.home)}
        failed, text = client.text(client.call("described"))
        assert failed
        assert "outside the allowed folders" in text


def test_a_worktree_has_the_key_of_its_main_checkout_which_git_names_by_its_folder_out_here(
    container: Container,
) -> None:
    # As `git worktree add` writes it out here.
    data, fix = container.me / "app" / ".git" / "worktrees" / "fix", container.me / "fix"
    for folder in (data, fix):
        folder.mkdir(parents=True)
    (fix / ".git").write_text(f"gitdir: {data}\n")
    (data / "commondir").write_text("../..\n")
    (data / "gitdir").write_text(f"{fix / '.git'}\n")
    options = ("--environment", "--identity=repository")
    with Raw(container.nursery, *options, environment=container.environment) as client:
        client.handshake()
        path, key, repository, _ = json.loads(told(client, client.call("repository", file="."), fix))
        main = str(container.workspace / "app")
        assert [path, key] == [str(container.workspace / "fix"), main]
        assert repository["worktree"] == {"name": "fix", "main": main}
