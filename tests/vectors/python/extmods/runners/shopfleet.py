"""Runners as people write them: clients, outputters, functions of the master"""

import logging

import salt.client
import salt.config
import salt.output
import salt.utils.args
import salt.utils.event
import salt.utils.minions
import salt.utils.yaml
from salt.exceptions import SaltInvocationError

log = logging.getLogger(__name__)
__func_alias__ = {"list_": "list"}


def list_(kind="all", **kwargs):
    """What there is."""
    kwargs = salt.utils.args.clean_kwargs(**kwargs)
    if kwargs:
        salt.utils.args.invalid_kwargs(kwargs)
    return {"kind": kind, "role": __opts__.get("__role"), "utils": __utils__["shoptools.total"]({"milk": 2})}


def shown(data):
    text = salt.output.out_format({"shop": data}, "nested", dict(__opts__, color=False, output_indent=0))
    other = salt.output.out_format({"shop": data}, "json", dict(__opts__, color=False))
    return [text, other, salt.utils.yaml.safe_dump({"a": [1]}, default_flow_style=False)]


def client():
    try:
        local = salt.client.get_local_client(__opts__["conf_file"])
    except Exception as exc:  # noqa: BLE001
        return type(exc).__name__
    return [hasattr(local, name) for name in ("cmd", "cmd_iter", "cmd_iter_no_block", "cmd_batch", "cmd_subset")]


def refuses(name):
    raise SaltInvocationError(f"no {name} today")


def of_others():
    return [__salt__["shopfleet.list"]("x")["kind"], "manage.up" in __salt__, "nothing.here" in __salt__]


def minions():
    checker = salt.utils.minions.CkMinions(__opts__)
    return checker.check_minions("*", "glob")["minions"]
