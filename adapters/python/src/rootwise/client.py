"""For those who write clients and gateways: the roots of a client.

::

    client = Client(server)
    roots = provide_roots(client, ["/work/shop"])
    async with client:
        await roots.update(["/work/shop", "/work/api"])
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Union
from weakref import WeakValueDictionary

from ._error import RootwiseError
from ._functions import provided_roots
from ._options import bad_option

__all__ = ["AnyClient", "Folder", "ProvidedRoots", "RootwiseError", "provide_roots"]

#: An absolute path or a ``file:`` URI, alone or as ``{"uri": ..., "name": ...}``.
Folder = Union[str, "os.PathLike[str]", Mapping[str, str]]


class AnyClient(Protocol):
    """A ``ClientSession`` of ``mcp``, a ``Client`` of ``mcp`` 2.x, or a ``Client`` of FastMCP."""

    async def send_roots_list_changed(self) -> None: ...


def provide_roots(client: AnyClient, folders: Iterable[Folder]) -> ProvidedRoots:
    """Gives a client the roots of these folders: it declares the capability, answers requests of both eras, and tells
    its server of changes. Call it before the client connects.

    :param folders: absolute paths or ``file:`` URIs, alone or with a name
    :raises RootwiseError: a folder is not absolute, or the client is connected or has its roots already
    """
    if _provided.get(id(client)) is client:
        raise bad_option("client", "has its roots already; update() them")
    if _session_of(client) is not None:
        raise bad_option("client", "is connected already; provide its roots before it connects")
    roots = ProvidedRoots(client, folders)
    if callable(set_roots := getattr(client, "set_roots", None)):  # FastMCP
        # It takes functions, and no bound methods.
        set_roots(lambda context: roots._answer_list(context))
    elif hasattr(client, "list_roots_callback"):  # Client of mcp 2.x
        client.list_roots_callback = roots._answer
    elif hasattr(client, "_list_roots_callback"):  # ClientSession, which has only an argument of its constructor
        client._list_roots_callback = roots._answer
    else:
        raise bad_option("client", "must be a ClientSession or Client of mcp, or a Client of FastMCP")
    _provided[id(client)] = client
    return roots


#: By id, because some clients have no hash.
_provided: WeakValueDictionary[int, Any] = WeakValueDictionary()


class ProvidedRoots:
    """The roots that a client provides."""

    def __init__(self, client: AnyClient, folders: Iterable[Folder]) -> None:
        """Made by :func:`provide_roots`."""
        self._client = client
        self._list = _listed(folders)
        #: The list that the server knows, or of which it knows that there is a new one.
        self._told = self._list
        #: The connection on which the server asked.
        self._asked_on: Any = None

    @property
    def list(self) -> tuple[Mapping[str, str], ...]:
        """What the client answers now: the list for those who answer a round of 2026-07-28 themselves."""
        return tuple(json.loads(self._list))

    async def update(self, folders: Iterable[Folder]) -> None:
        """Replaces the folders. Returns when the server was told.

        It is told if the list differs from the one that it knows, once for changes that come together, and only up to
        2025-11-25; a client that is not connected tells nobody.

        :raises RootwiseError: a folder is not absolute; nothing has changed
        """
        from anyio.lowlevel import checkpoint

        self._list = _listed(folders)
        # Changes that come together are one.
        await checkpoint()
        if self._list == self._told:
            return
        session = _session_of(self._client) or self._asked_on
        before, self._told = self._told, self._list
        # In 2026-07-28 every call asks for the roots that it needs, and nobody is told of changes.
        if session is None or str(getattr(session, "protocol_version", None) or "") >= "2026-07-28":
            return
        try:
            with warnings.catch_warnings():
                # mcp 2.x warns that roots are deprecated.
                warnings.simplefilter("ignore")
                sending = session.send_roots_list_changed()
            await sending
        except Exception:
            # The transport reports what broke it; the next change tells again.
            self._told = before

    async def _answer(self, context: Any) -> Any:
        from mcp.types import ListRootsResult

        return ListRootsResult(roots=self._answer_list(context))

    def _answer_list(self, context: Any) -> Any:
        from mcp.types import Root

        self._told = self._list
        self._asked_on = getattr(context, "session", None)
        return [Root.model_validate(root) for root in self.list]


def _session_of(client: Any) -> Any:
    """The connection of a client, after its handshake."""
    try:
        session = getattr(client, "session", client)
    except RuntimeError:
        return None
    if session is not client:
        return session
    # A ClientSession is its own connection.
    known = getattr(client, "get_server_capabilities", None)  # 1.x
    capabilities = known() if callable(known) else getattr(client, "server_capabilities", None)
    return None if capabilities is None else client


def _listed(folders: Iterable[Folder]) -> str:
    """The list as text, so that nobody can change it."""
    if isinstance(folders, (str, Mapping, os.PathLike)):
        raise bad_option("folders", "must be a list of folders")
    return json.dumps(provided_roots(folders))
