# -*- coding: utf-8 -*-
"""
Backups of shops are there
==========================

.. code-block:: yaml

    nightly:
      shop_backup.present:
        - keep: 3
"""
import copy
import logging

import salt.utils.dictdiffer

log = logging.getLogger(__name__)

__virtualname__ = "shop_backup"


def __virtual__():
    if "shop_backup.list" in __salt__:
        return __virtualname__
    return False, "shop_backup module could not be loaded"


def present(name, keep=None, targets=(), **kwargs):
    """
    Ensure that a backup is there
    """
    ret = {"name": name, "result": None, "comment": "", "changes": {}}
    before = {"keep": 1, "targets": ["a"], "more": {"x": 1}}
    after = copy.deepcopy(before)
    after.update({"keep": keep, "targets": list(targets)})
    diff = salt.utils.dictdiffer.deep_diff(before, after)
    if not diff:
        ret.update(result=True, comment="{} is already there".format(name))
        return ret
    if __opts__["test"]:
        ret["comment"] = "{} would be changed".format(name)
        ret["changes"] = diff
        return ret
    ret["changes"] = {"diff": diff, ("a", 1): {"set"}, "low": sorted(key for key in __low__ if not key.startswith("__"))}
    ret["comment"] = ["{} was changed".format(name), "kept {}".format(keep)]
    ret["result"] = True
    ret["warnings"] = ["{} is large".format(name)]
    return ret


def absent(name):
    """
    Ensure that a backup is gone
    """
    ret = {"name": name, "result": False, "comment": "", "changes": {}}
    try:
        __salt__["shop_backup.verify"](name)
    except Exception as exc:  # pylint: disable=broad-except
        ret["comment"] = "Cannot verify: {}".format(exc.__class__.__name__)
        return ret
    return ret


def mod_watch(name, sfun=None, **kwargs):
    return {"name": name, "changes": {"watched": sfun}, "result": True, "comment": "watch of {}".format(kwargs.get("__reqs__") is not None)}
