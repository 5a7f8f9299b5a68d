"""Functions that need programs."""

from __future__ import annotations

import functools
from typing import Any, Callable

import salt.utils.path
from salt.exceptions import CommandNotFoundError


def _needs(found: Callable[[], Any], text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if found() is None:
                raise CommandNotFoundError(text)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def which(exe: str) -> Any:
    return _needs(lambda: salt.utils.path.which(exe), f"The '{exe}' binary was not found in $PATH.")


def which_bin(exes: Any) -> Any:
    return _needs(lambda: salt.utils.path.which_bin(exes), f"None of provided binaries({exes}) was found in $PATH.")
