"""The decisions of a workspace, in `context_portal/context.db` inside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rootwise import presets

TEXTS = presets["conport"]["texts"]


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
