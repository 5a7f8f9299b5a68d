"""Looks at a queue, with what beacons import"""

import logging

import salt.utils.beacons
import salt.utils.data

log = logging.getLogger(__name__)
__virtualname__ = "shopqueue"


def __virtual__():
    return __virtualname__


def validate(config):
    if not isinstance(config, list):
        return False, "Configuration for shopqueue beacon must be a list."
    merged = salt.utils.beacons.list_to_dict(config)
    if "queues" not in merged:
        return False, "Configuration for shopqueue beacon requires queues."
    return True, "Valid beacon configuration"


def beacon(config):
    merged = salt.utils.beacons.list_to_dict(config)
    found = []
    for name, limit in sorted(merged["queues"].items()):
        count = __context__.setdefault("shopqueue", {}).setdefault(name, 0) + 1
        __context__["shopqueue"][name] = count
        if count >= limit:
            found.append({"tag": name, "queue": name, "length": count, "on": __grains__["os"]})
    return found
