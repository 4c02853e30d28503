"""Measures a fresh process: import, first project, and a known answer per event. Prints; asserts nothing about time."""

import time

began = time.perf_counter(), time.process_time()
import rootwise  # noqa: E402

imported = time.perf_counter()
with rootwise.Resolver(host={"style": "posix"}) as resolver:
    resolver.handle({"type": "clientInitialized", "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}, 0)
    resolver.handle({"type": "clientReady"}, 0)
    resolver.handle({"type": "asked", "ask": 1}, 0)
    resolver.handle({"type": "rootsListed", "request": 1, "result": {"roots": [{"uri": "file:///p/one"}]}}, 1)
    resolver.handle({"type": "probed", "probe": 1, "paths": [{"path": "/p/one", "found": "directory"}]}, 2)
    assert resolver.project is not None
    assert resolver.project.path == "/p/one"
    first = time.perf_counter(), time.process_time()
    COUNT = 5000
    for number in range(COUNT):
        resolver.handle({"type": "asked", "ask": number}, 3 + number)
    done = time.perf_counter(), time.process_time()
wall, busy = ((first[clock] - began[clock]) * 1e3 for clock in (0, 1))
per_wall, per_busy = ((done[clock] - first[clock]) / COUNT * 1e6 for clock in (0, 1))
print(
    f"{rootwise.backend()}: import {(imported - began[0]) * 1e3:.1f} ms, "
    f"import and first project {wall:.1f} ms ({busy:.1f} ms of processor), "
    f"{per_wall:.1f} µs per event ({per_busy:.1f} µs of processor)"
)
