"""A machine for tests, with a disk, clients and time of its own: it plays a resolver without I/O or waiting."""

from __future__ import annotations

import itertools
import ntpath
import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from ._error import NoProjectError
from ._facts import given_facts
from ._functions import path_to_file_uri, simulate_client
from ._options import bad_option
from ._presets import policy_of
from ._project import AnyProject, project_of
from ._resolver import Resolver
from ._sender import ClientError

if TYPE_CHECKING:
    from .types import Explanation, FindNearest, Nearest, PathStyle, Policy, ProbedPath, ProbePath

#: As Linux: more links than that lead nowhere.
_MAX_LINKS = 40

#: What a client does when it is asked for its roots: it lists paths, URIs or complete entries; it says nothing; or it
#: does not know the request. With none, it declares that it has no roots.
Roots = Union[Sequence[Union[str, Mapping[str, Any]]], Literal["silent", "refused"], None]


#: What a client does when it is shown a form (elicitation): it answers with a result, the same for every form or that
#: of a function of the parameters; it says nothing; it does not know the request; or it answers with another error.
Form = Union[Mapping[str, Any], Callable[[Any], Mapping[str, Any]], Literal["silent", "refused", "failed"], None]

_REFUSALS = {"refused": (-32601, "Method not found"), "failed": (-32603, "Internal error")}


class FakeDisk:
    """A disk in memory, of either style. Folders above an entry exist with it; on Windows case does not count."""

    def __init__(self, *paths: str, style: PathStyle = "posix") -> None:
        """
        :param paths: as for :meth:`add`
        """
        self.style: PathStyle = style
        self._path: Any = ntpath if style == "windows" else posixpath
        #: The entries by key: their paths as they were spelled first, whether they are folders, and where links lead.
        self._entries: dict[str, tuple[str, bool, str | None]] = {}
        self._denied: set[str] = set()
        self._texts: dict[str, str] = {}
        self.add(*paths)

    def add(self, *paths: str) -> FakeDisk:
        """Adds files, and folders, whose paths end with a separator: ``/work/shop/.git/``, ``/work/a.txt``."""
        for path in paths:
            self._put(path, path.endswith(("/", "\\") if self.style == "windows" else "/"), None)
        return self

    def write(self, path: str, text: str) -> FakeDisk:
        """Adds a file with a text, such as the ``.git`` of a worktree."""
        self._put(path, False, None)
        self._texts[self._key(path)] = text
        return self

    def link(self, path: str, to: str) -> FakeDisk:
        """Adds a link; where it leads need not exist."""
        return self._put(path, False, self._plain(to))

    def remove(self, path: str) -> FakeDisk:
        """Removes an entry and everything below it."""
        key = self._key(path)
        below = key.rstrip(self._path.sep) + self._path.sep
        self._entries = {one: entry for one, entry in self._entries.items() if one != key and not one.startswith(below)}
        return self

    def deny(self, path: str) -> FakeDisk:
        """Makes an entry unreadable, as one of another user."""
        self._denied.add(self._key(path))
        return self

    def probed(self, wanted: ProbePath) -> ProbedPath:
        """Answers one path of a ``probe`` action."""
        path = wanted["path"]
        real = self._real(path)
        if real is None:
            return {"path": path, "found": "missing"}
        if self._key(real) in self._denied:
            return {"path": path, "found": "unreadable"}
        shown, is_folder, _ = self._entries[self._key(real)]
        found: ProbedPath = {"path": path, "found": "directory" if is_folder else "file", "realPath": shown}
        find, read = wanted.get("nearest"), wanted.get("files")
        nearest = None if find is None else self._nearest(shown, find)
        if nearest is not None:
            found["nearest"] = nearest
        if is_folder:
            names = wanted.get("markers", ())
            found["markers"] = [name for name in names if self._real(self._path.join(real, name)) is not None]
        if is_folder and read is not None and self._is_within(shown, read.get("within")):
            texts = {name: self._text(self._path.join(shown, name), read["bytes"]) for name in read["names"]}
            found["files"] = {name: text for name, text in texts.items() if text is not None}
        return found

    def _nearest(self, start: str, find: FindNearest) -> Nearest | None:
        folder = start
        while self._is_within(folder, find.get("within")):
            for name in find["names"]:
                entry = self._path.join(folder, name)
                real = self._real(entry)
                if real is not None:
                    is_folder = self._entries[self._key(real)][1]
                    nearest: Nearest = {"path": folder, "name": name, "found": "directory" if is_folder else "file"}
                    text = self._text(entry, find["bytes"])
                    return nearest if text is None else {**nearest, "text": text}
            above = self._path.dirname(folder)
            if above == folder:
                return None
            folder = above
        return None

    def _text(self, path: str, most: int) -> str | None:
        entry = self._entries.get(self._key(path))
        if entry is None or entry[1] or entry[2] is not None:
            return None
        text = self._texts.get(self._key(path), "")
        return text if len(text.encode()) <= most else None

    def _is_within(self, folder: str, dirs: Sequence[str] | None) -> bool:
        keys = None if dirs is None else [self._key(one).rstrip(self._path.sep) for one in dirs]
        key = self._key(folder)
        return keys is None or any(key == one or key.startswith(one + self._path.sep) for one in keys)

    def _put(self, path: str, is_folder: bool, to: str | None) -> FakeDisk:
        plain = self._plain(path)
        above = self._path.dirname(plain)
        if above != plain and self._key(above) not in self._entries:
            self._put(above, True, None)
        self._entries[self._key(plain)] = plain, is_folder, to
        return self

    def _real(self, path: str, links: int = 0) -> str | None:
        """Returns the path without links; none if nothing is there."""
        plain = self._plain(path)
        above = self._path.dirname(plain)
        folder = plain if above == plain else self._real(above, links)
        if folder is None or links > _MAX_LINKS:
            return None
        inside = plain if above == plain else self._path.join(folder, self._path.basename(plain))
        entry = self._entries.get(self._key(inside))
        if entry is None:
            return None
        return entry[0] if entry[2] is None else self._real(entry[2], links + 1)

    def _plain(self, path: str) -> str:
        if not self._path.isabs(path):
            raise bad_option("path", f"must be absolute on this disk, not {path!a:.80}")
        return str(self._path.normpath(path))

    def _key(self, path: str) -> str:
        return str(self._path.normcase(self._plain(path)))


