# -*- coding: utf-8 -*-
"""
Grains of a rack, as published for many releases
"""
from __future__ import absolute_import

import logging
import re

import salt.utils.path
import salt.utils.platform

LOG = logging.getLogger(__name__)
__virtualname__ = "shop_network"
__proxyenabled__ = ["*"]


def __virtual__():
    return __virtualname__ if salt.utils.platform.is_linux() else False


def _rack(name):
    match = re.match(r"([a-z]+)(\d+)", name)
    return match.groups() if match else (name, None)


def rack():
    """
    Where it stands
    """
    kind, number = _rack(__opts__["id"])
    return {"shop_rack": {"kind": kind, "number": int(number), "path": bool(salt.utils.path.which("sh"))}}


def tiers(grains):
    return {"shop_tiers": ("front", ["back", grains.get("planet")]), "shop_planets": {grains.get("planet")}}


class Helper:
    def grains(self):
        return {"shop_class": True}
