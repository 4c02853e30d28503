"""Paths that a tool names, checked on disk: inside a project, or inside one of several folders."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from typing import IO, Any, TypeVar

from ._error import RootwiseError
from ._functions import file_inside, is_inside, path_problem, path_style, tool_path
from ._options import bad_option
from ._project import AnyProject
from ._text import is_utf8

T = TypeVar("T")

#: Characters of a text that is examined at all.
_MAX_CHECKED = 1 << 18

#: How often a path is examined that changes meanwhile.
_MAX_LOOKS = 16


def resolve_file(project: AnyProject, file: str | os.PathLike[str]) -> str:
    """Returns the real path of a file or folder inside a project.

    Links are followed, but never out of the project; the end of the path need not exist yet. Use the result and not the
    given path: a link can change between the check and the use. :func:`open_file` opens the file without that gap. It
    blocks as long as the disk does; in an ``async`` handler ``await rootwise.resolve_file(file)`` does not.

    :param file: relative to the project, or an absolute path or ``file:`` URI inside it, also as the client spells it
    :raises RootwiseError: the path is not inside the project, or cannot be examined; the message says which part is
        wrong and where it leads
    """
    return _checked(project, file)[1]


def open_file(
    project: AnyProject,
    file: str | os.PathLike[str],
    mode: str = "r",
    *,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> IO[Any]:
    """Opens a file inside a project, as :func:`resolve_file` finds it; the other arguments are those of :func:`open`.

    On Linux nothing that changes on the disk meanwhile can lead out of the project: every folder on the way is opened
    by its own, and no link is followed. On other Unix systems that holds below the project's folder only. A pipe or a
    device is not opened. On Windows the file is opened by its real path, so that a link may still change between the
    check and the use.

    :raises RootwiseError: the file is not inside the project, or cannot be examined
    :raises OSError: it is inside and cannot be opened: it does not exist, may not be read, or is a pipe or a device
    """
    for _ in range(_MAX_LOOKS):
        fence, real = _checked(project, file)

        def opener(_path: str, flags: int, fence: str = fence, real: str = real) -> int:
            return _open_beneath(fence, real, flags)

        try:
            if _HAS_FOLDERS:
                return open(real, mode, encoding=encoding, errors=errors, newline=newline, opener=opener)
            return open(real, mode, encoding=encoding, errors=errors, newline=newline)
        except OSError as error:
            # A link took the place of a folder or of the file: the next look sees where it leads.
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
    raise refused(problem="changing")


#: Whether the system opens a name inside a folder that is open.
_HAS_FOLDERS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def _open_beneath(fence: str, real: str, flags: int) -> int:
    """Opens a real path below a real folder, one name after the other, through no link."""
    way = getattr(os, "O_PATH", os.O_RDONLY)
    folder = way | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    # To pass through a folder needs no right to read it only where O_PATH is known: there the folders above count too.
    top = fence if way == os.O_RDONLY else os.sep
    # A pipe would make the caller wait for its other end.
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    names = [name for name in os.path.relpath(real, top).split(os.sep) if name != os.curdir]
    at = os.open(top, folder)
    try:
        for name in names[:-1]:
            below = os.open(name, folder, dir_fd=at)
            os.close(at)
            at = below
        opened = os.open(names[-1] if names else os.curdir, flags, 0o666, dir_fd=at)
    finally:
        os.close(at)
    kind = os.fstat(opened).st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
        return opened
    os.close(opened)
    raise OSError(errno.EINVAL, "neither a file nor a folder", real)


def _checked(project: AnyProject, file: str | os.PathLike[str]) -> tuple[str, str]:
    """Returns the real paths of a project and of a file inside it."""
    if not isinstance(project, AnyProject):
        raise bad_option("project", f"must be a project, not {project!a:.80}")
    wanted = file_inside(project, _text_of(file, "file"))
    folder = project.path or ""
    real_folder = _real_path(folder)
    if real_folder is None:
        raise refused(problem="projectMissing", project=folder)
    # A link that was turned since the project was found does not move the project.
    fence = project.real_path or real_folder

    def shown(part: str) -> str:
        return os.path.relpath(part, folder) if is_inside(folder, part) and part != folder else part

    real = _real_of(wanted, shown)
    if is_inside(fence, real):
        return fence, real
    raise _way_out(folder, wanted, fence, real)


def _way_out(folder: str, wanted: str, fence: str, real: str) -> RootwiseError:
    """Names the first part of a path that leads out of the project."""
    rest = os.path.relpath(wanted, folder) if is_inside(folder, wanted) else os.curdir
    names = [name for name in rest.split(os.sep) if name != os.curdir]
    for count in range(len(names) + 1):
        leads_to = _real_path(os.path.join(folder, *names[:count]))
        if leads_to is None:
            break
        if not is_inside(fence, leads_to):
            part = os.sep.join(names[:count]) or folder
            return refused(problem="outsideProject", part=part, leadsTo=leads_to, project=fence)
    return refused(problem="outsideProject", part=wanted, leadsTo=real, project=fence)


def resolve_inside(
    folders: Iterable[str | os.PathLike[str]], path: str | os.PathLike[str], base: str | os.PathLike[str] | None = None
) -> str:
    """Returns the real path that a tool's path names, if it is inside one of the folders.

    Links are followed; the end of the path need not exist yet. Use the result and not the given path: a link can change
    between the check and the use. It blocks as long as the disk does.

    :param folders: absolute paths; those that do not exist allow nothing
    :param path: relative to ``base``, an absolute path or a ``file:`` URI
    :param base: the folder that a relative path starts from; by default the first one
    :raises RootwiseError: the path is outside every folder, or cannot be examined
    """
    allowed = [os.fspath(folder) for folder in folders]
    start = os.fspath(base) if base is not None else allowed[0] if allowed else None
    real = _real_of(tool_path(_text_of(path, "path"), start), str)
    for folder in allowed:
        real_folder = _real_path(folder)
        if real_folder is not None and is_inside(real_folder, real):
            return real
    raise refused(problem="outside", folders=allowed)


def _text_of(path: str | os.PathLike[str], option: str) -> str:
    """Returns a path that is short enough to be examined at all."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise bad_option(option, f"must be a text, not {path!a:.80}")
    if len(text) > _MAX_CHECKED:
        raise refused(problem="tooLong", length=len(text), style=path_style())
    if not is_utf8(text):
        raise refused(problem="notUtf8")
    return text


