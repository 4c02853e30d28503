"""Children of `fork` work, on both backends, whatever the threads of their parent were doing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILDREN = 30

SCRIPT = f"""
import os, sys, threading, time, warnings
warnings.simplefilter("ignore")
import rootwise
from rootwise import Resolver, is_inside

HOST = {{"style": "posix", "env": {{}}}}

def use():
    with Resolver(host=HOST) as resolver:
        resolver.handle({{"type": "clientInitialized", "capabilities": {{"roots": {{}}}}}}, now=0)
        resolver.handle({{"type": "clientReady"}}, now=0)
        assert resolver.handle({{"type": "asked", "ask": 1}}, now=1)[0]["type"] == "sendRequest"
        assert is_inside("/a", "/a/b", "posix")

inherited = Resolver(host=HOST)
if sys.argv[1] == "used":
    use()
    stop = threading.Event()
    threads = [threading.Thread(target=lambda: [use() for _ in iter(stop.is_set, True)]) for _ in range(3)]
    for thread in threads:
        thread.start()
children = []
for _ in range({CHILDREN}):
    child = os.fork()
    if child == 0:
        use()
        inherited.handle({{"type": "clientReady"}}, now=0)
        os._exit(0)
    children.append(child)
left, deadline = set(children), time.monotonic() + 60
while left and time.monotonic() < deadline:
    for child in list(left):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, status
            left.discard(child)
    time.sleep(0.01)
for child in left:
    os.kill(child, 9)
if sys.argv[1] == "used":
    stop.set()
    for thread in threads:
        thread.join()
    use()
print(rootwise.backend(), len(left), "children hang")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("cache", ["", "off"], ids=["cached", "compiled"])
@pytest.mark.parametrize("parent", ["used", "loaded"])
@pytest.mark.parametrize("backend_name", ["native", "wasm"])
def test_no_child_hangs(backend_name: str, parent: str, cache: str) -> None:
    if backend_name == "native" and cache:
        pytest.skip("the extension needs no cache")
    environment = {**os.environ, "ROOTWISE_BACKEND": backend_name, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    if cache:
        environment["ROOTWISE_CACHE"] = cache
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, parent], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{backend_name} 0 children hang\n"
