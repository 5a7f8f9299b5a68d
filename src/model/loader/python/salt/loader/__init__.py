"""Functions of this process, as programs ask for them."""

from __future__ import annotations

from typing import Any

from brine_helper import current


def minion_mods(*args: Any, **kwargs: Any) -> Any:
    return current.host().functions("modules")


def states(*args: Any, **kwargs: Any) -> Any:
    return current.host().functions("states")


def runner(*args: Any, **kwargs: Any) -> Any:
    return current.host().functions("runners")


def utils(*args: Any, **kwargs: Any) -> Any:
    return current.host().utilities()


def grains(*args: Any, **kwargs: Any) -> Any:
    return dict(current.host().grains())


raw_mod = None
