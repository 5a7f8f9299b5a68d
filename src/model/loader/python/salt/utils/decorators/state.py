"""Decorators of states."""

from typing import Any


class OutputUnifier:
    """Brine unifies what states return by itself."""

    def __init__(self, *policies: str) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        return function
