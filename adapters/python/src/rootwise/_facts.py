"""The facts that this process knows about itself."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._endpoint import Endpoint
from ._functions import command_line, path_style, policy_inputs
from ._log import log
from ._options import bad_option, mapping
from ._presets import policy_of
from ._probe import probe_disk
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
    chosen = policy_of(policy)
    words = [_value(word) for word in (sys.argv[1:] if argv is None else argv)]
    facts: HostFacts = {
        "style": path_style(),
        "transport": transport,
        "env": {name: _value(environment[name]) for name in policy_inputs(chosen)["env"] if name in environment},
        "arguments": command_line(words, chosen),
        "excludedDirs": excluded_dirs(),
    }
    # The working directory may have been deleted.
    with contextlib.suppress(OSError):
        folder = os.getcwd()
        if is_utf8(folder):
            facts["cwd"] = folder
    return facts


def given_facts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns host facts that a server names as Python does, with the names of the core.

    :raises RootwiseError: a name is one of the core
    """
    return {_core_name(name, "host"): _fact(name, value) for name, value in given.items()}


def _fact(name: str, value: Any) -> Any:
    if name == "path_map" and isinstance(value, list):
        where = "host.path_map"
        rules = [mapping(f"{where}[{number}]", one) for number, one in enumerate(value)]
        return [{_core_name(key, where): part for key, part in one.items()} for one in rules]
    return value


def _core_name(name: str, where: str) -> str:
    words = re.sub("([A-Z])", r"_\1", name).lower()
    if words != name:
        raise bad_option(f"{where}.{name}", f"the name is {words}")
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


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


def absolute_dirs(dirs: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Returns the folders of the option ``allowed_dirs`` as they are spelled and as they really are.

    :raises RootwiseError: a folder is no absolute path, or not UTF-8
    """
    if isinstance(dirs, (str, bytes)) or not isinstance(dirs, Iterable):
        raise bad_option("allowed_dirs", f"must be a list of folders, not {dirs!a:.80}")
    allowed: list[str] = []
    for number, folder in enumerate(dirs):
        try:
            path = os.fspath(folder)
        except TypeError:
            path = ""
        if not isinstance(path, str) or not os.path.isabs(path) or "\0" in path:
            raise bad_option(f"allowed_dirs[{number}]", f"must be an absolute path, not {folder!a:.80}")
        # Clients spell a folder as they know it, and the disk reports where it really is.
        spellings = [path, os.path.realpath(path)]
        if not all(map(is_utf8, spellings)):
            raise bad_option(f"allowed_dirs[{number}]", f"{path!a} is not UTF-8, so no project can be inside")
        allowed += spellings
    return list(dict.fromkeys(allowed))


def with_real_paths(dirs: list[Any]) -> list[Any]:
    """Returns the folders of a host fact and their real paths; the core checks the rest."""
    here = [folder for folder in dirs if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder]
    return [*dirs, *(path for path in map(os.path.realpath, here) if path not in dirs and is_utf8(path))]


#: The code of a log line about one of the operator's folders.
DIR_UNUSABLE = "allowed_dir_unusable"


def report_dirs(policy: Policy, host: HostFacts) -> None:
    """Checks host facts, and logs the allowed folders that are of no use as soon as the server starts.

    :raises RootwiseError: a fact is invalid
    """
    with Endpoint(policy, host=host) as endpoint:
        for action in endpoint.handle({"type": "deadlineReached"}, 0).actions:
            if action["type"] != "probe":
                continue
            for line in endpoint.handle(probe_disk(action), 0).actions:
                if line["type"] == "log" and line["code"] == DIR_UNUSABLE:
                    log(line)
