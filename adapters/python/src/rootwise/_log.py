"""Writes the resolver's log lines to the logger `rootwise`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Log

logger = logging.getLogger("rootwise")

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def log(line: Log) -> None:
    logger.log(_LEVELS.get(line["level"], logging.INFO), "rootwise: %s [%s]", line["message"], line["code"])
