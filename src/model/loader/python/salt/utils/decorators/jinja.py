"""Functions that templates may use: Brine finds them by these decorators in the text of a module."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Dict, Optional


class _Marked:
    """Notes a function under the name that templates use."""

    def __init__(self, name: Optional[str] = None) -> None:
        self.name = name

    def _known(self) -> Dict[str, Callable[..., Any]]:
        raise NotImplementedError

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        self._known().setdefault(self.name or function.__name__, function)
        return function


class JinjaFilter(_Marked):
    salt_jinja_filters: ClassVar[Dict[str, Callable[..., Any]]] = {}

    def _known(self) -> Dict[str, Callable[..., Any]]:
        return self.salt_jinja_filters


class JinjaTest(_Marked):
    salt_jinja_tests: ClassVar[Dict[str, Callable[..., Any]]] = {}

    def _known(self) -> Dict[str, Callable[..., Any]]:
        return self.salt_jinja_tests


class JinjaGlobal(_Marked):
    salt_jinja_globals: ClassVar[Dict[str, Callable[..., Any]]] = {}

    def _known(self) -> Dict[str, Callable[..., Any]]:
        return self.salt_jinja_globals


jinja_filter = JinjaFilter
jinja_test = JinjaTest
jinja_global = JinjaGlobal
