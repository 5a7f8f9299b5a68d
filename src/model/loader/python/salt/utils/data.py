"""Maps and lists."""

from __future__ import annotations

import copy
import fnmatch
import re
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Dict, Iterator, List, Tuple

from salt.defaults import DEFAULT_TARGET_DELIM
from salt.utils.stringutils import to_bytes, to_unicode


class CaseInsensitiveDict(MutableMapping):
    """A dictionary whose keys are the same in any case."""

    def __init__(self, init: Any = (), **kwargs: Any) -> None:
        self._data: Dict[Any, Tuple[Any, Any]] = {}
        self.update(init)
        self.update(kwargs)

    @staticmethod
    def _lower(key: Any) -> Any:
        return key.lower() if isinstance(key, str) else key

    def __getitem__(self, key: Any) -> Any:
        return self._data[self._lower(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._data[self._lower(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        del self._data[self._lower(key)]

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._data.values())

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return repr(dict(self.items()))


def traverse_dict(data: Any, key: str, default: Any = None, delimiter: str = DEFAULT_TARGET_DELIM) -> Any:
    for part in key.split(delimiter):
        if not isinstance(data, Mapping) or part not in data:
            return default
        data = data[part]
    return data


def traverse_dict_and_list(data: Any, key: Any, default: Any = None, delimiter: str = DEFAULT_TARGET_DELIM) -> Any:
    """The value under a path. Parts of it find entries of maps, numbers those of lists, and others the maps in lists."""
    parts = key.split(delimiter) if isinstance(key, str) else [key]
    for part in parts:
        if isinstance(data, Mapping):
            if part in data:
                data = data[part]
            elif isinstance(part, str) and part.lstrip("-").isdigit() and int(part) in data:
                data = data[int(part)]
            else:
                return default
        elif isinstance(data, (list, tuple)):
            try:
                data = data[int(part)]
            except (ValueError, IndexError):
                for entry in data:
                    if isinstance(entry, Mapping) and part in entry:
                        data = entry[part]
                        break
                else:
                    return default
        else:
            return default
    return data


get_value = traverse_dict_and_list


def _converted(data: Any, text: Any, keep: bool) -> Any:
    if isinstance(data, Mapping):
        return {_converted(key, text, keep): _converted(value, text, keep) for key, value in data.items()}
    if isinstance(data, tuple):
        return tuple(_converted(item, text, keep) for item in data)
    if isinstance(data, (list, set)):
        return type(data)(_converted(item, text, keep) for item in data)
    if isinstance(data, (str, bytes, bytearray)):
        try:
            return text(data)
        except UnicodeError:
            if keep:
                return data
            raise
    return data


def decode(data: Any, encoding: Any = None, errors: str = "strict", keep: bool = False, **kwargs: Any) -> Any:
    return _converted(data, lambda value: to_unicode(value, encoding, errors), keep)


def encode(data: Any, encoding: Any = None, errors: str = "strict", keep: bool = False, **kwargs: Any) -> Any:
    return _converted(data, lambda value: to_bytes(value, encoding, errors), keep)


decode_dict = decode_list = decode
encode_dict = encode_list = encode


def compare_dicts(old: Any = None, new: Any = None) -> Dict[Any, Any]:
    found = {}
    for key in set(new or {}) | set(old or {}):
        before, after = (old or {}).get(key, ""), (new or {}).get(key, "")
        if key not in (old or {}) or key not in (new or {}) or before != after:
            found[key] = {"old": before, "new": after}
    return found


def compare_lists(old: Any = None, new: Any = None) -> Dict[str, List[Any]]:
    found: Dict[str, List[Any]] = {}
    added = [item for item in new or [] if item not in (old or [])]
    removed = [item for item in old or [] if item not in (new or [])]
    if added:
        found["new"] = added
    if removed:
        found["old"] = removed
    return found


def subdict_match(
    data: Any,
    expr: str,
    delimiter: str = DEFAULT_TARGET_DELIM,
    regex_match: bool = False,
    exact_match: bool = False,
) -> bool:
    def matches(value: Any, pattern: str) -> bool:
        text = str(value).lower()
        if regex_match:
            return re.match(pattern.lower(), text) is not None
        return text == pattern.lower() if exact_match else fnmatch.fnmatch(text, pattern.lower())

    parts = expr.split(delimiter)
    for cut in range(len(parts) - 1, 0, -1):
        found = traverse_dict_and_list(data, delimiter.join(parts[:cut]), {}, delimiter)
        if found == {}:
            continue
        pattern = delimiter.join(parts[cut:])
        if pattern == "*":
            return True
        if isinstance(found, Mapping):
            found = list(found)
        if any(matches(value, pattern) for value in (found if isinstance(found, (list, tuple)) else [found])):
            return True
    return False


def substr_in_list(string_to_search_for: str, list_to_search: Any) -> bool:
    return any(string_to_search_for in item for item in list_to_search)


def is_dictlist(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(item, Mapping) and len(item) == 1 for item in data)


def repack_dictlist(data: Any, strict: bool = False, recurse: bool = False, key_cb: Any = None, val_cb: Any = None) -> Dict[Any, Any]:
    if not isinstance(data, list):
        return {}
    found: Dict[Any, Any] = {}
    for item in data:
        if isinstance(item, (str, int, float)):
            found[key_cb(item) if key_cb else item] = None
        elif isinstance(item, Mapping) and len(item) == 1:
            key, value = next(iter(item.items()))
            if recurse and is_dictlist(value):
                value = repack_dictlist(value, recurse=recurse)
            found[key_cb(key) if key_cb else key] = val_cb(key, value) if val_cb else value
        elif strict:
            return {}
    return found


def is_list(value: Any) -> bool:
    return isinstance(value, list)


def is_iter(thing: Any, ignore: Any = (str,)) -> bool:
    return hasattr(thing, "__iter__") and not isinstance(thing, ignore)


def sorted_ignorecase(to_sort: Any) -> List[Any]:
    return sorted(to_sort, key=lambda text: text.lower())


def is_true(value: Any = None) -> bool:
    try:
        return int(value) > 0
    except (TypeError, ValueError):
        return str(value).lower() == "true" if isinstance(value, str) else bool(value)


def stringify(data: Any) -> List[str]:
    return [to_unicode(item) if isinstance(item, (str, bytes)) else str(item) for item in data]


def filter_falsey(data: Any, recurse_depth: Any = None, ignore_types: Any = ()) -> Any:
    def kept(value: Any) -> bool:
        return bool(value) or (type(value) in ignore_types)

    def deeper(value: Any) -> Any:
        if recurse_depth in (None, 0) or not isinstance(value, (Mapping, list)):
            return value
        return filter_falsey(value, recurse_depth - 1, ignore_types)

    if isinstance(data, Mapping):
        return {key: value for key, value in ((key, deeper(value)) for key, value in data.items()) if kept(value)}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [value for value in map(deeper, data) if kept(value)]
    return data


def simple_types_filter(data: Any) -> Any:
    if data is None or isinstance(data, (str, bool, int, float)):
        return data
    if isinstance(data, Mapping):
        return {key if isinstance(key, (str, int)) else repr(key): simple_types_filter(value) for key, value in data.items()}
    if isinstance(data, (list, tuple, set)):
        return [simple_types_filter(value) for value in data]
    return repr(data)


def recursive_diff(old: Any, new: Any, ignore_keys: Any = None, ignore_order: bool = False, **kwargs: Any) -> Dict[Any, Any]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found: Dict[Any, Any] = {}
        for key in list(old) + [key for key in new if key not in old]:
            if key in (ignore_keys or []):
                continue
            if key in old and key in new:
                inner = recursive_diff(old[key], new[key], ignore_keys, ignore_order)
                for side in ("old", "new"):
                    if side in inner:
                        found.setdefault(side, {})[key] = inner[side]
            else:
                side = "old" if key in old else "new"
                found.setdefault(side, {})[key] = (old if key in old else new)[key]
        return found
    return {} if old == new else {"old": old, "new": new}


def shuffle(value: Any, seed: Any = None) -> Any:
    import random

    made = copy.copy(list(value))
    random.Random(seed).shuffle(made)
    return made
