# -*- coding: utf-8 -*-
"""
Files of minions on the master
"""
import os

import salt.utils.files
import salt.utils.path


def where(*names):
    """
    Paths below the keys, without their root
    """
    return [salt.utils.path.join("/keys", os.path.basename(name)) for name in names]


def options(name="cachedir", default=None):
    return [name in __opts__, __opts__.get("no_such", default)]


def count(values=None, **kwargs):
    return {"count": len(values or ()), "keys": sorted(key for key in kwargs if not key.startswith("__"))}
