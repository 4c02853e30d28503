"""Converts values to JSON text within bounds."""

from __future__ import annotations

import json
import os
from typing import Any

from ._error import RootwiseError

#: Bytes of options, an event or a snapshot; far above anything real, because memory of WebAssembly never shrinks.
MOST = 16 << 20

#: Bytes of the arguments of a function.
MOST_ARGUMENTS = 2 << 20

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
