"""Versions."""

from __future__ import annotations

import re
import warnings
from typing import Any, List, Optional


class LooseVersion:
    """A version as a list of numbers and words."""

    def __init__(self, vstring: Optional[str] = None) -> None:
        self.vstring = vstring or ""
        parts = re.findall(r"\d+|[a-z]+", self.vstring)
        self.version: List[Any] = [int(part) if part.isdigit() else part for part in parts]

    def parse(self, vstring: str) -> None:
        self.__init__(vstring)  # type: ignore[misc]

    def _compare(self, other: Any) -> int:
        theirs = (other if isinstance(other, LooseVersion) else LooseVersion(str(other))).version
        for mine, yours in zip(self.version, theirs):
            if type(mine) is not type(yours):
                mine, yours = str(mine), str(yours)
            if mine != yours:
                return -1 if mine < yours else 1
        return (len(self.version) > len(theirs)) - (len(self.version) < len(theirs))

    def __eq__(self, other: Any) -> bool:
        return self._compare(other) == 0

    def __lt__(self, other: Any) -> bool:
        return self._compare(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._compare(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._compare(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._compare(other) >= 0

    def __hash__(self) -> int:
        return hash(self.vstring)

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"LooseVersion ('{self.vstring}')"


Version = StrictVersion = LooseVersion


def version_cmp(pkg1: str, pkg2: str, ignore_epoch: bool = False) -> Optional[int]:
    first, second = (str(one).split(":", 1)[-1] if ignore_epoch else str(one) for one in (pkg1, pkg2))
    try:
        return LooseVersion(first)._compare(LooseVersion(second))
    except TypeError:
        return None


def compare(ver1: str = "", oper: str = "==", ver2: str = "", cmp_func: Any = None, ignore_epoch: bool = False) -> bool:
    order = (cmp_func or version_cmp)(ver1, ver2)
    if order is None:
        return oper == "!="
    return {
        "<": order < 0,
        "<=": order <= 0,
        "==": order == 0,
        ">=": order >= 0,
        ">": order > 0,
        "!=": order != 0,
    }[oper]


def warn_until(version: Any, message: str, category: Any = DeprecationWarning, stacklevel: Optional[int] = None, **kwargs: Any) -> None:
    warnings.warn(message.replace("{version}", str(version)), category, stacklevel=stacklevel or 2)


def kwargs_warn_until(kwargs: Any, version: Any, category: Any = DeprecationWarning, stacklevel: Optional[int] = None, **more: Any) -> None:
    if kwargs:
        warn_until(version, f"These keyword arguments are deprecated: {', '.join(kwargs)}", category, stacklevel)
