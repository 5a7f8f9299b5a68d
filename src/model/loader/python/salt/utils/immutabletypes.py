"""Values that cannot change."""

from types import MappingProxyType
from typing import Any


def freeze(obj: Any) -> Any:
    if isinstance(obj, dict):
        return MappingProxyType({key: freeze(value) for key, value in obj.items()})
    if isinstance(obj, list):
        return tuple(freeze(value) for value in obj)
    if isinstance(obj, set):
        return frozenset(obj)
    return obj
