"""Options of the wrong kind, refused with their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from ._error import RootwiseError

if TYPE_CHECKING:
    from .types import SelectBy


def bad_option(name: str, problem: str) -> RootwiseError:
    """Returns the error for an option."""
    return RootwiseError("bad_options", f"bad options at {name}: {problem}")


def no_others(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuses options that do not exist, with the name that is nearest."""
    known = sorted(known)
    for name in given:
        near = get_close_matches(name, known, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"the options are {', '.join(known)}"
        raise bad_option(name, f"there is no such option; {hint}")


def flags(**given: Any) -> None:
    """Refuses values other than true, false and none."""
    for name, value in given.items():
        if value is not None and not isinstance(value, bool):
            raise bad_option(name, f"must be True or False, not {value!a:.80}")


def texts(**given: Any) -> None:
    """Refuses values other than a text and none."""
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise bad_option(name, f"must be a text, not {value!a:.80}")


def mapping(name: str, given: Any) -> Mapping[str, Any]:
    """Returns a mapping with names as keys; none is an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise bad_option(name, f"must be a dict with names as keys, not {given!a:.80}")
    return given


def selection(**ways: str | None) -> SelectBy:
    """Returns the one way in which a project is named.

    :raises RootwiseError: it is named in none, or in several
    """
    given = {way: value for way, value in ways.items() if value is not None}
    if len(given) != 1 or not all(isinstance(value, str) for value in given.values()):
        names = "a value, name=, path=, uri= or root="
        raise RootwiseError("bad_options", f"select takes exactly one of {names}, as a string")
    return cast("SelectBy", given)
