"""The minions that a master knows."""

from __future__ import annotations

from typing import Any, Dict

from brine_helper import current


class CkMinions:
    """Finds the minions of a target, by their grains that the master has stored."""

    def __init__(self, opts: Any = None) -> None:
        self.opts = opts

    def check_minions(self, expr: Any, tgt_type: str = "glob", delimiter: str = ":", greedy: bool = True) -> Dict[str, Any]:
        found = current.host().functions("runners")["cache.grains"](expr, tgt_type=tgt_type) or {}
        return {"minions": sorted(found), "missing": []}
