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


def flatten(data: Any, levels: Any = None, preserve_nulls: bool = False, _ids: Any = None) -> List[Any]:
    """One list of what is in lists; ``None`` is left out unless it is asked for."""
    found: List[Any] = []
    for item in data:
        if isinstance(item, (list, tuple)) and levels != 0:
            found.extend(flatten(item, None if levels is None else levels - 1, preserve_nulls))
        elif item is not None or preserve_nulls:
            found.append(item)
    return found


def mysql_to_dict(data: Any, key: str) -> Dict[Any, Any]:
    """The table that ``mysql`` prints, by the values of a column."""
    import salt.utils.stringutils

    found: Dict[Any, Any] = {}
    head: List[str] = []
    for line in data:
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not head:
            head = cells
            continue
        row = {name: salt.utils.stringutils.to_num(cell) for name, cell in zip(head, cells)}
        if key in row:
            found[row[key]] = row
    return found


def filter_by(
    lookup_dict: Any, lookup: Any, traverse: Any, merge: Any = None, default: Any = "default", base: Any = None
) -> Any:
    """The value whose key matches what ``traverse`` has under the name ``lookup``."""
    import fnmatch

    import salt.utils.dictupdate

    found = None
    wanted = traverse_dict_and_list(traverse, lookup, None)
    for value in wanted if isinstance(wanted, (list, tuple)) else [wanted]:
        for key in lookup_dict:
            if str(key) == str(value) or fnmatch.fnmatchcase(str(value), str(key)):
                found = lookup_dict[key]
                break
        if found is not None:
            break
    if found is None:
        found = lookup_dict.get(default)
    if base and base in lookup_dict:
        found = lookup_dict[base] if found is None else salt.utils.dictupdate.update(copy.deepcopy(lookup_dict[base]), found)
    if merge:
        found = salt.utils.dictupdate.update(copy.deepcopy(found) if found else {}, merge)
    return found


def sample(value: Any, size: int, seed: Any = None) -> List[Any]:
    import random

    return random.Random(seed).sample(value, size)


def to_lowercase(data: Any, preserve_dict_class: bool = False) -> Any:
    return _with_case(data, str.lower)


def to_uppercase(data: Any, preserve_dict_class: bool = False) -> Any:
    return _with_case(data, str.upper)


def _with_case(data: Any, change: Any) -> Any:
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {_with_case(key, change): _with_case(value, change) for key, value in data.items()}
    return type(data)(_with_case(item, change) for item in data) if isinstance(data, (list, tuple, set)) else data


def exactly_n(iterable: Any, amount: int = 1) -> bool:
    return sum(1 for item in iterable if item) == amount


def exactly_one(iterable: Any) -> bool:
    return exactly_n(iterable)
