"""The policies that the package contains; read on first use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from ._error import RootwiseError
from ._text import packaged

if TYPE_CHECKING:
    from .types import Policy


class Presets(Mapping[str, "Policy"]):
    """The presets by name. Every access returns a new copy, so that you can change it."""

    def __init__(self) -> None:
        self._text = ""

    def __getitem__(self, name: str) -> Policy:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Policy]:
        if not self._text:
            self._text = packaged("presets.json").decode()
        return cast("dict[str, Policy]", json.loads(self._text))


presets = Presets()


def policy_with_path(policy: str | Policy | None, require_path: bool | None) -> Policy:
    """Returns the policy that the options mean, so that the type of a project's path is true.

    :raises RootwiseError: the policy accepts projects without a folder, and the caller did not say that it knows
    """
    chosen = policy_of(policy)
    if require_path is not None:
        return {**chosen, "requirePath": require_path}
    if chosen.get("requirePath") is False:
        message = (
            "bad options at require_path: this policy accepts projects without a folder on this machine; pass "
            "require_path=False, and `path` may be None, or require_path=True to refuse such projects"
        )
        raise RootwiseError("bad_options", message)
    return chosen


def policy_of(policy: str | Policy | None) -> Policy:
    """Returns the policy that an option names.

    :raises RootwiseError: the option names an unknown preset, or is not a policy
    """
    if policy is None or isinstance(policy, str):
        name = "recommended" if policy is None else policy
        if name not in presets:
            known = ", ".join(presets)
            raise RootwiseError(
                "bad_options", f"bad options at policy: unknown preset {name!r}; the presets are {known}"
            )
        return presets[name]
    given: Any = policy
    if not isinstance(given, dict):
        raise RootwiseError("bad_options", "bad options at policy: must be a preset's name or a policy")
    return policy
