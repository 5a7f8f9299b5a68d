"""Grains of the shop"""


def shop():
    return {"shop": {"rack": "r7", "shelf": 3}}


def listed():
    grains = {}
    grains["shop_list"] = ["a", "b", 1]
    grains["shop_none"] = None
    return grains


def _private():
    return {"shop_private": True}


def nothing():
    return {}
