"""A driver by another name, which only reads"""

from salt.exceptions import CommandExecutionError

__virtualname__ = "shopvault"


def __virtual__():
    return __virtualname__


def get(key, service=None, profile=None):
    if key == "broken":
        raise CommandExecutionError("the vault is shut")
    return None if key == "nothing" else f"{key} of {__opts__['id']} {profile['path']}"
