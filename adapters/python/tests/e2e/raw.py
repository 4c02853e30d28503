"""A client that does exactly what a test says, over stdio: real clients hide what must be seen here."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections import deque
from typing import Any

#: Seconds after which a test has failed; nothing is measured by it.
PATIENCE = 30


class Raw:
    def __init__(self, nursery: str, **env: str) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        ours_log, theirs_log = os.pipe()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(nursery)
            said = " ".join(f"{key}={value}" for key, value in {"PARENT": "raw", **env}.items())
            socket.send_fds(connection, [said.encode()], [theirs_in, theirs_out, theirs_log])
            self.pid = int(connection.recv(32))
        for stream in (theirs_in, theirs_out, theirs_log):
            os.close(stream)
        self.output = os.fdopen(ours_out, "wb", buffering=0)
        self.input = os.fdopen(ours_in, "rb")
        self.log = os.fdopen(ours_log, "rb")
        self.inbox: deque[dict[str, Any]] = deque()
        self.changed = threading.Condition()
        self.errors = b""
        self.readers = [threading.Thread(target=work, daemon=True) for work in (self._read, self._log)]
        for reader in self.readers:
            reader.start()
        self.last = 0

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.output.close()
        # The server's streams end when it does.
        for reader in self.readers:
            reader.join(PATIENCE)
        if any(reader.is_alive() for reader in self.readers):
            os.kill(self.pid, signal.SIGKILL)
            raise AssertionError(f"the server did not end with its input: {self.errors.decode()[-2000:]}")
        self.input.close()
        self.log.close()

    def _read(self) -> None:
        for line in self.input:
            with self.changed:
                self.inbox.append(json.loads(line))
                self.changed.notify_all()

    def _log(self) -> None:
        for line in self.log:
            self.errors += line

    def send(self, **message: Any) -> None:
        self.output.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

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
        return self.result(self.request("tools/call", name=name, arguments=arguments, _meta=meta, **more))
