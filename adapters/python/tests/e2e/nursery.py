"""Makes servers quickly: imports one once, and forks it whenever a test wants a fresh process.

Importing a framework takes seconds of processor time, and every connection over stdio is a process of its own. A test
sends the three streams of its server over a Unix socket and gets the process id back.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path


def main(path: str) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    import server

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        environment, streams, _, _ = socket.recv_fds(connection, 4096, 3)
        if not environment:
            return
        child = os.fork()
        if child == 0:
            listener.close()
            connection.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            os.environ.update(line.split("=", 1) for line in environment.decode().split())
            try:
                server.serve()
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
    main(sys.argv[1])
