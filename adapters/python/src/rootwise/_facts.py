"""The facts that this process knows about itself."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ._functions import path_style
from ._inputs import policy_inputs
from ._presets import policy_of
from ._text import is_utf8

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

    Only the variables and options that the policy reads are included, so that no other one can appear in a log. A name
    that is not UTF-8 cannot be a project: as a variable or an option it is refused like any bad value, and such a
    working directory is left out.

    :param argv: the command line without the program; by default the one of this process
    :param env: the environment; by default the one of this process
    """
    environment = os.environ if env is None else env
    inputs = policy_inputs(policy_of(policy))
    facts: HostFacts = {
        "style": path_style(),
        "transport": transport,
        "env": {name: _value(environment[name]) for name in inputs.env if name in environment},
        "arguments": arguments(sys.argv[1:] if argv is None else argv, inputs.options),
        "excludedDirs": excluded_dirs(),
    }
    # The working directory may have been deleted.
    with contextlib.suppress(OSError):
        folder = os.getcwd()
        if is_utf8(folder):
            facts["cwd"] = folder
    return facts


def arguments(argv: Sequence[str], names: Collection[str]) -> dict[str, str]:
    """Returns these options: ``--name=value``, ``--name value``, and a bare ``--flag`` with an empty value."""
    found: dict[str, str] = {}
    for index, word in enumerate(argv):
        if word == "--":
            break
        name, equals, value = word[2:].partition("=")
        if not word.startswith("--") or name not in names or name in found:
            continue
        following = argv[index + 1] if index + 1 < len(argv) else "-"
        found[name] = _value(following if not equals and not following.startswith("-") else value)
    return found


def _value(text: str) -> str:
    # A null character makes the rest, which is another name, no name of any folder.
    return text if is_utf8(text) else text.encode("utf-8", "replace").decode() + "\0"


def excluded_dirs() -> ExcludedDirs:
    return _excluded_dirs(os.path.expanduser("~"), os.environ.get("TMPDIR"))


@functools.cache
def _excluded_dirs(home: str, _temporary: str | None) -> ExcludedDirs:
    import tempfile  # Slow to import, and not every program needs it.

    temporary = [*(["/tmp", "/var/tmp"] if os.name != "nt" else [])]
    # Without any folder that it can write to, there is none to exclude.
    with contextlib.suppress(OSError):
        temporary.append(tempfile.gettempdir())
    # The folder in which this package is installed is not a project, nor is the environment around it.
    install = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    if sys.prefix != sys.base_prefix:
        install.append(sys.prefix)
    return {"home": _spellings([home]), "temporary": _spellings(temporary), "install": _spellings(install)}


def _spellings(folders: Iterable[str]) -> list[str]:
    """Returns folders as they are named and as they really are: a client may use either."""
    absolute = [folder for folder in folders if os.path.isabs(folder)]
    return sorted(path for path in {*absolute, *map(os.path.realpath, absolute)} if is_utf8(path))
