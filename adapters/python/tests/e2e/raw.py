"""A client that does exactly what a test says, over stdio: real clients hide what must be seen here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any

SERVER = Path(__file__).with_name("server.py")
#: Seconds after which a test has failed; nothing is measured by it.
PATIENCE = 30


class Raw:
    def __init__(self, **env: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
        )
        self.inbox: deque[dict[str, Any]] = deque()
        self.changed = threading.Condition()
        self.errors = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.logger = threading.Thread(target=self._log, daemon=True)
        self.logger.start()
        self.last = 0

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the server did not end with its input: {self.errors.decode()[-2000:]}") from None
        finally:
            self.reader.join(PATIENCE)
            self.logger.join(PATIENCE)
            for stream in (self.process.stdout, self.process.stderr):
                assert stream
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self.changed:
                self.inbox.append(json.loads(line))
                self.changed.notify_all()

    def _log(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors += line

    def send(self, **message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> int:
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        return self.last

    def next(self, wanted: Any) -> dict[str, Any]:
        """The first message that fits; takes it out."""
        with self.changed:
            found: list[dict[str, Any]] = []

            def there() -> bool:
                found[:] = [message for message in self.inbox if wanted(message)]
                return bool(found)

            if not self.changed.wait_for(there, PATIENCE):
                raise AssertionError(f"it never came; there are {list(self.inbox)}\n{self.errors.decode()[-3000:]}")
            self.inbox.remove(found[0])
            return found[0]

    def result(self, number: int) -> dict[str, Any]:
        return self.next(lambda message: message.get("id") == number and "method" not in message)

    def asked(self) -> dict[str, Any]:
        return self.next(lambda message: message.get("method") == "roots/list")

    def open_questions(self) -> int:
        with self.changed:
            return sum(message.get("method") == "roots/list" for message in self.inbox)

    def handshake(self, capabilities: Any = None) -> None:
        number = self.request(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={"roots": {"listChanged": True}} if capabilities is None else capabilities,
            clientInfo={"name": "raw", "version": "1"},
        )
        assert "result" in self.result(number)
        self.send(method="notifications/initialized")

    def call(self, name: str, **arguments: Any) -> int:
        return self.request("tools/call", name=name, arguments=arguments)

    def text(self, number: int) -> tuple[bool, str]:
        """Whether it failed, and what the model sees."""
        result = self.result(number)
        assert "result" in result, result
        return bool(result["result"].get("isError")), result["result"]["content"][0]["text"]

    def roots(self, question: dict[str, Any], *uris: str) -> None:
        self.send(id=question["id"], result={"roots": [{"uri": uri} for uri in uris]})

    def modern(self, name: str, responses: Any = None, capabilities: Any = None, **arguments: Any) -> dict[str, Any]:
        """A call of revision 2026-07-28, whole."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}} if capabilities is None else capabilities,
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        }
        more = {} if responses is None else {"inputResponses": responses}
        answer = self.result(self.request("tools/call", name=name, arguments=arguments, _meta=meta, **more))
        return answer
