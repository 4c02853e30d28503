"""The decisions of a workspace, in `context_portal/context.db` inside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rootwise import presets
from rootwise.types import Explanation

TEXTS = presets["conport"]["texts"]

#: The markers of the walk in the shipped version, best group first, by the names that it gives to them.
METHODS = dict(
    zip(
        ("strong_indicators", "multiple_indicators", "existing_context_portal"),
        presets["conport-shipped"]["sources"][-1]["refine"]["tiers"],
        strict=True,
    )
)


def detection_info(workspace: str | None, explanation: Explanation) -> dict[str, Any]:
    """Describes a workspace as the shipped version does: where the search began, what it found, and by which method."""
    tried = explanation["tried"]
    won = next((source for source in tried if source["verdict"] == "won"), None)
    start = next((source.get("value") for source in tried if source["source"] == "cwd"), None)
    found: list[str] = []
    method: str = won["source"] if won else "none"
    if workspace and won and won["source"] == "cwd":
        method = "fallback"
        for name, tier in METHODS.items():
            found = [marker for marker in tier["names"] if Path(workspace, marker).exists()]
            if len(found) >= tier.get("atLeast", 1):
                method = name
                break
    variables = {
        source["via"]: source.get("value") for source in tried if source["source"] == "env" and "via" in source
    }
    return {
        "start_path": start,
        "detected_workspace": workspace,
        "detection_method": method,
        "indicators_found": found,
        "environment_variables": variables,
        "explanation": explanation["text"],
    }


def database_path(workspace: str) -> Path:
    """Creates the folder of the database. The workspace may be gone since it was chosen, so it is checked again."""
    if not workspace:
        raise ValueError(TEXTS["host.emptyPath"])
    if not Path(workspace).is_dir():
        raise ValueError(TEXTS["host.invalidPath"].format(path=workspace))
    folder = Path(workspace, "context_portal")
    folder.mkdir(exist_ok=True)
    return folder / "context.db"


def log_decision(database: Path, summary: str) -> None:
    with _open(database) as connection:
        connection.execute("INSERT INTO decisions VALUES (?)", (summary,))


def get_decisions(database: Path) -> list[str]:
    with _open(database) as connection:
        return [summary for (summary,) in connection.execute("SELECT summary FROM decisions ORDER BY rowid")]


@contextmanager
def _open(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS decisions (summary TEXT NOT NULL)")
        yield connection
