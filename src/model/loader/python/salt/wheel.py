"""Wheel functions of this master."""

from __future__ import annotations

from typing import Any

from brine_helper import current


class WheelClient:
    """Calls wheel functions from a runner."""

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
        found = current.host().functions("wheel")[fun](*(arg or ()), **(kwarg or {}))
        return {"return": found, "success": True} if full_return else found

    def call_func(self, fun: str, **kwargs: Any) -> Any:
        return self.cmd(fun, kwarg=kwargs)

    def cmd_sync(self, low: Any, timeout: Any = None, full_return: bool = False) -> Any:
        return self.cmd(low["fun"], low.get("arg"), kwarg=low.get("kwarg"), full_return=full_return)


Wheel = WheelClient
