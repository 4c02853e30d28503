"""Tests the Python package: `python3 adapters/python/test.py [--only a,b] [--list]`.

It installs nox, which runs the sessions of noxfile.py two at a time, each after those that it needs. Other options
go to nox, such as `--no-dependencies`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: uv creates all environments in the time that pip needs for one.
PROGRAMS = ["nox==2026.10.20", "uv==0.13.7"]


def installed() -> Path:
    """The folder with nox and uv, in an environment of their own."""
    home = HERE / ".work" / "programs"
    folder = home / ("Scripts" if os.name == "nt" else "bin")
    stamp = home / "made-from"
    if not stamp.exists() or stamp.read_text() != " ".join(PROGRAMS):
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([folder / "python", "-m", "pip", "install", "--quiet", *PROGRAMS], check=True)
        stamp.write_text(" ".join(PROGRAMS))
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="Tests the Python package; without options all of it.")
    parser.add_argument("--only", help="sessions, with commas between them")
    parser.add_argument("--list", action="store_true", help="show the sessions")
    options, others = parser.parse_known_args()
    folder = installed()
    command = [str(folder / "nox"), "--noxfile", str(HERE / "noxfile.py"), *others]
    if options.list:
        command += ["--list"]
    else:
        command += ["--parallel", "2", *(["--session", *options.only.split(",")] if options.only else [])]
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    raise SystemExit(subprocess.run(command, cwd=HERE, env={**os.environ, "PATH": path}).returncode)


if __name__ == "__main__":
    main()
