"""Converts values to JSON text within bounds."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from ._error import RootwiseError

#: Bytes of options, an event or a snapshot; far above anything real, because memory of WebAssembly never shrinks.
MOST = 16 << 20

#: Bytes of one value of a peer; the core cuts at less.
MAX_VALUE = 4 << 20

#: Bytes of the arguments of a function.
MAX_ARGUMENTS = 2 << 20

#: Characters of a text that a model or a person is shown.
MAX_SHOWN = 1_024

#: What no reader sees: controls, default ignorable code points, which cover the bidirectional ones, noncharacters,
#: surrogates. The core hides the same.
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# Made once: json.dumps with arguments of its own makes an encoder for every call.
_plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_escaped = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def text_of(value: object, code: str, what: str) -> str:
    """Returns JSON text that is valid UTF-8; lone surrogates become escapes."""
    try:
        text = _plain(value)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                return _escaped(value)
        return text
    except (TypeError, ValueError, RecursionError) as problem:
        raise RootwiseError(code, f"{what} cannot be written as JSON") from problem


def readable(value: Any) -> Any:
    """Returns a peer's value, or none in place of one that JSON cannot express or that is far beyond every limit."""
    if isinstance(value, str) and len(value) * 4 <= MAX_VALUE:
        return value
    try:
        return None if exceeds(text_of(value, "bad_event", "the value"), MAX_VALUE) else value
    except RootwiseError:
        return None


def is_utf8(text: str) -> bool:
    """Tells whether a text has a UTF-8 form; a name on disk or a variable of other bytes has none in Python."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(text: str, most: int = MAX_SHOWN) -> str:
    """Returns a text that is safe to show: one bounded line, without control, bidirectional or invisible characters."""
    # Enough of a long text, so that the rest costs nothing.
    words = (_HIDDEN.sub("", word) for word in text[: most * 8].split())
    line = " ".join(word for word in words if word)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def size_of(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def exceeds(text: str, most: int) -> bool:
    """Tells whether a text has more bytes than that."""
    return len(text) > most or (len(text) * 4 > most and size_of(text) > most)


def bounded(text: object, what: str, most: int = MOST) -> str:
    if not isinstance(text, str):
        raise RootwiseError("bad_options", f"{what} is not a string")
    if exceeds(text, most):
        raise RootwiseError("too_large", f"{what} is larger than {most} bytes")
    return text


def packaged(name: str) -> bytes:
    """Reads a file of the package."""
    # The same as `pkgutil.get_data`, without its imports; those of `importlib.resources` would take 20 ms.
    loader: Any = __spec__.loader
    content: bytes = loader.get_data(os.path.join(os.path.dirname(__file__), name))
    return content
