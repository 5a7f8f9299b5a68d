"""Runners of this master."""

from __future__ import annotations

from typing import Any

from brine_helper import current
from salt.exceptions import SaltClientError


class RunnerClient:
    """Calls runners, within the runner or the engine that asks."""

    def __init__(self, opts: Any = None, context: Any = None) -> None:
        self.opts = current.host().options()

    def cmd(
        self,
        fun: str,
        arg: Any = None,
        pub_data: Any = None,
        kwarg: Any = None,
        print_event: bool = True,
        full_return: bool = False,
    ) -> Any:
        """What the runner returns, or with ``full_return`` also that it succeeded."""
        if current.host().is_engine():
            raise SaltClientError("An engine does not wait for runners: __runner__ starts them, and gives their job id")
        found = current.host().functions("runners")[fun](*(arg or ()), **(kwarg or {}))
        return {"return": found, "success": True} if full_return else found

    def cmd_sync(self, low: Any, timeout: Any = None, full_return: bool = False) -> Any:
        return self.cmd(low["fun"], low.get("arg"), kwarg=low.get("kwarg"), full_return=full_return)
