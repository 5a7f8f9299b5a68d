"""Functions under other names."""

from __future__ import annotations

import types
from typing import Any, Callable


def namespaced_function(function: Any, global_dict: Any, defaults: Any = None, preserve_context: Any = None) -> Any:
    """The same function in another module."""
    made = types.FunctionType(
        function.__code__,
        global_dict,
        name=function.__name__,
        argdefs=defaults or function.__defaults__,
        closure=function.__closure__,
    )
    made.__dict__.update(function.__dict__)
    return made


def alias_function(fun: Callable[..., Any], name: str, doc: Any = None) -> Callable[..., Any]:
    """The same function under another name."""
    made = types.FunctionType(fun.__code__, fun.__globals__, name, fun.__defaults__, fun.__closure__)
    made.__dict__.update(fun.__dict__)
    made.__kwdefaults__ = fun.__kwdefaults__
    made.__doc__ = doc if isinstance(doc, str) else f"\nThis function is an alias of ``{fun.__name__}``.\n{fun.__doc__ or ''}"
    return made
