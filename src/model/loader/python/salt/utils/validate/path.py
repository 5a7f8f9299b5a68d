"""Checks of files."""

import os


def is_writeable(path: str, check_parent: bool = False) -> bool:
    if os.path.exists(path) or not check_parent:
        return os.access(path, os.W_OK)
    return os.access(os.path.dirname(path), os.W_OK)


def is_readable(path: str) -> bool:
    return os.access(path, os.R_OK)


def is_executable(path: str) -> bool:
    return os.access(path, os.X_OK)
