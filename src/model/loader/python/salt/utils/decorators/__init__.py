"""Decorators of functions of modules."""

from __future__ import annotations

import functools
import logging
import subprocess
import sys
import time
from typing import Any, Callable, Dict, List, Tuple

log = logging.getLogger(__name__)


class Depends:
    """A function that is there only if names or commands are."""

    #: Of each module: functions, what they depend on, and what stands in for them.
    _known: Dict[str, List[Tuple[Callable[..., Any], Tuple[Any, ...], Dict[str, Any], Any]]] = {}

    def __init__(self, *dependencies: Any, **kwargs: Any) -> None:
        self.dependencies = dependencies
        self.params = kwargs
        self.frame = sys._getframe(1)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        self._known.setdefault(function.__module__, []).append(
            (function, self.dependencies, self.params, self.frame)
        )
        return function

    @staticmethod
    def _is_met(dependency: Any, params: Dict[str, Any], scope: Dict[str, Any]) -> bool:
        if dependency is True or dependency is False:
            return bool(dependency)
        if isinstance(dependency, str) and dependency in scope:
            return scope[dependency] is not False
        if isinstance(dependency, str) and "retcode" in params:
            try:
                done = subprocess.run(dependency, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            except OSError:
                return False
            return bool(done.returncode == params["retcode"])
        # As in Salt, nothing else is asked.
        return False

    @classmethod
    def without_absent(cls, module: Any, found: Dict[str, Callable[..., Any]]) -> Dict[str, Callable[..., Any]]:
        kept = dict(found)
        for function, dependencies, params, frame in cls._known.pop(module.__name__, []):
            scope = {**module.__dict__, **frame.f_locals}
            if all(cls._is_met(dependency, params, scope) for dependency in dependencies):
                continue
            other = params.get("fallback_function")
            for name, body in list(kept.items()):
                if body is not function:
                    continue
                if other is None:
                    del kept[name]
                else:
                    kept[name] = other
        return kept


depends = Depends


def timing(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        start = time.time()
        value = function(*args, **kwargs)
        log.log(15, "Function %s took %.20f seconds to execute", function.__name__, time.time() - start)
        return value

    return wrapped


def memoize(func: Callable[..., Any]) -> Callable[..., Any]:
    """Remembers what a function gave for its arguments."""
    cache: Dict[Any, Any] = {}

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        key = repr((args, sorted(kwargs.items())))
        if key not in cache:
            cache[key] = func(*args, **kwargs)
        return cache[key]

    return wrapped


class is_deprecated:
    """Warns that a function will go away."""

    def __init__(self, globals: Any, version: str, with_successor: Any = None) -> None:
        self._version = version
        self._successor = with_successor

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            text = f'The function "{function.__name__}" is deprecated and will expire in version "{self._version}".'
            if self._successor:
                text += f' Use successor "{self._successor}" instead.'
            log.warning(text)
            return function(*args, **kwargs)

        return wrapped


class with_deprecated(is_deprecated):
    """A function whose old form is no longer used."""

    def __init__(self, globals: Any, version: str, with_name: Any = None, policy: Any = None) -> None:
        super().__init__(globals, version)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


def ignores_kwargs(*names: str) -> Any:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **{name: value for name, value in kwargs.items() if name not in names})

        return wrapped

    return decorate


def ensure_unicode_args(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def allow_one_of(*names: str) -> Any:
    """At most one of these arguments may be given."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            from salt.exceptions import SaltInvocationError

            given = [name for name in names if kwargs.get(name)]
            if len(given) > 1:
                raise SaltInvocationError(f"The following arguments cannot be used together: {', '.join(given)}")
            return function(*args, **kwargs)

        return wrapped

    return decorate
