"""Grains that look at others"""

import os

__virtualname__ = "shop_renamed"


def __virtual__():
    return __virtualname__


def derived(grains):
    return {"shop_from": [grains.get("kernel"), grains["shop_seen"] if "shop_seen" in grains else "not yet"]}


def of_opts():
    return {"shop_id": __opts__["id"], "shop_sep": os.sep}
