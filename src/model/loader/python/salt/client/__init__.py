"""Jobs on minions, and functions of this host."""

from __future__ import annotations

import random
from typing import Any, Dict, Iterator

from brine_helper import current


class LocalClient:
    """Runs jobs: on a master by a runner, on a minion as far as the master's option ``peer`` lets it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.opts = current.host().options()

    def __enter__(self) -> "LocalClient":
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def destroy(self) -> None:
        pass

    def cmd(
        self,
        tgt: Any,
        fun: str,
        arg: Any = (),
        timeout: Any = None,
        tgt_type: str = "glob",
        ret: str = "",
        jid: str = "",
        kwarg: Any = None,
        **kwargs: Any,
    ) -> Dict[str, Any]:
        runners = current.host().functions("runners")
        given = list(arg) if isinstance(arg, (list, tuple)) else [arg]
        if "salt.cmd" in runners:
            found = runners["salt.execute"](tgt, fun, arg=given, timeout=timeout, tgt_type=tgt_type, ret=ret, kwarg=kwarg or {})
        else:
            given += [f"{name}={value}" for name, value in (kwarg or {}).items()]
            publish = current.host().functions("modules")["publish.publish"]
            found = publish(tgt, fun, given, tgt_type=tgt_type, timeout=timeout or 5)
        return dict(found or {})

    def cmd_iter(self, *args: Any, **kwargs: Any) -> Iterator[Dict[str, Any]]:
        for minion, value in self.cmd(*args, **kwargs).items():
            yield {minion: {"ret": value}}

    cmd_iter_no_block = cmd_iter

    def cmd_batch(
        self, tgt: Any, fun: str, arg: Any = (), tgt_type: str = "glob", ret: str = "", kwarg: Any = None, **kwargs: Any
    ) -> Iterator[Dict[str, Any]]:
        """Brine sends the job in batches by ``salt -b`` alone: here to all at once."""
        for minion, value in self.cmd(tgt, fun, arg, tgt_type=tgt_type, ret=ret, kwarg=kwarg).items():
            yield {minion: value}

    def cmd_subset(
        self, tgt: Any, fun: str, arg: Any = (), tgt_type: str = "glob", ret: str = "", kwarg: Any = None, subset: int = 3, **kwargs: Any
    ) -> Dict[str, Any]:
        minions = sorted(self.cmd(tgt, "test.ping", tgt_type=tgt_type))
        return self.cmd(random.sample(minions, min(subset, len(minions))), fun, arg, tgt_type="list", ret=ret, kwarg=kwarg)


class Caller:
    """Calls functions of this host."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.opts = current.host().options()

    def cmd(self, fun: str, *args: Any, **kwargs: Any) -> Any:
        return current.host().functions("modules")[fun](*args, **kwargs)

    function = cmd


def get_local_client(*args: Any, **kwargs: Any) -> LocalClient:
    return LocalClient()