class FakeHost:
    """A machine with a disk and time of its own, on which a server with a policy runs."""

    def __init__(self, policy: str | Policy | None = None, *, disk: FakeDisk | None = None, **host: Any) -> None:
        """
        :param policy: a preset's name or a policy; by default ``recommended``
        :param disk: its disk, which also says which style its paths have; by default an empty one
        :param host: host facts with the names of ``Rootwise(host=...)``, such as ``cwd``, ``env`` and ``arguments``
        """
        self.policy = policy_of(policy)
        self.disk = FakeDisk() if disk is None else disk
        self._facts = {"style": self.disk.style, **given_facts(host)}
        #: The time in milliseconds. It passes only while somebody waits, or where a test changes it.
        self.now = 0

    def connect(
        self,
        roots: Roots = None,
        *,
        delay_ms: int = 0,
        http: bool = False,
        name: str = "test",
        protocol_version: str = "2025-11-25",
        modern: bool = False,
        capabilities: Mapping[str, Any] | None = None,
        form: Form = None,
        meta: Mapping[str, Any] | None = None,
    ) -> FakeClient:
        """Connects a client.

        :param roots: what it does when it is asked for its roots
        :param delay_ms: how late it answers
        :param http: whether it is on another machine and reaches the server over HTTP, and not over stdio
        :param name: its name for itself
        :param protocol_version: the revision in its ``initialize``
        :param modern: whether it speaks 2026-07-28: it sends no ``initialize``, and makes a call again that asks it
        :param capabilities: what it declares; by default ``roots``, if it has any, and ``elicitation``, with a ``form``
        :param form: what it does when it is shown a form
        :param meta: what its calls carry in ``_meta``
        """
        facts: Any = {**self._facts, "transport": "http" if http else "stdio"}
        if capabilities is None:
            capabilities = {} if roots is None else {"roots": {"listChanged": True}}
            capabilities = capabilities if form is None else {**capabilities, "elicitation": {}}
        introduction = {
            "protocolVersion": protocol_version,
            "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"},
        }
        client = FakeClient(self, Resolver(self.policy, host=facts), roots, delay_ms, introduction, modern)
        client.form, client.meta = form, {**client.meta, **(meta or {})}
        return client


