"""Opens and closes 20,000 resolvers and fails if memory grows: `soak.py native|wasm [count]`."""

from __future__ import annotations

import sys
import time
from typing import Any

from rootwise import Resolver
from rootwise._backend import load

#: Kilobytes that 15,000 resolvers may add; one that is lost costs more than a kilobyte.
SLACK = 4000


def resident() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def one(backend: Any) -> None:
    resolver = Resolver(host={"style": "posix"}, _backend=backend)
    resolver.handle({"type": "clientInitialized", "capabilities": {"roots": {}}}, 0)
    resolver.handle({"type": "clientReady"}, 0)
    resolver.handle({"type": "asked", "ask": 1}, 0)
    resolver.handle({"type": "rootsListed", "request": 1, "result": {"roots": [{"uri": "file:///p/one"}]}}, 1)
    resolver.handle({"type": "probed", "probe": 1, "paths": [{"path": "/p/one", "found": "directory"}]}, 2)
    assert resolver.project is not None
    resolver.close()


def main() -> None:
    name, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    backend = load(name)
    began = time.perf_counter()
    for _ in range(count // 4):
        one(backend)
    before = resident()
    for _ in range(count - count // 4):
        one(backend)
    after = resident()
    took = time.perf_counter() - began
    print(f"{name}: {count} resolvers in {took:.1f} s, {before} kB after a quarter of them, {after} kB at the end")
    if after - before > SLACK:
        raise SystemExit(f"{name}: memory grew by {after - before} kB")


if __name__ == "__main__":
    main()