def refused(**problem: object) -> RootwiseError:
    """Returns the error for what the disk says about a path."""
    told = path_problem(**problem)
    return RootwiseError(told["code"], told["message"])


def _real_of(path: str, shown: Callable[[str], str]) -> str:
    """Returns the real path of a file that may not exist yet: links are followed as far as the path exists.

    The result is what was examined: where a link turned meanwhile, the path is examined again.
    """
    for _ in range(_MAX_LOOKS):
        existing = _existing_part(path)
        real = _real_path(existing)
        if real is None:
            # A link that leads nowhere could lead anywhere by the time it is used.
            target = _target(existing)
            if target is not None:
                raise refused(problem="linkToNowhere", part=shown(existing), leadsTo=_readable(target))
            continue
        rest = path[len(existing) :].strip(os.sep)
        if not rest:
            return real
        if _is_there(os.path.join(real, rest.split(os.sep)[0])):
            continue
        if _is_file(real):
            raise refused(problem="notAFolder", part=shown(existing))
        return os.path.join(real, rest)
    raise refused(problem="changing")


def _existing_part(path: str) -> str:
    """Returns the longest beginning of a path that exists, links included.

    It is found by halving, because a path can have thousands of parts.
    """
    parts = [path]
    while (parent := os.path.dirname(parts[-1])) != parts[-1]:
        parts.append(parent)
    start, end = 0, len(parts) - 1
    while start < end:
        middle = (start + end) // 2
        if _is_there(parts[middle]):
            end = middle
        else:
            start = middle + 1
    return parts[end]


def _is_there(path: str) -> bool:
    return _examined(lambda: os.lstat(path)) is not None


def _is_file(path: str) -> bool:
    entry = _examined(lambda: os.stat(path))
    return entry is not None and not stat.S_ISDIR(entry.st_mode)


def _target(path: str) -> str | None:
    """Returns where a link leads; None if there is none."""
    return _examined(lambda: os.readlink(path) if os.path.islink(path) else None)


def _real_path(path: str) -> str | None:
    def look() -> str:
        # The system says first how many links may be followed: `realpath` follows any number, each deeper on the stack.
        os.stat(path)
        return os.path.realpath(path, strict=True)

    real = _examined(look)
    if real is not None and not is_utf8(real):
        raise refused(problem="notUtf8")
    return real


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _examined(look: Callable[[], T]) -> T | None:
    """Returns what a disk check found; nothing if nothing is there."""
    try:
        return look()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise refused(problem="unreadable", error=errno.errorcode.get(error.errno or 0, "EIO")) from error
