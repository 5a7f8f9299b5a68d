"""Dictionaries whose entries age."""

from __future__ import annotations

import os
import time
from typing import Any, Dict

import salt.utils.msgpack


class CacheDict(Dict[Any, Any]):
    """An entry is gone when it has been there for ``ttl`` seconds."""

    def __init__(self, ttl: float, *args: Any, **kwargs: Any) -> None:
        self._ttl = ttl
        self._key_cache_time: Dict[Any, float] = {}
        super().__init__(*args, **kwargs)

    def _enforce_ttl_key(self, key: Any) -> None:
        if key in self._key_cache_time and time.time() - self._key_cache_time[key] > self._ttl:
            del self._key_cache_time[key]
            dict.__delitem__(self, key)

    def __getitem__(self, key: Any) -> Any:
        self._enforce_ttl_key(key)
        return super().__getitem__(key)

    def __contains__(self, key: Any) -> bool:
        self._enforce_ttl_key(key)
        return super().__contains__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default

    def __setitem__(self, key: Any, value: Any) -> None:
        self._key_cache_time[key] = time.time()
        super().__setitem__(key, value)


class CacheDisk(CacheDict):
    """The same, in a file."""

    def __init__(self, ttl: float, path: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(ttl, *args, **kwargs)
        self._path = path
        if os.path.exists(path):
            with open(path, "rb") as handle:
                found = salt.utils.msgpack.unpackb(handle.read())
            dict.update(self, found["CacheDisk_data"])
            self._key_cache_time = found["CacheDisk_cachetime"]

    def store(self) -> None:
        data = {"CacheDisk_data": dict(self.items()), "CacheDisk_cachetime": self._key_cache_time}
        with open(self._path, "wb") as handle:
            handle.write(salt.utils.msgpack.packb(data))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.store()

    def __delitem__(self, key: Any) -> None:
        self._key_cache_time.pop(key, None)
        super().__delitem__(key)
        self.store()


class CacheFactory:
    """Makes one by the name of its kind."""

    @classmethod
    def factory(cls, backend: str, ttl: float, *args: Any, **kwargs: Any) -> CacheDict:
        kinds = {"memory": CacheDict, "disk": CacheDisk}
        return kinds[backend](ttl, *args, **kwargs)
