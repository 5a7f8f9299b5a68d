"""Jobs of a fleet, as custom runners start and follow them."""

import time

import salt.client
import salt.config
import salt.utils.jid
from salt.exceptions import SaltClientError, SaltInvocationError


def _local():
    return salt.client.get_local_client(__opts__["conf_file"])


def _steady(value, jid=None):
    """Without what is another each time."""
    if isinstance(value, dict):
        return {
            key: "JID" if key == "jid" else _steady(item, jid) for key, item in sorted(value.items()) if key not in ("_stamp", "cmd", "fun_args")
        }
    if isinstance(value, (list, tuple, set)):
        return [_steady(item, jid) for item in value]
    return "JID" if jid is not None and value == jid else value


def _merged(pieces):
    """What came one by one, in the order of names."""
    found = {}
    for piece in pieces:
        for name, value in (piece or {}).items():
            found[name] = _steady(value)
    return dict(sorted(found.items()))


def cmd():
    with salt.client.LocalClient(mopts=__opts__) as local:
        return [
            local.cmd("*", "test.echo", ["hi"]),
            local.cmd("web1", "test.arg", ["a", 1], kwarg={"b": 2}),
            local.cmd("web1,db1", "test.ping", tgt_type="list"),
            local.cmd(["db1"], "test.ping", tgt_type="list", timeout=10),
            local.cmd("nobody", "test.ping"),
            local.cmd("web1", "no.such_function"),
            _steady(local.cmd("web1", "test.ping", full_return=True)),
            local.cmd("web1", ["test.ping", "test.echo"], [[], ["two"]]),
            local.cmd("os:*", "test.ping", tgt_type="grain", timeout=20),
        ]


def cmd_async():
    local = _local()
    jid = local.cmd_async("*", "test.echo", ["later"])
    found = local.get_returns(jid, ["web1", "db1"], timeout=20) if salt.utils.jid.is_jid(jid) else {}
    until = time.monotonic() + 20
    while time.monotonic() < until and len(local.get_cache_returns(jid)) < 2:
        time.sleep(0.1)
    return [
        salt.utils.jid.is_jid(jid),
        sorted(set(found) | {"web1", "db1"}),
        _steady(local.get_cache_returns(jid)),
        _steady(local.get_full_returns(jid, ["web1", "db1"], timeout=5)),
        local.cmd_async("nobody", "test.ping"),
        local.get_cache_returns("20200101000000000000"),
    ]


def run_job():
    local = _local()
    pub = local.run_job("*", "test.sleep", [2])
    returns = local.get_cli_returns(pub["jid"], pub["minions"], timeout=10, tgt="*", tgt_type="glob")
    return [
        sorted(pub),
        sorted(pub["minions"]),
        salt.utils.jid.is_jid(pub["jid"]),
        _merged(returns),
        local.run_job("nobody", "test.ping"),
        sorted(local.gather_minions("*", "glob")),
        local.gather_minions("web1,db1", "list"),
    ]


def run_job_named():
    local = _local()
    jid = salt.utils.jid.gen_jid(__opts__)
    pub = local.run_job("web1", "test.ping", jid=jid)
    other = local.run_job("web1", "test.arg", ["a"], kwarg={"b": 1}, listen=False)
    until = time.monotonic() + 20
    while time.monotonic() < until and not (local.get_cache_returns(jid) and local.get_cache_returns(other["jid"])):
        time.sleep(0.1)
    return [pub["jid"] == jid, _steady(local.get_cache_returns(jid)), _steady(local.get_cache_returns(other["jid"]))]


def iterates():
    local = _local()
    return [
        _merged(local.cmd_iter("*", "test.echo", ["x"], timeout=20)),
        _merged(one for one in local.cmd_iter_no_block("*", "test.echo", ["x"], timeout=20)),
        _merged(local.cmd_cli("*", "test.echo", ["x"], timeout=20)),
        _steady(local.cmd_full_return("*", "test.echo", ["x"], timeout=20)),
        _merged(local.cmd_batch("*", "test.echo", ["x"], batch="50%")),
        _merged(local.cmd_batch("*", "test.echo", ["x"], batch="1", raw=False)),
        list(local.cmd_iter("nobody", "test.ping")),
    ]


def subset():
    local = _local()
    return [
        _steady(local.cmd_subset("*", "test.echo", ["x"], subset=5)),
        len(local.cmd_subset("*", "test.ping", subset=1)),
    ]


def silent():
    """Minions that do not answer."""
    local = _local()
    return [
        _steady(local.cmd("gone,web1", "test.ping", tgt_type="list", timeout=5)),
        _merged(local.cmd_iter("gone,web1", "test.ping", tgt_type="list", timeout=5)),
    ]


def publishes():
    local = _local()
    pub = local.pub("web1", "test.ping", (), "glob", "")
    return [sorted(pub), sorted(pub["minions"])]


def refuses():
    local = _local()
    found = []
    for call in (
        lambda: local.cmd("web1", "test.ping", tgt_type="nonsense"),
        lambda: local.cmd_async("web1", "test.ping", "not a list"),
        lambda: local.run_job("web1", "test.ping", arg=None),
    ):
        try:
            found.append(_steady(call()))
            if isinstance(found[-1], str) and salt.utils.jid.is_jid(found[-1]):
                found[-1] = "a jid"
        except Exception as exc:  # noqa: BLE001
            found.append(type(exc).__name__)
    return found


def runners():
    import salt.runner

    client = salt.runner.RunnerClient(__opts__)
    return [client.cmd("test.arg", ["a"], kwarg={"b": 1}, print_event=False)["args"], client.cmd("test.arg", ["a"], full_return=True)["success"]]


def wheels():
    import salt.wheel

    client = salt.wheel.WheelClient(__opts__)
    return sorted(client.cmd("key.list", ["accepted"], print_event=False)["minions"])


