"""Two users of one server, each confined to folders of their own."""

from __future__ import annotations

from pathlib import Path

from conftest import listening
from raw import RawHttp


def said(client: RawHttp, user: str, tool: str, **arguments: str) -> str:
    client.headers = {"X-User": user}
    failed, text = client.text(client.call(tool, **arguments))
    return f"failed: {text}" if failed else text


def test_a_caller_names_and_selects_folders_of_its_own_only(nursery: str, folders: list[Path], tmp_path: Path) -> None:
    one, two = map(str, folders)
    with listening(nursery, "--remote", f"--callers={tmp_path}") as url, RawHttp(url) as client:
        client.handshake({})
        assert said(client, "one", "where_awaited", path=one) == one
        assert "outside the allowed folders" in said(client, "one", "where_awaited", path=two)
        assert "outside the allowed folders" in said(client, "one", "select", value=two)
        assert one in said(client, "one", "select", value=one)
        assert said(client, "one", "where") == one
        # The same session, and another user of it.
        assert said(client, "two", "where").startswith("failed: ")
        assert "outside the allowed folders" in said(client, "two", "where_awaited", path=one)
        assert said(client, "two", "where_awaited", path=two) == two
        assert said(client, "one", "where") == one


def test_a_function_that_returns_no_folders_allows_nothing(nursery: str, folders: list[Path], tmp_path: Path) -> None:
    one = str(folders[0])
    with listening(nursery, "--remote", f"--callers={tmp_path}") as url, RawHttp(url) as client:
        client.handshake({})
        assert one not in said(client, "junk", "where_awaited", path=one)
        assert one not in said(client, "relative", "where_awaited", path=one)
        assert "outside the allowed folders" in said(client, "nobody", "where_awaited", path=one)
        assert said(client, "one", "where_awaited", path=one) == one
