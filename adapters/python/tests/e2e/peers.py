"""Real clients: the official SDKs for Python and TypeScript, each a process that plays scripts, one per line."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frameworks import PYTHONS

HERE = Path(__file__).resolve().parent
#: Plays the same scripts for the servers of adapters/typescript and says what a script is.
PYTHON_PEER = HERE.parents[3] / "tests" / "e2e" / "python" / "peer.py"

#: Seconds after which a script has failed; nothing is measured by it.
PATIENCE = 90

PEERS = {
    "python1": [PYTHONS["mcp1"], "-W", "ignore", str(PYTHON_PEER)],
    "python2": [PYTHONS["mcp2"], "-W", "ignore", str(PYTHON_PEER)],
    "typescript": ["node", str(HERE / "peer.mjs")],
}


@dataclass(frozen=True)
class Client:
    name: str
    peer: str
    modern: bool = False
    #: Of the TypeScript SDK.
    generation: int | None = None


CLIENTS = [
    Client("python1", "python1"),
    Client("python2", "python2"),
    Client("python2-modern", "python2", modern=True),
    Client("typescript1", "typescript", generation=1),
    Client("typescript2", "typescript", generation=2),
    Client("typescript2-modern", "typescript", modern=True, generation=2),
]


class Peer:
    """A client's process."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def play(self, client: Client, server: dict[str, Any], roots: Any, steps: list[Any], **more: Any) -> Any:
        era = "modern" if client.modern else "legacy"
        script = {"client": client.generation, "era": era, "server": server, "roots": roots, "steps": steps, **more}
        assert self._process.stdin
        self._process.stdin.write(json.dumps(script) + "\n")
        self._process.stdin.flush()
        line = self._lines.get(timeout=PATIENCE)
        assert line, "the client's process ended; those of TypeScript need `npm install`"
        reply = json.loads(line)
        assert "error" not in reply, reply
        return reply

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()
