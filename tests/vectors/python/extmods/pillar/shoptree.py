# -*- coding: utf-8 -*-
"""
Pillar of a tree of values, by the roles of a minion
"""
import copy
import logging

import salt.utils.dictupdate
import salt.utils.minions

__opts__ = {"shoptree.default": "none"}

log = logging.getLogger(__name__)


def __virtual__():
    return True


def ext_pillar(minion_id, pillar, tree=None, *args, **kwargs):
    """
    Merge the branches that fit the minion
    """
    found = {"tree": {"of": minion_id, "default": __opts__["shoptree.default"], "args": list(args), "kwargs": sorted(kwargs)}}
    for name, branch in sorted((tree or {}).items()):
        if name == "common" or name == __grains__.get("planet"):
            found = salt.utils.dictupdate.update(found, copy.deepcopy(branch))
    found["had"] = sorted(pillar)[:2]
    return found
