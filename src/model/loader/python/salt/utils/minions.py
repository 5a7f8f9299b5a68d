"""The minions that a master knows."""

from __future__ import annotations

from typing import Any, Dict

from brine_helper import current


class CkMinions:
    """Finds the minions of a target, by their keys and by what the master has stored of them."""

    def __init__(self, opts: Any = None) -> None:
        self.opts = opts

    def check_minions(self, expr: Any, tgt_type: str = "glob", delimiter: str = ":", greedy: bool = True) -> Dict[str, Any]:
        if tgt_type == "list" and isinstance(expr, str):
            expr = [name for name in expr.split(",") if name]
        found = current.host().ask("expand", target={"tgt": expr, "tgt_type": tgt_type})
        if tgt_type != "list":
            return {"minions": sorted(found), "missing": []}
        return {"minions": [name for name in expr if name in found], "missing": [name for name in expr if name not in found]}
