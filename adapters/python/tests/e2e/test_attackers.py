"""Clients that try to leave their project to somebody else."""

from __future__ import annotations

from pathlib import Path

from raw import RawHttp

#: Bytes that no event may have.
TOO_LARGE = "x" * (1 << 20)


def test_a_session_with_a_huge_handshake_leaves_its_project_to_nobody(url: str, folders: list[Path]) -> None:
    """A victim's session may get the memory, and so the address, of an attacker's session that has ended."""
    for _ in range(20):
        with RawHttp(url) as attacker:
            attacker.handshake({"experimental": {"padding": {"text": TOO_LARGE}}})
            attacker.result(attacker.call("known"))
            assert attacker.text(attacker.call("select", value=str(folders[0]))) == (False, str(folders[0]))
        for _ in range(20):
            with RawHttp(url) as victim:
                victim.handshake({})
                assert victim.text(victim.call("known")) == (False, "None")


def test_a_huge_handshake_fails_no_call(url: str, folders: list[Path]) -> None:
    with RawHttp(url) as client:
        client.handshake({"roots": {}, "experimental": {"padding": {"text": TOO_LARGE}}})
        client.headers = {"X-Project-Path": str(folders[0])}
        assert client.text(client.call("where")) == (False, str(folders[0]))
