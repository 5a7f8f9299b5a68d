"""Shared by modules, states and runners"""

import salt.utils.dictupdate

PRICES = {"bread": 3, "milk": 2}


def basket(name, count):
    return {"name": name, "count": count, "role": __pillar__.get("role"), "os": __grains__.get("os"), "id": __opts__["id"]}


def total(items):
    return sum(PRICES[name] * count for name, count in items.items())


def merged(one, other):
    return salt.utils.dictupdate.merge(one, other, strategy="recurse")
