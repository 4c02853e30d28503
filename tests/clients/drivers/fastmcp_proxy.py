"""FastMCP's proxy over HTTP: fastmcp_proxy.py SERVER PORT."""

import sys

from fastmcp.server import create_proxy

server, port = sys.argv[1:]
proxy = create_proxy({"mcpServers": {"notes": {"command": server, "args": []}}}, name="proxy")
proxy.run(transport="http", host="127.0.0.1", port=int(port), show_banner=False)
