# -*- coding: utf-8 -*-
"""
Reports about a fleet, as communities publish them
"""
from __future__ import absolute_import

import collections
import logging

import salt.utils.args
import salt.utils.data
import salt.utils.dictupdate
from salt.exceptions import SaltInvocationError, SaltRunnerError

log = logging.getLogger(__name__)

__func_alias__ = {"list_": "list"}


def __virtual__():
    return "shopreport"


def list_(tgt="*", tgt_type="glob", *fields, **kwargs):
    """
    List what is asked for
    """
    kwargs = salt.utils.args.clean_kwargs(**kwargs)
    if tgt_type not in ("glob", "list"):
        raise SaltInvocationError("Unknown type {0}".format(tgt_type))
    return {"tgt": tgt, "fields": fields, "kwargs": kwargs, "user": __opts__["id"]}


def grouped(*names):
    found = collections.OrderedDict()
    for name in names:
        found.setdefault(name.rstrip("0123456789"), []).append(name)
    return found


def nested():
    """
    Call another runner, and one of its own
    """
    return [__salt__["shopreport.list"]("web*", "list"), "shopreport.list" in __salt__, __salt__["test.arg"]("a")["args"]]


def fails(kind="runner"):
    if kind == "runner":
        raise SaltRunnerError("cannot report")
    if kind == "code":
        __context__["retcode"] = 5
        return False
    return {}["missing"]


def merged():
    return salt.utils.dictupdate.merge({"a": [1], "b": {"c": 1}}, {"a": [2], "b": {"d": 2}}, merge_lists=True)
