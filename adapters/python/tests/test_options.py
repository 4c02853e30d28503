"""Options of the wrong kind are refused with their names, and so is an extension that does not load."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rootwise import RootwiseError
from rootwise._adapter import Adapter

SOURCES = Path(__file__).parents[1] / "src" / "rootwise"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"allowed_dir": ["/a"]}, "allowed_dir: there is no such option; did you mean allowed_dirs?"),
        (
            {"colour": 1},
            "colour: there is no such option; the options are allowed_dirs, argument, caller, codex_meta, ",
        ),
        ({"local": "yes"}, "local: must be True or False, not 'yes'"),
        ({"require_path": 0}, "require_path: must be True or False, not 0"),
        ({"codex_meta": "no"}, "codex_meta: must be True or False, not 'no'"),
        ({"argument": 5}, "argument: must be a text, not 5"),
        (
            {"argument": "path", "policy": {"name": "own", "sources": [{"from": "roots"}]}},
            'argument: the policy has no source "argument"',
        ),
        ({"host": ["cwd"]}, "host: must be a dict with names as keys, not ['cwd']"),
        ({"host": {5: 5}}, "host: must be a dict with names as keys, not {5: 5}"),
        ({"host": {"path_map": [5]}}, "host.path_map[0]: must be a dict with names as keys, not 5"),
        ({"host": {"cwd": "/a\0b"}}, "host.cwd: "),
        ({"allowed_dirs": 5}, "allowed_dirs: must be a list of folders, not 5"),
        ({"allowed_dirs": "/a"}, "allowed_dirs: must be a list of folders, not '/a'"),
        ({"allowed_dirs": ["/a", "b"]}, "allowed_dirs[1]: must be an absolute path, not 'b'"),
        ({"allowed_dirs": ["/a\0b"]}, "allowed_dirs[0]: must be an absolute path, not '/a\\x00b'"),
        ({"on_change": 5}, "on_change: must be callable"),
        ({"caller": "ann"}, "caller: must be callable"),
        ({"declare": True}, "declare: needs the option argument"),
        ({"argument": "project", "declare": 1}, "declare: must be True or False, not 1"),
        ({"policy": 5}, "policy: must be a preset's name or a policy"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RootwiseError, match=re.escape(f"bad options at {message}")) as caught:
        Adapter(**options)
    assert caught.value.code == "bad_options"


def test_allowed_folders_that_are_of_no_use_are_logged_at_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    Adapter(allowed_dirs=[tmp_path, tmp_path / "nowhere", tmp_path / "file"])
    assert [record.getMessage().partition(": ")[2].rpartition(": ")[2] for record in caplog.records] == [
        f"{tmp_path / 'nowhere'} [allowed_dir_unusable]",
        f"{tmp_path / 'file'} [allowed_dir_unusable]",
    ]


def run(place: Path, backend: str, *, isolated: bool) -> subprocess.CompletedProcess[str]:
    """Runs a copy of the package with an extension that does not load."""
    broken = place / "rootwise"
    shutil.copytree(SOURCES, broken, ignore=shutil.ignore_patterns("_native.*", "__pycache__"))
    (broken / "_native.abi3.so").write_bytes(b"not a library")
    code = f"import sys; sys.path[:0] = [{str(place)!r}]; import rootwise; print(rootwise.backend())"
    options = ["-I", *(["-S"] if isolated else [])]
    env = {**os.environ, "ROOTWISE_BACKEND": backend}
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, env=env)


@pytest.mark.skipif(sys.platform == "win32", reason="the extension has another name there")
@pytest.mark.parametrize(
    ("backend", "isolated", "said"),
    [
        ("native", False, "RootwiseError: the native extension does not load: "),
        ("", True, "RootwiseError: the native extension does not load: "),
        ("", False, "rootwise: The native extension does not load: "),
    ],
    ids=["required", "without wasmtime", "with wasmtime"],
)
def test_an_extension_that_does_not_load_is_reported(backend: str, isolated: bool, said: str, tmp_path: Path) -> None:
    done = run(tmp_path, backend, isolated=isolated)
    assert said in done.stderr
    if backend or isolated:
        assert done.returncode == 1
    else:
        assert done.stdout == "wasm\n"
        assert "[native_failed]" in done.stderr
