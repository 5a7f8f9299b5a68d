"""Jobs on minions, and functions of this host."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, Iterator, List

import salt.utils.args
from brine_helper import current
from salt.exceptions import SaltClientError

#: Fields of a return that only some methods give.
_SHORT = ("ret", "out")


def _only(entry: Dict[str, Any], *names: str) -> Dict[str, Any]:
    return {name: entry[name] for name in names if name in entry}


def _beside_master() -> bool:
    return "salt.execute" in current.host().functions("runners")


class LocalClient:
    """Runs jobs: on a master by a runner or an engine, on a minion as far as the master's option ``peer`` lets it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.opts = current.host().options()

    def __enter__(self) -> "LocalClient":
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def destroy(self) -> None:
        pass

    # Publications.

    def pub(
        self,
        tgt: Any,
        fun: Any,
        arg: Any = (),
        tgt_type: str = "glob",
        ret: str = "",
        jid: str = "",
        timeout: Any = None,
        listen: bool = False,
        **kwargs: Any,
    ) -> Dict[str, Any]:
        """Publishes a job: its id and its minions; nothing if no minion matches."""
        if tgt_type == "list" and isinstance(tgt, str):
            tgt = [name.strip() for name in tgt.split(",")]
        order = {"tgt": tgt, "tgt_type": tgt_type, "fun": fun, "arg": list(arg), "ret": ret, "jid": jid}
        try:
            published = current.host().ask("publish", order={name: value for name, value in order.items() if value != ""})
            return {name: value for name, value in (published or {}).items() if value or name != "missing"}
        except Exception as error:
            raise SaltClientError(str(error)) from error

    def run_job(
        self,
        tgt: Any,
        fun: Any,
        arg: Any = (),
        tgt_type: str = "glob",
        ret: str = "",
        timeout: Any = None,
        jid: str = "",
        kwarg: Any = None,
        listen: bool = False,
        **kwargs: Any,
    ) -> Dict[str, Any]:
        return self.pub(tgt, fun, salt.utils.args.condition_input(arg, kwarg), tgt_type, ret, jid)

    def cmd_async(
        self, tgt: Any, fun: Any, arg: Any = (), tgt_type: str = "glob", ret: str = "", jid: str = "", kwarg: Any = None, **kwargs: Any
    ) -> Any:
        """The id of the job; 0 if no minion matches."""
        return self.run_job(tgt, fun, arg, tgt_type, ret, jid=jid, kwarg=kwarg).get("jid", 0)

    # Returns of jobs.

    def _answers(self, jid: str, timeout: Any = None, wait: bool = True, missing: Any = ()) -> Dict[str, Dict[str, Any]]:
        seconds = float(self.opts.get("timeout", 5) if timeout is None else timeout) if wait else None
        return dict(current.host().ask("answers", jid=str(jid), wait=seconds, missing=list(missing)) or {})

    def _returned(self, jid: str, timeout: Any, *names: str) -> Dict[str, Dict[str, Any]]:
        answers = self._answers(jid, timeout)
        return {minion: _only(entry, *names) for minion, entry in answers.items() if "failed" not in entry}

    def get_cache_returns(self, jid: str) -> Dict[str, Dict[str, Any]]:
        """What is on record."""
        return {minion: _only(entry, *_SHORT) for minion, entry in self._answers(jid, wait=False).items()}

    def get_full_returns(self, jid: str, minions: Any, timeout: Any = None) -> Dict[str, Dict[str, Any]]:
        return self._returned(jid, timeout, *_SHORT)

    def get_returns(self, jid: str, minions: Any, timeout: Any = None) -> Dict[str, Any]:
        return {minion: entry.get("ret") for minion, entry in self._returned(jid, timeout, *_SHORT).items()}

    def get_cli_returns(self, jid: str, minions: Any, timeout: Any = None, *args: Any, **kwargs: Any) -> Iterator[Dict[str, Any]]:
        for minion, entry in self._returned(jid, timeout, *_SHORT).items():
            yield {minion: entry}

    get_event_iter_returns = get_cli_returns

    def get_cli_static_event_returns(
        self, jid: str, minions: Any, timeout: Any = None, *args: Any, **kwargs: Any
    ) -> Dict[str, Dict[str, Any]]:
        return self._returned(jid, timeout, "ret", "out", "success")

    def get_iter_returns(
        self, jid: str, minions: Any, timeout: Any = None, *args: Any, missing: Any = (), **kwargs: Any
    ) -> Iterator[Dict[str, Any]]:
        """One that did not answer is ``{"failed": True}``."""
        for minion, entry in self._answers(jid, timeout, missing=missing).items():
            yield {minion: _only(entry, "failed", "ret", "out", "retcode", "jid")}

    def get_cli_event_returns(
        self, jid: str, minions: Any, timeout: Any = None, *args: Any, missing: Any = (), **kwargs: Any
    ) -> Iterator[Dict[str, Any]]:
        """One that did not answer has a text for people."""
        for minion, entry in self._answers(jid, timeout, missing=missing).items():
            yield {minion: {"ret": entry["text"]} if "failed" in entry else _only(entry, "ret", "out", "retcode", "jid")}

    def returns_for_job(self, jid: str) -> bool:
        return current.host().ask("answers", jid=str(jid), wait=None, missing=[]) is not None

    # Both.

    def cmd(
        self,
        tgt: Any,
        fun: Any,
        arg: Any = (),
        timeout: Any = None,
        tgt_type: str = "glob",
        ret: str = "",
        jid: str = "",
        full_return: bool = False,
        kwarg: Any = None,
        **kwargs: Any,
    ) -> Dict[str, Any]:
        if not _beside_master():
            return self._cmd_of_minion(tgt, fun, arg, timeout, tgt_type, kwarg)
        found: Dict[str, Any] = {}
        for piece in self._followed(self.get_cli_event_returns, tgt, fun, arg, timeout, tgt_type, ret, jid=jid, kwarg=kwarg):
            for minion, entry in piece.items():
                found[minion] = entry if full_return else entry.get("ret")
        return found

    cmd_sync = cmd

    def _cmd_of_minion(self, tgt: Any, fun: Any, arg: Any, timeout: Any, tgt_type: str, kwarg: Any) -> Dict[str, Any]:
        given = list(arg) if isinstance(arg, (list, tuple)) else [arg]
        given += [f"{name}={value}" for name, value in (kwarg or {}).items()]
        publish = current.host().functions("modules")["publish.publish"]
        return dict(publish(tgt, fun, given, tgt_type=tgt_type, timeout=timeout or 5) or {})

    def _followed(
        self,
        returns: Callable[..., Iterator[Dict[str, Any]]],
        tgt: Any,
        fun: Any,
        arg: Any = (),
        timeout: Any = None,
        tgt_type: str = "glob",
        ret: str = "",
        **kwargs: Any,
    ) -> Iterator[Dict[str, Any]]:
        """The returns of a new job; one empty map if no minion matches."""
        published = self.run_job(tgt, fun, arg, tgt_type, ret, timeout, **kwargs)
        if not published:
            yield published
            return
        yield from returns(published["jid"], published["minions"], timeout, missing=published.get("missing", ()))

    def cmd_iter(self, *args: Any, **kwargs: Any) -> Iterator[Dict[str, Any]]:
        """Brine gives the returns when the last has come."""
        if not _beside_master():
            return iter([{minion: {"ret": value}} for minion, value in self.cmd(*args, **kwargs).items()])
        return self._followed(self.get_iter_returns, *args, **kwargs)

    cmd_iter_no_block = cmd_iter

    def cmd_cli(self, *args: Any, **kwargs: Any) -> Iterator[Dict[str, Any]]:
        return self._followed(self.get_cli_event_returns, *args, **kwargs)

    def cmd_full_return(
        self,
        tgt: Any,
        fun: Any,
        arg: Any = (),
        timeout: Any = None,
        tgt_type: str = "glob",
        ret: str = "",
        verbose: bool = False,
        kwarg: Any = None,
        **kwargs: Any,
    ) -> Dict[str, Any]:
        published = self.run_job(tgt, fun, arg, tgt_type, ret, timeout, kwarg=kwarg)
        return self.get_cli_static_event_returns(published["jid"], published["minions"], timeout) if published else published

    def cmd_batch(
        self, tgt: Any, fun: Any, arg: Any = (), tgt_type: str = "glob", ret: str = "", kwarg: Any = None, **kwargs: Any
    ) -> Iterator[Dict[str, Any]]:
        """Brine sends the job in batches by ``salt -b`` alone: here to all at once."""
        for minion, value in self.cmd(tgt, fun, arg, tgt_type=tgt_type, ret=ret, kwarg=kwarg).items():
            yield {minion: value}

    def cmd_subset(
        self,
        tgt: Any,
        fun: Any,
        arg: Any = (),
        tgt_type: str = "glob",
        ret: str = "",
        kwarg: Any = None,
        subset: int = 3,
        cli: bool = False,
        **kwargs: Any,
    ) -> Any:
        minions = sorted(self.cmd(tgt, "test.ping", tgt_type=tgt_type))
        chosen = random.sample(minions, min(subset, len(minions)))
        call = self.cmd_cli if cli else self.cmd
        return call(chosen, fun, arg, tgt_type="list", ret=ret, kwarg=kwarg)

    def gather_minions(self, tgt: Any, expr_form: str) -> List[str]:
        import salt.utils.minions

        return list(salt.utils.minions.CkMinions(self.opts).check_minions(tgt, tgt_type=expr_form)["minions"])

    def gather_job_info(self, jid: str, tgt: Any, tgt_type: str, listen: bool = True, **kwargs: Any) -> Dict[str, Any]:
        """Asks the minions of a job whether it still runs."""
        return self.run_job(tgt, "saltutil.find_job", [jid], tgt_type)


class Caller:
    """Calls functions of this host."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.opts = current.host().options()

    def cmd(self, fun: str, *args: Any, **kwargs: Any) -> Any:
        return current.host().functions("modules")[fun](*args, **kwargs)

    function = cmd


def get_local_client(*args: Any, **kwargs: Any) -> LocalClient:
    return LocalClient()
