"""Errors for packages that are missing or too old."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def needed(module: str, package: str, least: str, problem: ImportError | None = None) -> ImportError:
    """Returns the error for a package that does not have what a module of ours needs.

    :param least: the first version that has it
    :param problem: the error of the import that failed, if it may have another cause than the version
    """
    try:
        installed = version(package)
    except PackageNotFoundError:
        found = "it is not installed"
    else:
        found = f"version {installed} is installed"
        if problem is not None and _numbers(installed) >= _numbers(least):
            # Something that the package itself needs is missing or of another version.
            return ImportError(f"{module} cannot use {package} {installed}: {problem}")
    return ImportError(f"{module} needs {package} {least} or newer, and {found}: pip install '{package}>={least}'")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".")[:2] if part.isdigit()]
