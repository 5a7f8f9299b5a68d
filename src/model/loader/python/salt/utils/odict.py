"""Ordered maps."""

from collections import OrderedDict, defaultdict
from typing import Any


class DefaultOrderedDict(OrderedDict):
    """An ordered map that makes what is missing."""

    def __init__(self, default_factory: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory

    def __missing__(self, key: Any) -> Any:
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = value = self.default_factory()
        return value


__all__ = ["OrderedDict", "DefaultOrderedDict", "defaultdict"]
