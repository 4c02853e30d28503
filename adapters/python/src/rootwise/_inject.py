"""Functions with a parameter that is filled in, and that frameworks do not see."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import anyio.to_thread

from ._error import RootwiseError


def filled_in(
    function: Callable[..., Any], wanted: type[Any], value: Callable[[dict[str, Any]], Awaitable[Any]]
) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Returns the function without its parameter of the type ``wanted``, which gets what ``value`` returns.

    :param value: is called with the other arguments of every call
    :raises RootwiseError: the function has no such parameter
    """
    hints = typing.get_type_hints(function, include_extras=True)
    plain = typing.get_type_hints(function)
    signature = inspect.signature(function)
    found = next((name for name in signature.parameters if plain.get(name) is wanted), None)
    if found is None:
        named = getattr(function, "__name__", "the function")
        raise RootwiseError("bad_options", f"{named} has no parameter annotated with rootwise.{wanted.__name__}")
    parameter = found
    is_async = inspect.iscoroutinefunction(function)

    @functools.wraps(function)
    async def injected(*args: Any, **kwargs: Any) -> Any:
        kwargs[parameter] = await value(kwargs)
        if is_async:
            return await function(*args, **kwargs)
        # To the framework this is a coroutine function, so it runs in the event loop, which a plain function may block.
        result = await anyio.to_thread.run_sync(functools.partial(function, *args, **kwargs))
        return await result if inspect.isawaitable(result) else result

    # Frameworks read parameters from the signature and their types from the annotations.
    rest = [
        one.replace(annotation=hints.get(name, one.annotation))
        for name, one in signature.parameters.items()
        if name != parameter
    ]
    shown: Any = injected
    shown.__signature__ = signature.replace(
        parameters=rest, return_annotation=hints.get("return", signature.return_annotation)
    )
    shown.__annotations__ = {name: hint for name, hint in hints.items() if name != parameter}
    del shown.__wrapped__
    return injected
