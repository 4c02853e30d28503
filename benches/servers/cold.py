"""`python cold.py sdk|rootwise`: as cold.mjs, and one event with a known answer.

The environment decides which SDK and which backend.
"""

import json
import sys
import time

EVENTS = 1000
event = 0.0
began = time.perf_counter(), time.process_time()
if sys.argv[1] == "sdk":
    try:
        import mcp.server.mcpserver
    except ImportError:
        import mcp.server.fastmcp  # noqa: F401
else:
    import rootwise

    with rootwise.Resolver(host={"style": "posix"}) as resolver:
        resolver.handle(
            {"type": "clientInitialized", "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}, 0
        )
        resolver.handle({"type": "clientReady"}, 0)
        resolver.handle({"type": "asked", "ask": 1}, 0)
        resolver.handle({"type": "rootsListed", "request": 1, "result": {"roots": [{"uri": "file:///p/one"}]}}, 1)
        resolver.handle({"type": "probed", "probe": 1, "paths": [{"path": "/p/one", "found": "directory"}]}, 2)
        assert resolver.project is not None
        ended = time.perf_counter(), time.process_time()
        for number in range(EVENTS):
            resolver.handle({"type": "asked", "ask": number}, 3 + number)
        event = (time.process_time() - ended[1]) / EVENTS * 1e6
if sys.argv[1] == "sdk":
    ended = time.perf_counter(), time.process_time()
print(json.dumps({"time": (ended[0] - began[0]) * 1e6, "computed": (ended[1] - began[1]) * 1e6, "event": event}))
