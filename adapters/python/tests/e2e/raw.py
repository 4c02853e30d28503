"""Clients that do exactly what a test says, over stdio and over HTTP: real clients hide what must be seen here."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from nursery import order

#: Seconds after which a test has failed; nothing is measured by it.
PATIENCE = 30


class Client:
    """The messages of a client, over any transport."""

    def __init__(self) -> None:
        self.inbox: deque[dict[str, Any]] = deque()
        self.changed = threading.Condition()
        self.last = 0
        #: How the client describes itself in calls of revision 2026-07-28.
        self.info = {"name": "raw", "version": "1"}
        #: How the server described itself.
        self.server: dict[str, Any] = {}

    def send(self, **message: Any) -> None:
        raise NotImplementedError

    def hear(self, text: str | bytes) -> None:
        with self.changed:
            self.inbox.append(json.loads(text))
            self.changed.notify_all()

    def log(self) -> str:
        return ""

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
                raise AssertionError(f"it never came; there are {list(self.inbox)}\n{self.log()[-3000:]}")
            self.inbox.remove(found[0])
            return found[0]

    def result(self, number: int) -> dict[str, Any]:
        return self.next(lambda message: message.get("id") == number and "method" not in message)

    def asked(self) -> dict[str, Any]:
        return self.next(lambda message: message.get("method") == "roots/list")

    def take_questions(self) -> list[dict[str, Any]]:
        """Takes out the questions that have arrived."""
        with self.changed:
            found = [message for message in self.inbox if message.get("method") == "roots/list"]
            for message in found:
                self.inbox.remove(message)
            return found

    def answer_questions(self, number: int, *uris: str) -> None:
        """Answers questions until a request has its response."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with self.changed:
                if any(message.get("id") == number and "method" not in message for message in self.inbox):
                    return
                self.changed.wait(0.02)
            for question in self.take_questions():
                self.roots(question, *uris)

    def open_questions(self) -> int:
        with self.changed:
            return sum(message.get("method") == "roots/list" for message in self.inbox)

    def handshake(self, capabilities: Any = None) -> None:
        self.initialize(capabilities)
        self.send(method="notifications/initialized")

    def initialize(self, capabilities: Any = None) -> None:
        """The first half of a handshake."""
        number = self.request(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={"roots": {"listChanged": True}} if capabilities is None else capabilities,
            clientInfo={"name": "raw", "version": "1"},
        )
        result = self.result(number)
        assert "result" in result
        self.server = result["result"]

    def call(self, name: str, **arguments: Any) -> int:
        return self.request("tools/call", name=name, arguments=arguments)

    def text(self, number: int) -> tuple[bool, str]:
        """Whether it failed, and what the model sees."""
        result = self.result(number)
        assert "result" in result, result
        return bool(result["result"].get("isError")), result["result"]["content"][0]["text"]

    def roots(self, question: dict[str, Any], *uris: str) -> None:
        self.send(id=question["id"], result={"roots": [{"uri": uri} for uri in uris]})

    def modern(
        self,
        method: str,
        responses: Any = None,
        *,
        roots: bool = True,
        elicitation: bool = False,
        conversation: str | None = None,
        **params: Any,
    ) -> dict[str, Any]:
        """A request of revision 2026-07-28, whole."""
        capabilities = {**({"roots": {}} if roots else {}), **({"elicitation": {"form": {}}} if elicitation else {})}
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": self.info,
            **({} if conversation is None else {"openai/session": conversation}),
        }
        more = {} if responses is None else {"inputResponses": responses}
        return self.result(self.request(method, _meta=meta, **params, **more))

    def modern_call(self, name: str, responses: Any = None, **capabilities: bool) -> dict[str, Any]:
        return self.modern("tools/call", responses, name=name, arguments={}, **capabilities)

    def modern_call_with(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.modern("tools/call", name=name, arguments=arguments)


class Raw(Client):
    """Over stdio, with a server of its own."""

    def __init__(self, nursery: str, *options: str, environment: Mapping[str, str] | None = None) -> None:
        super().__init__()
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        ours_log, theirs_log = os.pipe()
        connection, self.pid = order(nursery, list(options), [theirs_in, theirs_out, theirs_log], environment)
        connection.close()
        for stream in (theirs_in, theirs_out, theirs_log):
            os.close(stream)
        self.output = os.fdopen(ours_out, "wb", buffering=0)
        self.input = os.fdopen(ours_in, "rb")
        self.errors = os.fdopen(ours_log, "rb")
        self.logged = b""
        self.readers = [threading.Thread(target=work, daemon=True) for work in (self._read, self._log)]
        for reader in self.readers:
            reader.start()

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.output.close()
        # The server's streams end when it does.
        for reader in self.readers:
            reader.join(PATIENCE)
        if any(reader.is_alive() for reader in self.readers):
            os.kill(self.pid, signal.SIGKILL)
            raise AssertionError(f"the server did not end with its input: {self.log()[-2000:]}")
        self.input.close()
        self.errors.close()

    def _read(self) -> None:
        for line in self.input:
            self.hear(line)

    def _log(self) -> None:
        for line in self.errors:
            self.logged += line

    def log(self) -> str:
        return self.logged.decode()

    def send(self, **message: Any) -> None:
        self.output.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


class RawHttp(Client):
    """Over Streamable HTTP, without a stream of its own for what the server sends: questions come with calls."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = urlsplit(url)
        #: Sent with every request from now on.
        self.headers: dict[str, str | bytes] = {}
        self.query = ""
        #: For tests: tools that were called before.
        self.seen: set[str] = set()
        self.session: dict[str, str] = {}
        self.sockets: list[socket.socket] = []
        self.readers: list[threading.Thread] = []

    def __enter__(self) -> RawHttp:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        if self.session:
            self._open("DELETE", None).close()

    def hang_up(self) -> None:
        """Goes away without a word; the session stays."""
        for connection in self.sockets:
            with suppress(OSError):  # Most have ended by themselves.
                connection.shutdown(socket.SHUT_RDWR)
        for reader in self.readers:
            reader.join(PATIENCE)
            assert not reader.is_alive()

    def _open(self, method: str, body: bytes | None) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(str(self.url.hostname), self.url.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        place = f"{self.url.path}?{self.query}" if self.query else self.url.path
        connection.request(method, place, body, {**headers, **self.session, **self.headers})
        return connection

    def listen(self) -> None:
        """Opens the stream of the session, on which the server can ask outside calls."""
        connection = self._open("GET", None)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        self._hear(connection, response)

    def send(self, **message: Any) -> None:
        connection = self._open("POST", json.dumps({"jsonrpc": "2.0", **message}).encode())
        response = connection.getresponse()
        named = response.getheader("Mcp-Session-Id")
        if named:
            self.session = {"Mcp-Session-Id": named}
        if "event-stream" not in response.getheader("Content-Type", ""):
            body = response.read()
            connection.close()
            if body:
                self.hear(body)
            return
        self._hear(connection, response)

    def _hear(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self.sockets.append(connection.sock)
        self.readers.append(threading.Thread(target=self._read, args=(connection, response), daemon=True))
        self.readers[-1].start()

    def _read(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        try:
            for line in response:
                if line.startswith(b"data:") and line[5:].strip():
                    self.hear(line[5:])
        except (OSError, http.client.HTTPException):
            pass  # Hung up.
        finally:
            connection.close()


class RawSse(Client):
    """Over the transport of 2024-11-05: one stream, whose first event says where to post."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = urlsplit(url)
        self.headers: list[tuple[str, str]] = []
        self.place = ""
        self.stream = http.client.HTTPConnection(str(self.url.hostname), self.url.port, timeout=PATIENCE)
        self.stream.request("GET", f"{self.url.path}?{self.url.query}", headers={"Accept": "text/event-stream"})
        self.reader = threading.Thread(target=self._read, args=(self.stream.getresponse(),), daemon=True)
        self.reader.start()

    def __enter__(self) -> RawSse:
        with self.changed:
            assert self.changed.wait_for(lambda: self.place, PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.stream.sock.shutdown(socket.SHUT_RDWR)
        self.reader.join(PATIENCE)
        self.stream.close()

    def _read(self, response: http.client.HTTPResponse) -> None:
        event = ""
        with suppress(OSError, http.client.HTTPException, AttributeError):
            for line in response:
                name, _, value = line.decode().strip().partition(": ")
                if name == "event":
                    event = value
                elif name == "data" and event == "endpoint":
                    with self.changed:
                        self.place = value
                        self.changed.notify_all()
                elif name == "data":
                    self.hear(value)

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        connection = http.client.HTTPConnection(str(self.url.hostname), self.url.port, timeout=PATIENCE)
        connection.putrequest("POST", self.place)
        for name, value in [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *self.headers]:
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        assert response.status == 202, response.read()
        connection.close()
