"""Files."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import tempfile
from typing import Any, Iterator, List, Optional

LOCAL_PROTOS = ("", "file")
REMOTE_PROTOS = ("http", "https", "ftp", "swift", "s3")
VALID_PROTOS = ("salt", "file") + REMOTE_PROTOS
TEMPFILE_PREFIX = "__salt.tmp."


def fopen(*args: Any, **kwargs: Any) -> Any:
    """Opens a file, as UTF-8 if it is text."""
    mode = kwargs.get("mode", args[1] if len(args) > 1 else "r")
    if "b" not in mode:
        kwargs.setdefault("encoding", "utf-8")
    return open(*args, **kwargs)


@contextlib.contextmanager
def flopen(*args: Any, **kwargs: Any) -> Iterator[Any]:
    """Opens a file, locked while it is open."""
    with fopen(*args, **kwargs) as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_SH)
        try:
            yield file
        finally:
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


@contextlib.contextmanager
def fpopen(*args: Any, **kwargs: Any) -> Iterator[Any]:
    """Opens a file, and sets its owner and mode."""
    uid, gid, mode = (kwargs.pop(name, -1) for name in ("uid", "gid", "mode"))
    with fopen(*args, **kwargs) as file:
        if uid not in (-1, None) or gid not in (-1, None):
            os.chown(args[0], -1 if uid is None else uid, -1 if gid is None else gid)
        if mode not in (-1, None):
            os.chmod(args[0], mode)
        yield file


def mkstemp(*args: Any, **kwargs: Any) -> Any:
    """Makes a temporary file: its path, or with ``close_fd=False`` the descriptor as well."""
    close = kwargs.pop("close_fd", True)
    kwargs.setdefault("prefix", TEMPFILE_PREFIX)
    descriptor, path = tempfile.mkstemp(*args, **kwargs)
    if not close:
        return descriptor, path
    os.close(descriptor)
    return path


def safe_rm(path: str) -> None:
    """Removes a file, if it is there."""
    with contextlib.suppress(OSError):
        os.remove(path)


remove = safe_rm


def rm_rf(path: str) -> None:
    """Removes a file, or a directory with all in it."""
    if os.path.islink(path) or not os.path.isdir(path):
        os.remove(path)
    else:
        shutil.rmtree(path)


def is_empty(path: str) -> bool:
    try:
        return os.stat(path).st_size == 0
    except OSError:
        return False


def copyfile(source: str, dest: str, backup_mode: str = "", cachedir: str = "") -> None:
    """Copies a file into its place in one step; the mode and owner of what was there stay."""
    if not os.path.isfile(source):
        raise OSError(f"[Errno 2] No such file or directory: {source}")
    directory = os.path.dirname(dest)
    if not os.path.isdir(directory):
        raise OSError(f"[Errno 2] No such file or directory: {directory}")
    made = mkstemp(prefix=f"{os.path.basename(dest)}__", dir=directory)
    shutil.copyfile(source, made)
    with contextlib.suppress(OSError):
        before = os.stat(dest)
        os.chown(made, before.st_uid, before.st_gid)
        os.chmod(made, stat.S_IMODE(before.st_mode))
    os.replace(made, dest)


def rename(source: str, dest: str) -> None:
    os.replace(source, dest)


def recursive_copy(source: str, dest: str) -> None:
    shutil.copytree(source, dest, symlinks=True, dirs_exist_ok=True)


@contextlib.contextmanager
def set_umask(mask: Optional[int]) -> Iterator[None]:
    if mask is None:
        yield
        return
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def get_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def wait_lock(path: str, lock_fn: Optional[str] = None, timeout: float = 5, sleep: float = 0.1, time_start: Any = None) -> Iterator[None]:
    with open(lock_fn or path + ".w", "w", encoding="utf-8") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        try:
            yield
        finally:
            safe_rm(file.name)


def normalize_mode(mode: Any) -> Any:
    """A mode as text of four digits."""
    if mode is None:
        return None
    return str(mode).replace("0o", "0").strip("'\"").zfill(4)[-4:] if str(mode).strip("'\"").isdigit() or "0o" in str(mode) else str(mode)


def is_binary(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return b"\x00" in file.read(2048)


is_text_file = is_text = lambda path: os.path.isfile(path) and not is_binary(path)  # noqa: E731


def is_fcntl_available(check_sunos: bool = False) -> bool:
    return True


def list_files(directory: str) -> List[str]:
    found = {directory}
    for root, directories, files in os.walk(directory):
        found.update(os.path.join(root, name) for name in directories + files)
    return list(found)


def process_read_exception(error: OSError, path: str, ignore: Any = None) -> None:
    from salt.exceptions import CommandExecutionError

    codes = [] if ignore is None else ignore if isinstance(ignore, (list, tuple)) else [ignore]
    if error.errno in codes:
        return
    if error.errno == errno.ENOENT:
        raise CommandExecutionError(f"{path} does not exist")
    if error.errno == errno.EACCES:
        raise CommandExecutionError(f"Permission denied reading from {path}")
    raise CommandExecutionError(f"Error {error.errno} encountered reading from {path}: {error.strerror}")


def backup_minion(path: str, bkroot: str) -> None:
    os.makedirs(bkroot, 0o700, exist_ok=True)
    shutil.copy2(path, os.path.join(bkroot, os.path.basename(path)))
