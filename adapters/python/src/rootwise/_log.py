"""Writes the resolver's log lines to the logger `rootwise`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

logger = logging.getLogger("rootwise")

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def log(line: Mapping[str, Any]) -> None:
    """Writes a line of the resolver, or one of the driver in the same form."""
    logger.log(_LEVELS.get(line["level"], logging.INFO), "rootwise: %s [%s]", line["message"], line["code"])