class FakeClient:
    """A client, and its server's view of it. Every method returns at once; the time of the host says what it cost."""

    def __init__(
        self,
        host: FakeHost,
        resolver: Resolver,
        roots: Roots,
        delay_ms: int,
        introduction: Mapping[str, Any],
        modern: bool,
    ) -> None:
        #: What it does when it is asked.
        self.roots = roots
        self.form: Form = None
        self.delay_ms = delay_ms
        #: What its calls carry in ``_meta``.
        self.meta: Mapping[str, Any] = {}
        #: How often it was asked for its roots.
        self.asked = 0
        self._host, self._resolver = host, resolver
        self._asks = itertools.count(1)
        #: What the client will have sent, and when.
        self._sent: list[tuple[int, Any]] = []
        if modern:
            self.meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": introduction["clientInfo"],
                "io.modelcontextprotocol/clientCapabilities": introduction["capabilities"],
            }
        else:
            self._play({"type": "clientInitialized", **introduction})
            self._play({"type": "clientReady"})

    def project(self, *, target: str | None = None, **facts: Any) -> AnyProject:
        """Returns the project of a call.

        :param target: a path that the call touches
        :param facts: what the call says: ``argument``, ``headers``, ``query``, ``meta``, ``server``
        :raises NoProjectError: the call has no project
        """
        more: Any = {} if target is None else {"target": target}
        return _project(self._play({"type": "asked", "facts": facts, **more}))

    def hints(self, **facts: Any) -> list[str]:
        """Returns the hints that a call shows."""
        return list(self._play({"type": "asked", "facts": facts, "hints": True}).get("hints", ()))

    def select(self, value: str) -> AnyProject:
        """Selects the project of the connection, by a path, a URI or the name of a root."""
        return _project(self._play({"type": "selected", "by": {"value": value}}))

    def explain(self, **facts: Any) -> Explanation:
        """Explains the project of a call."""
        answer: Explanation = self._play({"type": "asked", "facts": facts, "explain": True})["explanation"]
        return answer

    def change(self, roots: Roots) -> None:
        """Changes the roots, and tells the server."""
        self.roots = roots
        self._play({"type": "rootsChanged"})

    def close(self) -> None:
        """Frees the resolver."""
        self._resolver.close()

    def _play(self, event: Any) -> Any:
        """Reports an event and performs what follows from it, until an ask has its answer."""
        waits = event["type"] in ("asked", "selected")
        if waits:
            facts = event.get("facts", {})
            meta = {**self.meta, **(facts.get("meta") or {})}
            event |= {"ask": next(self._asks), "facts": {**facts, "meta": meta} if meta else facts}
        self._deliver()
        actions = list(self._handle(event))
        while True:
            for action in actions:
                if action["type"] == "answer" and event.get("ask") in action["asks"]:
                    return self._again(event, action["inputRequests"]) if "inputRequests" in action else action
            if not actions:
                if not waits:
                    return None
                self._wait()
                actions = self._deliver()
                continue
            actions = [follows for action in actions for follows in self._perform(action)]

    def _again(self, event: Any, requests: Mapping[str, Any]) -> Any:
        """Makes a call again with the answers to what its result asked for."""
        responses = {}
        for key, request in requests.items():
            reply = self._reply(request["method"], request.get("params"))
            if reply is None:
                problem = f"the client does not answer {request['method']}, so the call never ends"
                raise ClientError(-32603, problem)
            if isinstance(reply, tuple):
                raise ClientError(*reply)
            responses[key] = reply
        self._host.now += self.delay_ms
        return self._play({**event, "facts": {**event["facts"], "inputResponses": responses}})

    def _perform(self, action: Any) -> list[Any]:
        if action["type"] == "probe":
            paths = [self._host.disk.probed(path) for path in action["paths"]]
            return self._handle({"type": "probed", "probe": action["probe"], "paths": paths})
        if action["type"] == "sendRequest":
            method, request = action["method"], action["request"]
            reply = self._reply(method, action.get("params"))
            if reply is None:
                return []
            event = {"type": "rootsListed" if method == "roots/list" else "userAnswered", "result": reply}
            if isinstance(reply, tuple):
                event = {"type": "requestRefused", "kind": "error", "code": reply[0], "message": reply[1]}
            self._sent.append((self._host.now + self.delay_ms, {**event, "request": request}))
            return self._deliver()
        return []

    def _reply(self, method: str, params: Any) -> Any:
        """Returns a result, code and message of an error, or nothing if the client says nothing."""
        if method == "roots/list":
            self.asked += 1
            does: Any = self.roots
        else:
            does = self.form(params) if callable(self.form) else self.form
        if does == "silent":
            return None
        if does is None or isinstance(does, str):
            return _REFUSALS[does or "refused"]
        return {"roots": [self._entry(root) for root in does]} if method == "roots/list" else dict(does)

    def _entry(self, root: str | Mapping[str, Any]) -> Mapping[str, Any]:
        if not isinstance(root, str):
            return root
        return {"uri": root if "://" in root else path_to_file_uri(root, self._host.disk.style)}

    def _wait(self) -> None:
        """Lets the time pass until something happens."""
        times = [due for due, _ in self._sent]
        if self._resolver.deadline is not None:
            times.append(self._resolver.deadline)
        self._host.now = max(self._host.now, min(times))

    def _deliver(self) -> list[Any]:
        """Reports what has arrived by now, and that a deadline was reached."""
        arrived = [event for due, event in self._sent if due <= self._host.now]
        self._sent = [(due, event) for due, event in self._sent if due > self._host.now]
        actions = [action for event in arrived for action in self._handle(event)]
        deadline = self._resolver.deadline
        if deadline is not None and deadline <= self._host.now:
            actions += self._handle({"type": "deadlineReached"})
        return actions

    def _handle(self, event: Any) -> list[Any]:
        return list(self._resolver.handle(event, self._host.now))


