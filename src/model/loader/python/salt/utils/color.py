"""Colors of a terminal."""

from __future__ import annotations

from typing import Any, Dict

_CODES = {
    "BLACK": "0;30",
    "DARK_GRAY": "1;30",
    "RED": "0;31",
    "LIGHT_RED": "0;1;31",
    "GREEN": "0;32",
    "LIGHT_GREEN": "0;1;32",
    "YELLOW": "0;33",
    "LIGHT_YELLOW": "0;1;33",
    "BLUE": "0;34",
    "LIGHT_BLUE": "0;1;34",
    "MAGENTA": "0;35",
    "LIGHT_MAGENTA": "0;1;35",
    "CYAN": "0;36",
    "LIGHT_CYAN": "0;1;36",
    "LIGHT_GRAY": "0;37",
    "WHITE": "0;1;37",
    "DEFAULT_COLOR": "00",
    "ENDC": "0",
    "RESET": "0",
}


def get_color_theme(theme: str) -> Dict[str, Any]:
    return {}


def get_colors(use: Any = True, theme: Any = None) -> Dict[str, str]:
    """Names of colors and their codes, which are empty if ``use`` is false."""
    return {name: f"\033[{code}m" if use else "" for name, code in _CODES.items()}
