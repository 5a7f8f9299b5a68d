"""Runners of this master."""

from __future__ import annotations

from typing import Any, Dict

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
        found = current.host().functions("runners")[fun](*(arg or ()), **(kwarg or {}))
        return {"return": found, "success": True} if full_return else found

    def cmd_sync(self, low: Any, timeout: Any = None, full_return: bool = False) -> Any:
        return self.cmd(low["fun"], low.get("arg"), kwarg=low.get("kwarg"), full_return=full_return)

    def cmd_async(self, low: Any) -> Dict[str, str]:
        """Starts a runner: its job id, and the tag of its events."""
        if not current.host().is_engine():
            raise SaltClientError("Only engines start runners without waiting: call the runner by __salt__")
        jid = current.host().ask("start", f=low["fun"], a=list(low.get("arg") or ()), k=dict(low.get("kwarg") or {}))
        return {"tag": f"salt/run/{jid}", "jid": jid}


Runner = RunnerClient
