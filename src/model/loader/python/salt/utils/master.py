"""What this master has stored of its minions."""

from __future__ import annotations

from typing import Any, Dict

from brine_helper import current


class MasterPillarUtil:
    """Grains and pillar as the master has cached them: no minion is asked, and no pillar is compiled."""

    def __init__(self, tgt: Any = "", tgt_type: str = "glob", *args: Any, **kwargs: Any) -> None:
        self.tgt = tgt
        self.tgt_type = tgt_type
        self.opts = kwargs.get("opts")

    def _cached(self, what: str) -> Dict[str, Any]:
        return dict(current.host().functions("runners")[f"cache.{what}"](self.tgt or "*", self.tgt_type) or {})

    def get_minion_grains(self) -> Dict[str, Any]:
        return self._cached("grains")

    def get_minion_pillar(self) -> Dict[str, Any]:
        return self._cached("pillar")

    def get_cached_mine_data(self) -> Dict[str, Any]:
        return self._cached("mine")
