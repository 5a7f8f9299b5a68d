"""Differences of maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Set


class DictDiffer:
    """The keys that differ between two maps."""

    def __init__(self, current_dict: Any, past_dict: Any) -> None:
        self.current_dict, self.past_dict = current_dict, past_dict
        self.set_current, self.set_past = set(current_dict), set(past_dict)
        self.intersect = self.set_current & self.set_past

    def added(self) -> Set[Any]:
        return self.set_current - self.intersect

    def removed(self) -> Set[Any]:
        return self.set_past - self.intersect

    def changed(self) -> Set[Any]:
        return {key for key in self.intersect if self.past_dict[key] != self.current_dict[key]}

    def unchanged(self) -> Set[Any]:
        return {key for key in self.intersect if self.past_dict[key] == self.current_dict[key]}


def diff(current_dict: Any, past_dict: Any) -> DictDiffer:
    return DictDiffer(current_dict, past_dict)


def deep_diff(old: Any, new: Any, ignore: Any = None) -> Dict[str, Any]:
    """``{"old": …, "new": …}`` with what differs, at any depth."""
    found: Dict[str, Any] = {}
    for key in set(old) | set(new):
        if key in (ignore or []):
            continue
        if key not in new:
            found.setdefault("old", {})[key] = old[key]
        elif key not in old:
            found.setdefault("new", {})[key] = new[key]
        elif isinstance(old[key], Mapping) and isinstance(new[key], Mapping):
            for side, value in deep_diff(old[key], new[key], ignore).items():
                found.setdefault(side, {})[key] = value
        elif old[key] != new[key]:
            found.setdefault("old", {})[key] = old[key]
            found.setdefault("new", {})[key] = new[key]
    return found


class RecursiveDictDiffer(DictDiffer):
    """Differences of maps in maps: keys with dots, and texts for people."""

    NONE_VALUE = "<_null_>"

    def __init__(self, past_dict: Any, current_dict: Any, ignore_missing_keys: bool = True) -> None:
        super().__init__(current_dict, past_dict)
        self._ignore = ignore_missing_keys
        self._diffs = self._compare(past_dict, current_dict)

    def _compare(self, past: Any, current: Any) -> Dict[Any, Any]:
        found: Dict[Any, Any] = {}
        for key in current:
            if key not in past:
                found[key] = {"old": self.NONE_VALUE, "new": current[key]}
            elif isinstance(past[key], Mapping) and isinstance(current[key], Mapping):
                inner = self._compare(past[key], current[key])
                if inner:
                    found[key] = inner
            elif past[key] != current[key]:
                found[key] = {"old": past[key], "new": current[key]}
        if not self._ignore:
            for key in past:
                if key not in current:
                    found[key] = {"old": past[key], "new": self.NONE_VALUE}
        return found

    def _keys(self, diffs: Any, wanted: Any, before: str = "") -> List[str]:
        found: List[str] = []
        for key, value in diffs.items():
            if not (isinstance(value, dict) and set(value) == {"old", "new"}):
                found.extend(self._keys(value, wanted, f"{before}{key}."))
            elif wanted(value):
                found.append(f"{before}{key}")
        return found

    def added(self) -> List[str]:  # type: ignore[override]
        """Keys with dots, of what is new."""
        return sorted(self._keys(self._diffs, lambda value: value["old"] == self.NONE_VALUE))

    def removed(self) -> List[str]:  # type: ignore[override]
        return sorted(self._keys(self._diffs, lambda value: value["new"] == self.NONE_VALUE))

    def changed(self) -> List[str]:  # type: ignore[override]
        both = lambda value: self.NONE_VALUE not in (value["old"], value["new"])  # noqa: E731
        return sorted(self._keys(self._diffs, both))

    @property
    def diffs(self) -> Dict[Any, Any]:
        return self._diffs

    def _side(self, diffs: Any, side: str) -> Dict[Any, Any]:
        made = {}
        for key, value in diffs.items():
            is_leaf = isinstance(value, dict) and set(value) == {"old", "new"}
            made[key] = value[side] if is_leaf else self._side(value, side)
        return made

    @property
    def new_values(self) -> Dict[Any, Any]:
        return self._side(self._diffs, "new")

    @property
    def old_values(self) -> Dict[Any, Any]:
        return self._side(self._diffs, "old")

    @property
    def changes_str(self) -> str:
        return "\n".join(self._lines(self._diffs, ""))

    def _lines(self, diffs: Any, before: str) -> List[str]:
        lines: List[str] = []
        for key in sorted(diffs):
            value = diffs[key]
            if isinstance(value, dict) and set(value) == {"old", "new"}:
                lines.append(f"{before}{key} from {value['old']!r} to {value['new']!r}")
            else:
                lines.extend(self._lines(value, f"{before}{key}."))
        return lines


def recursive_diff(past_dict: Any, current_dict: Any, ignore_missing_keys: bool = True) -> RecursiveDictDiffer:
    return RecursiveDictDiffer(past_dict, current_dict, ignore_missing_keys)
