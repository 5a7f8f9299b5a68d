"""A service with mod_watch and mod_init"""

import logging

import salt.utils.args
import salt.utils.data
from salt.exceptions import CommandExecutionError

log = logging.getLogger(__name__)

__virtualname__ = "shopservice"
_STARTED = "shopservice.started"


def __virtual__():
    if "cmd.run" not in __salt__:
        return (False, "cmd is missing")
    return __virtualname__


def mod_init(low):
    __context__[_STARTED] = f"{low['fun']} {low['name']}"
    return True


def running(name, enable=None, watch_action="restart", **kwargs):
    ret = {"name": name, "result": True, "changes": {}, "comment": f"{name} runs"}
    extra = salt.utils.args.clean_kwargs(**kwargs)
    if enable:
        if __opts__["test"]:
            ret["result"] = None
            ret["comment"] = f"{name} would be enabled"
            return ret
        ret["changes"] = {name: {"old": "disabled", "new": "enabled"}}
    ret["comment"] += f" since {__context__[_STARTED]} with {sorted(extra)}"
    return ret


def dead(name, fails=False, **kwargs):
    ret = {"name": name, "result": not fails, "changes": {}, "comment": ""}
    try:
        if fails:
            raise CommandExecutionError("cannot be stopped", info={"pid": 5})
    except CommandExecutionError as exc:
        ret["comment"] = [exc.message, str(exc.info)]
        return ret
    ret["comment"] = ["stopped", "well"]
    return ret


def mod_watch(name, sfun=None, sig=None, watch_action="restart", **kwargs):
    if sfun == "running":
        return {"name": name, "result": True, "changes": {name: True}, "comment": f"{watch_action}ed"}
    return {"name": name, "result": False, "changes": {}, "comment": f"nothing to watch in {sfun}"}


def nested(name, **kwargs):
    done = __states__["test.succeed_with_changes"](name="inner")
    other = __states__["shopservice.running"](name="inner", enable=True)
    return {"name": name, "result": done["result"], "changes": {"a": done["changes"], "b": other["changes"]}, "comment": other["comment"], "sub_state_run": []}


def pending(name, changes=None, warnings=None):
    return {"name": name, "result": None if __opts__["test"] else True, "changes": changes or {}, "comment": "as told", "warnings": warnings or [], "pchanges": {}}
