"""The keys of this master's minions, by its wheel functions."""

from __future__ import annotations

import fnmatch
from typing import Any, Dict, List

from brine_helper import current

#: First letters of a status, and its name in lists.
_STATUS = {"acc": "minions", "pre": "minions_pre", "un": "minions_pre", "rej": "minions_rejected", "den": "minions_denied"}


class Key:
    """What runners and engines ask and change."""

    ACC, PEND, REJ, DEN = "minions", "minions_pre", "minions_rejected", "minions_denied"

    def __init__(self, opts: Any = None, io_loop: Any = None) -> None:
        self.opts = opts

    def __enter__(self) -> "Key":
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Dict[str, Any]:
        return dict(current.host().functions("wheel")[f"key.{name}"](*args, **kwargs) or {})

    def list_keys(self) -> Dict[str, List[str]]:
        found = self._call("list_all")
        return {name: found.get(name, []) for name in (self.ACC, self.DEN, self.PEND, self.REJ)}

    def all_keys(self) -> Dict[str, List[str]]:
        return self._call("list_all")

    def list_status(self, match: str) -> Dict[str, List[str]]:
        if match.startswith("all"):
            return self.all_keys()
        names = [name for start, name in _STATUS.items() if match.startswith(start)]
        return {name: self.list_keys()[name] for name in names}

    def name_match(self, match: Any, full: bool = False) -> Dict[str, List[str]]:
        globs = match.split(",") if isinstance(match, str) else list(match)
        found: Dict[str, List[str]] = {}
        for status, keys in (self.all_keys() if full else self.list_keys()).items():
            for key in sorted(keys, key=str.lower):
                found.setdefault(status, []).extend(key for glob in globs if fnmatch.fnmatch(key, glob))
        return {status: keys for status, keys in found.items() if keys}

    glob_match = name_match

    def dict_match(self, match_dict: Dict[str, Any]) -> Dict[str, List[str]]:
        wanted = [key for keys in match_dict.values() for key in keys]
        return self.name_match(wanted) if wanted else {}

    def key_str(self, match: Any) -> Dict[str, Any]:
        return self._call("key_str", match)

    def finger(self, match: Any, hash_type: Any = None) -> Dict[str, Any]:
        return self._call("finger", match, hash_type=hash_type)

    def accept(
        self, match: Any = None, match_dict: Any = None, include_rejected: bool = False, include_denied: bool = False
    ) -> Dict[str, Any]:
        self._changed("accept", match, match_dict, include_rejected=include_rejected, include_denied=include_denied)
        return self.list_keys() if match is None else self.name_match(match)

    def reject(
        self, match: Any = None, match_dict: Any = None, include_accepted: bool = False, include_denied: bool = False
    ) -> Dict[str, Any]:
        self._changed("reject", match, match_dict, include_accepted=include_accepted, include_denied=include_denied)
        return self.list_keys() if match is None else self.name_match(match)

    def delete_key(
        self, match: Any = None, match_dict: Any = None, preserve_minions: Any = None, revoke_auth: bool = False
    ) -> Dict[str, Any]:
        self._changed("delete", match, match_dict)
        return self.list_keys() if match is None else self.name_match(match)

    def _changed(self, what: str, match: Any, match_dict: Any, **kwargs: Any) -> None:
        if match is not None:
            self._call(what, match, **kwargs)
        elif isinstance(match_dict, dict):
            self._call(f"{what}_dict", match_dict, **kwargs)


def get_key(opts: Any = None) -> Key:
    return Key(opts)
