"""The project at start-up, before a client connects: from the command line, the environment and the folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, overload

from ._facts import host_facts
from ._presets import policy_with_path
from ._probe import probe_disk
from ._project import AnyProject, Project, project_of
from ._resolver import Resolver

if TYPE_CHECKING:
    from .types import Explanation, HostFacts, Policy, RequestFacts


@overload
def resolve_at_start(
    policy: str | Policy | None = None,
    *,
    host: HostFacts | None = None,
    facts: RequestFacts | None = None,
    require_path: Literal[True] | None = None,
) -> Project | None: ...
@overload
def resolve_at_start(
    policy: str | Policy | None = None,
    *,
    host: HostFacts | None = None,
    facts: RequestFacts | None = None,
    require_path: Literal[False],
) -> AnyProject | None: ...
def resolve_at_start(
    policy: str | Policy | None = None,
    *,
    host: HostFacts | None = None,
    facts: RequestFacts | None = None,
    require_path: bool | None = None,
) -> AnyProject | None:
    """Returns the project that the process itself can determine, or none. The call blocks only for the disk.

    It suits servers that need a folder before they serve; a client may still name another project later. Messages of
    the policy go to the log.

    :param require_path: whether a mere name is no project; to be set if the policy accepts one
    """
    return resolve_and_explain(policy_with_path(policy, require_path), host=host, facts=facts)[0]


def resolve_and_explain(
    policy: str | Policy | None = None, *, host: HostFacts | None = None, facts: RequestFacts | None = None
) -> tuple[AnyProject | None, Explanation | None]:
    """Returns the project as in :func:`resolve_at_start` and its explanation."""
    with Resolver(policy, host=host_facts(policy=policy) if host is None else host) as resolver:
        now = _now()
        actions = resolver.handle(
            {"type": "asked", "ask": 1, "askVia": "none", "explain": True, "facts": facts or {}}, now
        )
        while True:
            for action in actions:
                if action["type"] == "log":
                    from ._log import log  # Slow to import, and rarely needed here.

                    log(action)
            for action in actions:
                if action["type"] == "answer":
                    raw = action["project"] if action["outcome"] == "resolved" else None
                    return project_of(raw), action.get("explanation")
            probes = [action for action in actions if action["type"] == "probe"]
            if not probes:
                # Without a client only a deadline is left.
                now = max(_now(), resolver.deadline or 0)
                actions = resolver.handle({"type": "deadlineReached"}, now)
                continue
            actions = [action for probe in probes for action in resolver.handle(probe_disk(probe), _now())]


def _now() -> int:
    return int(time.monotonic() * 1000)
