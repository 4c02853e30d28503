"""Makes servers quickly: imports what one needs once, and forks whenever a test wants a fresh process.

Importing a framework takes seconds of processor time, and every connection over stdio is a process of its own. Whoever
wants a server sends its options and its three streams over a Unix socket and gets the process id back; the socket
stays open as long as the server lives. `nursery.py PATH --of FILE` is the nursery of the servers in a file, which runs
again for each of them; with `--of FILE FUNCTION`, the server is made once, and each process calls the function with its
options. `nursery.py PATH OPTION...` is a program that a real client can start: it lends its streams, its environment
and its folder to a new server and ends with it.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

#: Bytes of an order: options and a small environment.
MOST = 65_536


def order(
    path: str,
    options: list[str],
    streams: list[int],
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
) -> tuple[socket.socket, int]:
    """Orders a server; returns the connection that ends with it, and its process id.

    It has the environment of the nursery, with these changes, and its folder if none is given.
    """
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    message = {"options": options, "environment": environment and dict(environment), "folder": folder}
    socket.send_fds(connection, [json.dumps(message).encode()], streams)
    return connection, int(connection.recv(32))


def nursery(path: str, file: str, function: str | None = None) -> None:
    """Serves orders. In the process of a new server, returns as soon as the server has ended."""
    # As for a script that is started by its name.
    sys.path[0] = str(Path(file).parent)
    sys.argv = [file]
    made = runpy.run_path(file, run_name="nursery")
    import uvicorn  # noqa: F401

    # What is here already is no garbage: a new server need not look through it, not even when it ends.
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        message, streams, _, _ = socket.recv_fds(connection, MOST, 3)
        child = os.fork()
        if child == 0:
            listener.close()
            return serve(file, function and made[function], streams, **json.loads(message))
        for stream in streams:
            os.close(stream)
        connection.sendall(str(child).encode())
        connection.close()


def serve(
    file: str,
    function: Callable[..., None] | None,
    streams: list[int],
    options: list[str],
    environment: dict[str, str] | None,
    folder: str | None,
) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.update(environment or {})
    if folder is not None:
        os.chdir(folder)
    sys.argv = [file, *options]
    if function:
        function(*options)
    else:
        runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":
    place, *rest = sys.argv[1:]
    if rest[:1] == ["--of"]:
        nursery(place, *rest[1:])
    else:
        order(place, rest, [0, 1, 2], os.environ, str(Path.cwd()))[0].recv(1)
