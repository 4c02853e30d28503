"""Frameworks that are missing or too old are named with their versions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src"


def imported(module: str, place: Path) -> str:
    """Imports a module without the packages of this environment; returns the last line of its error."""
    paths = [str(place), str(SOURCES)]
    code = f"import sys; sys.path[:0] = {paths}; import {module}"
    done = subprocess.run([sys.executable, "-IS", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def with_package(place: Path, name: str, version: str, *modules: str) -> None:
    """Makes a package of this version with empty modules."""
    described = place / f"{name}-{version}.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (place / name).mkdir()
    for module in ("__init__", *modules):
        file = place / name / f"{module}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("")


@pytest.mark.parametrize(("package", "least"), [("mcp", "1.23"), ("fastmcp", "2.14")])
def test_a_framework_that_is_not_installed(package: str, least: str, tmp_path: Path) -> None:
    message = f"rootwise.{package} needs {package} {least} or newer, and it is not installed"
    assert imported(f"rootwise.{package}", tmp_path) == f"ImportError: {message}: pip install '{package}>={least}'"


def test_a_fastmcp_that_cannot_be_imported_for_another_reason(tmp_path: Path) -> None:
    with_package(tmp_path, "fastmcp", "2.14.0", "exceptions")
    (tmp_path / "fastmcp" / "dependencies.py").write_text("from fastmcp.exceptions import Nothing")
    error = imported("rootwise.fastmcp", tmp_path)
    assert error.startswith("ImportError: rootwise.fastmcp cannot use fastmcp 2.14.0: cannot import name 'Nothing'")


def test_a_fastmcp_without_dependencies(tmp_path: Path) -> None:
    with_package(tmp_path, "fastmcp", "2.13.3", "exceptions")
    message = "rootwise.fastmcp needs fastmcp 2.14 or newer, and version 2.13.3 is installed"
    assert imported("rootwise.fastmcp", tmp_path) == f"ImportError: {message}: pip install 'fastmcp>=2.14'"
