"""Paths."""

from __future__ import annotations

import os
import posixpath
import shutil
from typing import Any, Iterator, Optional


def which(exe: Optional[str] = None) -> Optional[str]:
    """The path of a program; some directories are looked into that may not be in ``PATH``."""
    if not exe:
        return None
    path = os.environ.get("PATH", "") + ":/sbin:/bin:/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
    return shutil.which(exe, path=path)


def which_bin(exes: Any) -> Optional[str]:
    if not isinstance(exes, (list, tuple)):
        return None
    return next((found for found in map(which, exes) if found is not None), None)


def islink(path: str) -> bool:
    return os.path.islink(path)


def readlink(path: str) -> str:
    return os.readlink(path)


def realpath(path: str) -> str:
    return os.path.realpath(path)


def is_executable(path: str, membership: Any = None) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def join(*parts: Any, **kwargs: Any) -> str:
    """Joins parts; one that begins with a slash does not begin anew."""
    texts = [os.fspath(part) if isinstance(part, os.PathLike) else str(part) for part in parts]
    if not texts:
        return ""
    root, rest = texts[0], [text.lstrip("/") for text in texts[1:] if text]
    return posixpath.normpath(posixpath.join(root, *rest)) if root or rest else ""


def check_or_die(command: Optional[str]) -> None:
    from salt.exceptions import CommandNotFoundError

    if command is None:
        raise CommandNotFoundError("'None' is not a valid command.")
    if not which(command):
        raise CommandNotFoundError(f"'{command}' is not in the path")


def os_walk(top: str, *args: Any, **kwargs: Any) -> Iterator[Any]:
    return os.walk(top, *args, **kwargs)


def safe_path(path: str, allow_path: Any = None) -> bool:
    return False if os.path.islink(path) else True


def sanitize_win_path(winpath: str) -> str:
    return "".join("_" if char in '<>:|?*"' else char for char in winpath)


expand = os.path.expanduser
