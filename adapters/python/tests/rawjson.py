"""JSON as text: parts of it as they are written, because reading and writing again would change what is compared."""

from __future__ import annotations

import re

_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+', re.S)
_KEY = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*:\s*')
_DEPTH = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|,', re.S)


def compact(text: str) -> str:
    """Leaves out the blanks between parts."""
    return _BLANKS.sub(lambda match: match[1] or "", text)


def _end(text: str, start: int) -> int:
    """Where the part that starts there ends."""
    depth = 0
    for match in _DEPTH.finditer(text, start):
        mark = match[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}" or (mark == "," and depth == 0):
            if depth == 0:
                return match.start()
            depth -= mark != ","
    return len(text)


def members(text: str) -> dict[str, str]:
    """The members of an object, each as it is written."""
    found, at = {}, text.index("{") + 1
    while match := _KEY.match(text, at):
        end = _end(text, match.end())
        found[match[1]] = text[match.end() : end].strip()
        at = end + 1
    return found


def elements(text: str) -> list[str]:
    """The elements of an array, each as it is written."""
    found, at = [], text.index("[") + 1
    while text[at:].lstrip()[:1] not in ("]", ""):
        end = _end(text, at)
        found.append(text[at:end].strip())
        at = end + 1
        if text[end] == "]":
            break
    return found
