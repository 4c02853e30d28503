"""The project at start-up, before any client is there: from the command line, the environment and the folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ._disk import look
from ._facts import host_facts
from ._project import Project, project_of
from ._resolver import Resolver

if TYPE_CHECKING:
    from .types import Explanation, HostFacts, Policy, RequestFacts


def resolve_at_start(
    policy: str | Policy | None = None, *, host: HostFacts | None = None, facts: RequestFacts | None = None
) -> Project | None:
    """Gives the project that the process itself can tell, or none; it blocks only for the disk.

    For servers that need a folder before they serve. A client that names another one is heard later, as usual.
    The log says what the policy has to say about it.
    """
    return resolve_and_explain(policy, host=host, facts=facts)[0]


def resolve_and_explain(
    policy: str | Policy | None = None, *, host: HostFacts | None = None, facts: RequestFacts | None = None
) -> tuple[Project | None, Explanation | None]:
    """As :func:`resolve_at_start`, and why."""
    with Resolver(policy, host=host_facts(policy=policy) if host is None else host) as resolver:
        now = _now()
        actions = resolver.handle(
            {"type": "asked", "ask": 1, "askBy": "none", "explain": True, "facts": facts or {}}, now
        )
        while True:
            for action in actions:
                if action["type"] == "log":
                    from ._log import log  # Slow to import, and few come here.

                    log(action)
            for action in actions:
                if action["type"] == "answer":
                    said = action["project"] if action["outcome"] == "resolved" else None
                    return project_of(said), action.get("explanation")
            probes = [action for action in actions if action["type"] == "probe"]
            if not probes:
                # Only a deadline can be left, and nobody else will come.
                now = max(_now(), resolver.deadline or 0)
                actions = resolver.handle({"type": "deadlineReached"}, now)
                continue
            actions = [action for probe in probes for action in resolver.handle(look(probe), _now())]


def _now() -> int:
    return int(time.monotonic() * 1000)
