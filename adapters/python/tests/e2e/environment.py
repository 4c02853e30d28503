"""The environment these tests run in has one framework; FRAMEWORK says which."""

from __future__ import annotations

import importlib.util
import os

FRAMEWORK = os.environ.get("FRAMEWORK", "")

#: Whether it speaks revision 2026-07-28.
MODERN = importlib.util.find_spec("mcp_types") is not None
