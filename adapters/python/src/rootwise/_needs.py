"""Errors for packages that are missing or too old."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def needed(module: str, package: str, least: str) -> ImportError:
    """Returns the error for a package that does not have what a module of ours needs.

    :param least: the first version that has it
    """
    try:
        found = f"version {version(package)} is installed"
    except PackageNotFoundError:
        found = "it is not installed"
    return ImportError(f"{module} needs {package} {least} or newer, and {found}: pip install '{package}>={least}'")
