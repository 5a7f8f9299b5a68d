"""Merging of maps."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from salt.defaults import DEFAULT_TARGET_DELIM


def update(dest: Any, upd: Any, recursive_update: bool = True, merge_lists: bool = False) -> Any:
    """Merges ``upd`` into ``dest``, and returns it."""
    if not isinstance(dest, Mapping) or not isinstance(upd, Mapping):
        raise TypeError("Cannot update using non-dict types in dictupdate.update()")
    if not recursive_update:
        for key in upd:
            dest[key] = upd[key]  # type: ignore[index]
        return dest
    for key in list(upd):
        value, before = upd[key], dest.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            dest[key] = update(before, value, merge_lists=merge_lists)  # type: ignore[index]
        elif isinstance(before, list) and isinstance(value, list) and merge_lists:
            dest[key] = before + [item for item in value if item not in before]  # type: ignore[index]
        else:
            dest[key] = value  # type: ignore[index]
    return dest


def merge_list(obj_a: Any, obj_b: Any) -> Any:
    """Both values of each key of the first."""
    return {key: [value, obj_b[key]] if key in obj_b else value for key, value in obj_a.items()}


def merge_recurse(obj_a: Any, obj_b: Any, merge_lists: bool = False) -> Any:
    return update(copy.deepcopy(obj_a), obj_b, merge_lists=merge_lists)


def merge_overwrite(obj_a: Any, obj_b: Any, merge_lists: bool = False) -> Any:
    made = copy.deepcopy(obj_a)
    made.update(obj_b)
    return made


def merge(obj_a: Any, obj_b: Any, strategy: str = "smart", renderer: str = "yaml", merge_lists: bool = False) -> Any:
    if strategy == "none":
        return obj_a
    if strategy == "list":
        return merge_list(obj_a, obj_b)
    if strategy == "overwrite":
        return merge_overwrite(obj_a, obj_b, merge_lists)
    return merge_recurse(obj_a, obj_b, merge_lists)


def _place(in_dict: Any, keys: str, delimiter: str) -> Any:
    from salt.exceptions import SaltInvocationError

    parts = keys.split(delimiter)
    here = in_dict
    for part in parts[:-1]:
        if not isinstance(here, dict):
            raise SaltInvocationError(f"The dictionary has no map at {keys}")
        here = here.setdefault(part, {})
    return here, parts[-1]


def ensure_dict_key(in_dict: Any, keys: str, delimiter: str = DEFAULT_TARGET_DELIM, ordered_dict: bool = False) -> Any:
    here, last = _place(in_dict, keys, delimiter)
    here.setdefault(last, {})
    return in_dict


def set_dict_key_value(
    in_dict: Any, keys: str, value: Any, delimiter: str = DEFAULT_TARGET_DELIM, ordered_dict: bool = False
) -> Any:
    here, last = _place(in_dict, keys, delimiter)
    here[last] = value
    return in_dict


def update_dict_key_value(
    in_dict: Any, keys: str, value: Any, delimiter: str = DEFAULT_TARGET_DELIM, ordered_dict: bool = False
) -> Any:
    here, last = _place(in_dict, keys, delimiter)
    here[last] = {**(here.get(last) or {}), **dict(value)}
    return in_dict


def append_dict_key_value(
    in_dict: Any, keys: str, value: Any, delimiter: str = DEFAULT_TARGET_DELIM, ordered_dict: bool = False
) -> Any:
    here, last = _place(in_dict, keys, delimiter)
    here[last] = [*(here.get(last) or []), value]
    return in_dict


def extend_dict_key_value(
    in_dict: Any, keys: str, value: Any, delimiter: str = DEFAULT_TARGET_DELIM, ordered_dict: bool = False
) -> Any:
    here, last = _place(in_dict, keys, delimiter)
    here[last] = [*(here.get(last) or []), *value]
    return in_dict
