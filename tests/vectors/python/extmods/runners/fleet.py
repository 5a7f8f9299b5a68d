"""Runners of the shop"""

from __future__ import print_function

import salt.client
import salt.config


def echo(text, *args, **kwargs):
    """Says it"""
    return {"text": text, "args": list(args), "kwargs": sorted(key for key in kwargs if not key.startswith("__"))}


def others():
    return [
        __salt__["test.arg"]("a", b=1)["kwargs"],
        "fleet.echo" in __salt__,
        __salt__["fleet.echo"]("inner")["text"],
        "no.such" in __salt__,
        __salt__["salt.cmd"]("test.echo", "by salt.cmd"),
    ]


def progress():
    for n in (1, 2):
        __jid_event__.fire_event({"n": n}, "progress")
    return "done"


def options():
    return [__opts__["conf_file"].rsplit("/", 1)[-1], "sock_dir" in __opts__, __opts__.get("shop_color"), callable(salt.config.client_config)]


def fails():
    raise ValueError("runner broke")


def _private():
    return 1
