"""Values in a file, by profile"""

import logging
import os

import salt.utils.files
import salt.utils.json

log = logging.getLogger(__name__)

__func_alias__ = {"set_": "set"}


def __virtual__():
    return True


def _values(profile, values=None):
    path = profile["path"]
    if values is not None:
        with salt.utils.files.fopen(path, "w") as handle:
            salt.utils.json.dump(values, handle)
        return values
    if not os.path.exists(path):
        return {}
    with salt.utils.files.fopen(path) as handle:
        return salt.utils.json.load(handle)


def get(key, profile=None):
    return _values(profile).get(key, {"key": key, "driver": profile["driver"], "prefix": (profile or {}).get("prefix")})


def set_(key, value, profile=None):
    return _values(profile, {**_values(profile), key: [profile.get("prefix"), value]})


def delete(key, profile=None):
    values = _values(profile)
    values.pop(key, None)
    return _values(profile, values)
