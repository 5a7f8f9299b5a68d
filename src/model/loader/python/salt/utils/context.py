"""Names of modules for a while."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator


@contextlib.contextmanager
def func_globals_inject(func: Any, **overrides: Any) -> Iterator[None]:
    scope = func.__globals__
    before = {name: scope[name] for name in overrides if name in scope}
    scope.update(overrides)
    try:
        yield
    finally:
        for name in overrides:
            if name in before:
                scope[name] = before[name]
            else:
                del scope[name]
