"""The command `rootwise` where this package came without its program, which the native wheels install."""

from __future__ import annotations

import platform
import sys


def main() -> None:
    """Says what is missing."""
    sys.exit(
        f"rootwise: the program is not in this installation, because PyPI has no wheel with it for {platform.system()} "
        f"on {platform.machine()}, or pip did not choose it (--no-binary, or an older pip). `npx rootwise` and "
        "`cargo install rootwise-cli` bring it as well; the library works without it."
    )
