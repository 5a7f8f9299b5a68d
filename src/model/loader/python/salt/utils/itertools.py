"""Iterations."""

from __future__ import annotations

import re
from typing import Any, Iterator


def split(orig: str, sep: Any = None) -> Iterator[str]:
    pattern = re.compile(r"\s+" if sep is None else re.escape(sep))
    at = 0
    for match in pattern.finditer(orig):
        if sep is not None or at < match.start():
            yield orig[at : match.start()]
        at = match.end()
    if sep is not None or at < len(orig):
        yield orig[at:]


def read_file(fh_: Any, chunk_size: int = 1048576) -> Iterator[Any]:
    chunk = fh_.read(chunk_size)
    while chunk:
        yield chunk
        chunk = fh_.read(chunk_size)
    fh_.close()
