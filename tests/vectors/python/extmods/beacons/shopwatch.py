"""
Watch files of the shop

.. code-block:: yaml

    beacons:
      shopwatch:
        - files:
            - /srv/a
        - size: 3
"""

import os

import salt.utils.beacons

__virtualname__ = "shopwatch"


def __virtual__():
    return __virtualname__


def validate(config):
    """Validate the beacon configuration"""
    if not isinstance(config, list):
        return False, "Configuration for shopwatch beacon must be a list."
    config = salt.utils.beacons.list_to_dict(config)
    if "files" not in config:
        return False, "Configuration for shopwatch beacon requires files."
    return True, "Valid beacon configuration"


def beacon(config):
    config = salt.utils.beacons.list_to_dict(config)
    key = "shopwatch.calls"
    __context__[key] = __context__.get(key, 0) + 1
    ret = []
    for name in config["files"]:
        ret.append({"file": name, "there": os.path.exists(name), "calls": __context__[key], "tag": os.path.basename(name), "name": __opts__["id"]})
    return ret


def close(config):
    __context__.pop("shopwatch.calls", None)
