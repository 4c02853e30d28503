"""The frameworks under test: names in FRAMEWORKS, interpreters in ENVIRONMENTS; `adapters/python/test.py` sets both."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

PYTHONS: dict[str, str] = json.loads(os.environ["ENVIRONMENTS"])


@dataclass(frozen=True)
class Framework:
    """A server framework, as the table in adapters/python/README.md has it."""

    name: str
    #: Which part of server.py it runs.
    kind: str
    #: Speaks revision 2026-07-28 too.
    modern: bool = False
    #: Shows the responses of a modern client before it checks them.
    raw_responses: bool = False
    #: Runs on trio too.
    trio: bool = False
    #: Has tools that run in the background, with what is installed here.
    tasks: bool = False
    #: Has a lower level with a hook for changes.
    lowlevel: bool = False
    #: Keeps a session whose client cancels a call at any moment. FastMCP 3 with a mounted server, or with a tool that
    #: runs in a thread, does not, also without Rootwise: SDK 1.x asserts that a cancelled call has no result.
    cancels: bool = True

    @property
    def python(self) -> str:
        return PYTHONS[self.name]


FRAMEWORKS = [
    framework
    for framework in (
        Framework("mcp1", "mcp1", trio=True, lowlevel=True),
        Framework("mcp2", "mcp2", modern=True, raw_responses=True, trio=True),
        Framework("fastmcp2", "fastmcp", tasks=True),
        Framework("fastmcp3", "fastmcp", cancels=False, tasks=True),
        Framework("fastmcp4", "fastmcp", modern=True, tasks=True),
        # The oldest versions that README.md promises.
        Framework("mcp1_oldest", "mcp1"),
        Framework("fastmcp2_oldest", "fastmcp"),
    )
    if framework.name in os.environ["FRAMEWORKS"].split()
]
