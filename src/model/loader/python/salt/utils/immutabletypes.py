"""Values that cannot change."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence, Set
from typing import Any, Iterator


class _Immutable:
    """What the kinds have in common."""

    def __init__(self, obj: Any) -> None:
        self._obj = obj

    def __len__(self) -> int:
        return len(self._obj)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._obj)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._obj!r}>"

    def __deepcopy__(self, memo: Any) -> Any:
        return copy.deepcopy(self._obj)

    def copy(self) -> Any:
        return copy.deepcopy(self._obj)


class ImmutableDict(_Immutable, Mapping):
    """A dictionary that cannot change."""

    def __getitem__(self, key: Any) -> Any:
        return freeze(self._obj[key])


class ImmutableList(_Immutable, Sequence):
    """A list that cannot change."""

    def __getitem__(self, index: Any) -> Any:
        return freeze(self._obj[index])

    def __iter__(self) -> Iterator[Any]:
        return map(freeze, self._obj)

    def __add__(self, other: Any) -> Any:
        return freeze(list(self._obj) + list(other))


class ImmutableSet(_Immutable, Set):
    """A set that cannot change."""

    def __contains__(self, value: Any) -> bool:
        return value in self._obj


def freeze(obj: Any) -> Any:
    if isinstance(obj, dict):
        return ImmutableDict(obj)
    if isinstance(obj, list):
        return ImmutableList(obj)
    if isinstance(obj, set):
        return ImmutableSet(obj)
    return obj
