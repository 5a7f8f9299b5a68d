"""The host of this process, for the package ``salt`` that comes with it."""

from __future__ import annotations

from typing import Any, List

_hosts: List[Any] = []


def set_host(host: Any) -> None:
    _hosts[:] = [host]


def host() -> Any:
    if not _hosts:
        raise RuntimeError("This works only in a process that Brine has started")
    return _hosts[0]
