"""Makes servers quickly: imports one once, and forks it whenever a test wants a fresh process.

Importing a framework takes seconds of processor time, and every connection over stdio is a process of its own. Whoever
wants a server sends its options and its three streams over a Unix socket and gets the process id back; the socket
stays open as long as the server lives. `nursery.py PATH` is the nursery, and `nursery.py PATH OPTION...` a program that
a real client can start: it lends its own streams to a new server and ends with it.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path


def order(path: str, options: list[str], streams: list[int]) -> tuple[socket.socket, int]:
    """Orders a server; returns the connection that ends with it, and its process id."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    # A message of nothing would carry no streams.
    socket.send_fds(connection, [" ".join(["server", *options]).encode()], streams)
    return connection, int(connection.recv(32))


def nursery(path: str) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    import server
    import uvicorn  # noqa: F401

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        order_text, streams, _, _ = socket.recv_fds(connection, 4096, 3)
        child = os.fork()
        if child == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            try:
                server.serve(*order_text.decode().split()[1:])
                os._exit(0)
            except BaseException:
                import traceback

                traceback.print_exc()
                os._exit(1)
        for stream in streams:
            os.close(stream)
        connection.sendall(str(child).encode())
        connection.close()


if __name__ == "__main__":
    place, *rest = sys.argv[1:]
    if rest:
        order(place, rest, [0, 1, 2])[0].recv(1)
    else:
        nursery(place)
