"""The errors of the package, each with a stable code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rootwise

if TYPE_CHECKING:
    from typing_extensions import Self


class RootwiseError(Exception):
    """Raised for misuse, bad options and refused URIs or paths; never for the behaviour of a peer, which is data.

    ``code`` is stable; messages may be reworded.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: The stable code.
        self.code = code

    def __reduce__(self) -> tuple[type[RootwiseError], tuple[str | None, ...]]:
        return type(self), (self.code, str(self))


class NoProjectError(RootwiseError):
    """A call has no project. The text says why and what to do, for a person or a model."""

    #: The HTTP status that the policy assigns to the error, where the refused value came with the request.
    status: int | None = None
    #: The source whose value was refused.
    source: str | None = None
    #: The result of every source.
    explanation: rootwise.types.Explanation | None = None

    def __init__(self, code: str, message: str, instruction: str | None = None) -> None:
        super().__init__(code, f"{message}\n{instruction}" if instruction else message)
        #: The reason, without the instruction.
        self.message = message
        #: The next step for the reader.
        self.instruction = instruction

    def __reduce__(self) -> tuple[type[NoProjectError], tuple[str | None, ...]]:
        return type(self), (self.code, self.message, self.instruction)

    @classmethod
    def of_host(cls, problem: str, **found: object) -> Self:
        """Builds the error for what went wrong in this host."""
        told = rootwise._functions.host_problem(problem, **found)
        return cls(told["code"], told["message"], told.get("instruction"))

    @classmethod
    def from_answer(cls, answer: Any) -> NoProjectError:
        """Builds the error for an answer without a project."""
        error = cls(answer["code"], answer["message"], answer.get("instruction"))
        error.status = answer.get("status")
        error.source = answer.get("source")
        error.explanation = answer.get("explanation")
        return error


def parse_reply(text: str) -> dict[str, Any]:
    """Parses a backend's reply and raises the error that it reports."""
    reply: dict[str, Any] = json.loads(text)
    if "error" in reply:
        raise RootwiseError(reply["error"]["code"], reply["error"]["message"])
    return reply
