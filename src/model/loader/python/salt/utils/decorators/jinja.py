"""Functions that templates may use. Templates of Brine have their own."""

from __future__ import annotations

from typing import Any, Callable, Optional


def _named(name: Optional[str] = None) -> Callable[[Any], Any]:
    return lambda function: function


jinja_filter = jinja_test = jinja_global = _named


class JinjaFilter:
    salt_jinja_filters: dict = {}


class JinjaTest:
    salt_jinja_tests: dict = {}


class JinjaGlobal:
    salt_jinja_globals: dict = {}
