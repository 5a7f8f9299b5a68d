"""
Report on the fleet

.. code-block:: yaml

    engines:
      - fleetengine:
          tag: fleet
"""

import logging
import time

import salt.client
import salt.config
import salt.key
import salt.runner
import salt.utils.event
import salt.utils.jid
import salt.utils.master
import salt.utils.minions
import salt.wheel

log = logging.getLogger(__name__)


def __virtual__():
    return True


def _fire(tag, data):
    """As Salt's own example of an engine has it."""
    if __opts__["__role"] == "master":
        with salt.utils.event.get_master_event(__opts__, __opts__["sock_dir"], listen=False) as bus:
            bus.fire_event(data, tag)
    else:
        __salt__["event.send"](tag, data)


def _ping():
    with salt.client.LocalClient(mopts=__opts__) as local:
        return local.cmd("*", "test.ping")


def _full():
    local = salt.client.get_local_client(mopts=__opts__)
    found = local.cmd("web1", "test.arg", ["a"], kwarg={"b": 1}, full_return=True)
    return [found["web1"]["ret"]["args"], found["web1"]["retcode"]]


def _later():
    local = salt.client.get_local_client(__opts__["conf_file"])
    jid = local.cmd_async("*", "test.echo", ["later"])
    while "web1" not in local.get_cache_returns(jid):
        time.sleep(0.2)
    return [salt.utils.jid.is_jid(jid), local.get_cache_returns(jid)["web1"]["ret"]]


def _iterates():
    local = salt.client.LocalClient(mopts=__opts__)
    return [sorted(one) for one in local.cmd_iter("*", "test.echo", ["x"], timeout=20) if one]


def _runner():
    client = salt.runner.RunnerClient(__opts__)
    return client.cmd("test.arg", ["a"], kwarg={"b": 1}, print_event=False)["args"]


def _runner_fails():
    client = salt.runner.RunnerClient(__opts__)
    return client.cmd("jobs.no_such", [], print_event=False)


def _runners():
    return __runners__["test.arg"]("a", b=1)["kwargs"]["b"]


def _wheel():
    client = salt.wheel.WheelClient(__opts__)
    return client.cmd("key.list", ["accepted"], print_event=False)


def _keys():
    with salt.key.get_key(__opts__) as keys:
        return [sorted(keys.list_keys()), keys.list_keys()["minions"], keys.name_match("web*"), keys.name_match("nobody")]


def _matching():
    minions = salt.utils.minions.CkMinions(__opts__)
    return [minions.check_minions("*")["minions"], minions.check_minions("web1,gone", tgt_type="list")["minions"]]


def _grains():
    util = salt.utils.master.MasterPillarUtil(
        "web1", "glob", use_cached_grains=True, grains_fallback=False, use_cached_pillar=True, pillar_fallback=False, opts=__opts__
    )
    return util.get_minion_grains()["web1"]["id"]


def _salt():
    return [__salt__["test.echo"]("x"), "test.ping" in __salt__, __opts__["id"]]


def _caller():
    caller = salt.client.Caller(mopts=__opts__)
    return [caller.cmd("test.echo", "x"), caller.cmd("test.arg", 1, a=2)["kwargs"]["a"]]


def _published():
    return __salt__["publish.publish"]("web1", "test.ping")


def _heard():
    """Listens to what it fires itself."""
    role = __opts__["__role"]
    with salt.utils.event.get_event(role, sock_dir=__opts__["sock_dir"], opts=__opts__, listen=True) as bus:
        event = None
        while event is None:
            # A listener counts from when the bus has accepted it, of which nobody is told.
            bus.fire_event({"n": 1}, "fleet/own/1")
            event = bus.get_event(wait=2, tag="fleet/own", full=True)
        return [event["tag"], event["data"]["n"]]


MASTER = [_ping, _full, _later, _iterates, _runner, _runner_fails, _runners, _wheel, _keys, _matching, _grains, _salt, _heard]
MINION = [_salt, _caller, _heard]


def start(tag="fleet", minion="web1"):
    """Fires what each way of asking returns, and then waits."""
    role = __opts__["__role"]
    if role == "master":
        # Until the minion is there.
        while not salt.client.LocalClient(mopts=__opts__).cmd(minion, "test.ping", timeout=2).get(minion):
            time.sleep(0.5)
    for work in MASTER if role == "master" else MINION:
        try:
            value = {"value": work()}
        except Exception as exc:  # noqa: BLE001
            log.exception("%s", work.__name__)
            value = {"raised": type(exc).__name__}
        _fire(f"{tag}/{role}/{work.__name__[1:]}", value)
    _fire(f"{tag}/{role}/end", {"value": True})
    while True:
        time.sleep(1)