class LikeClient(NamedTuple):
    """What a known client does."""

    #: Its name in the table of clients.
    name: str
    #: Whether it speaks 2026-07-28.
    is_modern: bool
    #: How it starts its servers: for :class:`FakeHost`.
    host: dict[str, Any]
    #: How it speaks with them: for :meth:`FakeHost.connect`.
    client: dict[str, Any]


def client_like(
    name: str,
    *,
    roots: Sequence[str | Mapping[str, Any]] = (),
    style: PathStyle = "posix",
    home: str | None = None,
    conversation: str | None = None,
) -> LikeClient:
    """Behaves like a client of the table of clients, by its name: ``cursor``, ``claude-code``. Where several behaviours
    of a client were seen, it has the one that is hardest to deal with.

    :param roots: the folders that are open in the client
    :param style: how its paths are spelled
    :param home: the home folder of its user
    :param conversation: the id by which its calls name their conversation, if they do
    :raises RootwiseError: there is no such client; the message has the nearest name
    """
    known = simulate_client(name, roots, style, home, conversation)
    client = {
        "name": known["name"],
        "protocol_version": known["protocolVersion"],
        "modern": known["isModern"],
        "capabilities": known["capabilities"],
        "roots": known["roots"],
        "form": known["form"],
        # A server on Rootwise declares what it reads.
        "meta": {**known["meta"], **known.get("metaIfDeclared", {})},
    }
    host = {"cwd": known.get("cwd"), "env": known["env"]}
    return LikeClient(known["client"], known["isModern"], host, client)


def _project(answer: Any) -> AnyProject:
    if answer["outcome"] not in ("resolved", "selected"):
        raise NoProjectError.from_answer(answer)
    found = project_of(answer["project"])
    assert found is not None
    return found
