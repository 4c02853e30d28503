"""The facts that this process knows about itself."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ._functions import path_style
from ._presets import policy_of

if TYPE_CHECKING:
    from .types import ExcludedDirs, HostFacts, Policy, Transport


def host_facts(
    transport: Transport = "stdio",
    *,
    policy: str | Policy | None = None,
    argv: Sequence[str] | None = None,
    env: Mapping[str, str] | None = None,
) -> HostFacts:
    """Returns the facts of this process for a :class:`rootwise.Resolver`; change or add whatever you know better.

    Only the environment variables that the policy reads are included, so that no other one can appear in a log.

    :param argv: the command line without the program; by default the one of this process
    :param env: the environment; by default the one of this process
    """
    environment = os.environ if env is None else env
    facts: HostFacts = {
        "style": path_style(),
        "transport": transport,
        "env": {name: environment[name] for name in _variables(policy) if name in environment},
        "arguments": arguments(sys.argv[1:] if argv is None else argv),
        "excludedDirs": _excluded_dirs(),
    }
    # The working directory may have been deleted.
    with contextlib.suppress(OSError):
        facts["cwd"] = os.getcwd()
    return facts


def arguments(argv: Sequence[str]) -> dict[str, str]:
    """Returns options by name: ``--name=value``, ``--name value``, and a bare ``--flag`` with an empty value."""
    found: dict[str, str] = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if not word.startswith("--"):
            continue
        name, equals, value = word[2:].partition("=")
        if not equals and rest and not rest[0].startswith("-"):
            value = rest.pop(0)
        found.setdefault(name, value)
    return found


def _variables(policy: str | Policy | None) -> set[str]:
    names: set[str] = set()
    for source in policy_of(policy)["sources"]:
        read = source.get("read", [])
        if source["from"] == "env":
            names.update(read)
        names.update(name[1:] for name in read if name.startswith("$"))
    return names


def _excluded_dirs() -> ExcludedDirs:
    import tempfile  # Slow to import, and not every program needs it.

    temporary = {tempfile.gettempdir(), *(["/tmp", "/var/tmp"] if os.name != "nt" else [])}
    excluded: ExcludedDirs = {"temporary": sorted(temporary)}
    home = os.path.expanduser("~")
    if os.path.isabs(home):
        excluded["home"] = home
    # The folder in which this package is installed is not a project, nor is the environment around it.
    install = {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    if sys.prefix != sys.base_prefix:
        install.add(sys.prefix)
    excluded["install"] = sorted(install)
    return excluded
