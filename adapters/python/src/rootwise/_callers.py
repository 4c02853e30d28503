"""Who makes a call and which folders are theirs, where functions of the server tell it: once for each call."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ._call import Call
from ._error import NoProjectError, RootwiseError
from ._facts import absolute_dirs
from ._options import bad_option
from ._text import is_utf8, shown

#: Folders that projects must be in.
Folders = Sequence[str | os.PathLike[str]]
#: Tells the folders of one caller.
CallersFolders = Callable[[Any], Folders | Awaitable[Folders]]
#: Tells who makes a call, as the server has authenticated it.
CallersName = Callable[[Any], str | Awaitable[str | None] | None]


class Callers:
    """What the functions of a server say about its callers."""

    def __init__(
        self, folders_of: CallersFolders | None, name_of: CallersName | None, error: type[NoProjectError]
    ) -> None:
        if name_of is not None and not callable(name_of):
            raise bad_option("caller", "must be callable")
        self._folders_of = folders_of
        self._name_of = name_of
        self._error = error

    @property
    def confined(self) -> bool:
        """Whether a function tells the folders of each caller."""
        return self._folders_of is not None

    def knows(self, call: Call) -> bool:
        """Tells whether the functions have been asked about a call."""
        if self.confined and "allowedDirs" not in call.parts:
            return False
        return call.identified or not self._names(call)

    def _names(self, call: Call) -> bool:
        """Tells whether it matters who makes a call: over HTTP, without a session of its own."""
        return self._name_of is not None and call.session is None and call.http is not None

    async def identify(self, call: Call) -> None:
        """Asks the functions about a call.

        :raises RootwiseError: a function returned something else
        :raises NoProjectError: a function failed
        """
        if self._folders_of is not None and "allowedDirs" not in call.parts:
            folders: Any = await self._told("foldersUnknown", self._folders_of, call)
            if isinstance(folders, (str, bytes)) or not isinstance(folders, Sequence):
                raise RootwiseError(
                    "bad_options", "bad options at allowed_dirs: the function must return a list of folders"
                )
            call.parts["allowedDirs"] = absolute_dirs(folders)
        if self._name_of is not None and not call.identified and self._names(call):
            name: Any = await self._told("callerUnknown", self._name_of, call)
            # Callers without a name must not share what one of them selects.
            if name is not None and (not isinstance(name, str) or not name or not is_utf8(name)):
                problem = "the function must return a text that is not empty, or None for a caller it does not know"
                raise bad_option("caller", problem)
            if name is not None:
                call.parts["caller"] = name
            call.identified = True

    async def _told(self, problem: str, function: Callable[[Any], Any], call: Call) -> Any:
        try:
            given = function(call.http)
            return await given if inspect.isawaitable(given) else given
        except NoProjectError:
            raise
        except Exception as error:
            raise self._error.of_host(problem, error=shown(str(error))) from error
