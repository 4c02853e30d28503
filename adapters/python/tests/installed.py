"""Plays one session on the installed package, and prints the backend that it runs."""

import rootwise

with rootwise.Resolver(host={"style": "posix"}) as resolver:
    resolver.handle({"type": "clientInitialized", "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}, 0)
    resolver.handle({"type": "clientReady"}, 0)
    resolver.handle({"type": "asked", "ask": 1}, 0)
    resolver.handle({"type": "rootsListed", "request": 1, "result": {"roots": [{"uri": "file:///p/one"}]}}, 1)
    resolver.handle({"type": "probed", "probe": 1, "paths": [{"path": "/p/one", "found": "directory"}]}, 2)
    assert resolver.project is not None
    assert resolver.project.path == "/p/one"
print(rootwise.backend())
