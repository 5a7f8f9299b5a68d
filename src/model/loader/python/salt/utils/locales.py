"""Names of locales."""

from __future__ import annotations

import sys
from typing import Any, Dict, List


def get_encodings() -> List[str]:
    return [sys.getdefaultencoding(), "utf-8", "latin-1"]


def split_locale(loc: str) -> Dict[str, str]:
    """``language_TERRITORY.codeset@modifier charmap`` as its parts."""
    rest, _, charmap = loc.partition(" ")
    rest, _, modifier = rest.partition("@")
    rest, _, codeset = rest.partition(".")
    language, _, territory = rest.partition("_")
    return {"charmap": charmap, "modifier": modifier, "codeset": codeset, "language": language, "territory": territory}


def join_locale(comps: Dict[str, Any]) -> str:
    loc = str(comps["language"])
    for mark, name in (("_", "territory"), (".", "codeset"), ("@", "modifier"), (" ", "charmap")):
        if comps.get(name):
            loc += mark + comps[name]
    return loc


def normalize_locale(loc: str) -> str:
    comps = split_locale(loc)
    comps["territory"] = comps["territory"].upper()
    comps["codeset"] = comps["codeset"].lower().replace("-", "")
    comps["charmap"] = ""
    return join_locale(comps)
