"""Starts the helper: takes the pipes away from modules, says hello, and serves."""

from __future__ import annotations

import fcntl
import logging
import os
import sys
import warnings
from typing import Any, Dict, Tuple

from . import wire
from .channel import Channel
from .embedded import LentSalt, SlimSalt
from .host import Host, _ToBrine, start_watching

LEVELS = {"garbage": 1, "trace": 5, "profile": 15, "debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


def _own_pipes() -> Tuple[Channel, int]:
    """Moves the pipes to descriptors that modules do not touch: 0 is empty from now on, and 1 is the log."""
    source = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 60)
    sink = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 60)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    for descriptor in (source, sink):
        os.set_blocking(descriptor, True)
    return Channel(source, sink), source


def _safe_path() -> None:
    """Nothing is imported from the working directory, or from a directory that others can write to."""
    kept = []
    for entry in sys.path:
        try:
            if entry and not os.stat(entry).st_mode & 0o002:
                kept.append(entry)
        except OSError:
            continue
    sys.path[:] = kept


def _logging(channel: Channel, level: str) -> None:
    logging.addLevelName(1, "GARBAGE")
    logging.addLevelName(5, "TRACE")
    logging.addLevelName(15, "PROFILE")
    root = logging.getLogger()
    root.handlers[:] = [_ToBrine(channel)]
    root.setLevel(LEVELS.get(level, 30))
    logging.captureWarnings(False)
    # Threads of a helper that forks are this package's own: they hold no lock.
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork")


def main(sources: Dict[str, str]) -> None:
    channel, source = _own_pipes()
    _safe_path()
    # Functions call functions through Brine, each inside of the other.
    sys.setrecursionlimit(5000)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    fast = wire.use_package()
    start: Dict[str, Any] = channel.read()
    has_salt = False
    if start["salt"]:
        try:
            import salt.version  # noqa: F401

            has_salt = True
        except ImportError:
            pass
    if not has_salt:
        for name in [one for one in sys.modules if one == "salt" or one.startswith("salt.")]:
            del sys.modules[name]
        sys.meta_path.insert(0, SlimSalt("salt", sources))
    _logging(channel, start["level"])
    host = Host(channel, has_salt)
    if has_salt:
        sys.meta_path.insert(0, LentSalt(sources, lambda: host.options().get("__role") == "master"))
    os.register_at_fork(after_in_child=channel.close_in_child)
    start_watching(source)
    channel.send({"n": start["n"], "r": {"version": list(sys.version_info[:3]), "msgpack": fast, "salt": has_salt}})
    while True:
        try:
            host.handle(channel.read())
        except KeyboardInterrupt:
            continue
