"""systemd."""

from __future__ import annotations

import os
from typing import Any, Optional

from brine_helper import current


def booted(context: Any = None) -> bool:
    return os.path.isdir("/run/systemd/system")


def version(context: Any = None) -> Optional[int]:
    found = current.host().grains().get("systemd") or {}
    text = str(found.get("version", ""))
    return int(text) if text.isdigit() else None


def has_scope(context: Any = None) -> bool:
    return booted() and (version() or 0) >= 205


def status(context: Any = None) -> Optional[str]:
    return None
