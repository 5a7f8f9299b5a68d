"""Users of the shop: one that has its own permissions, one of a group, one by token"""

import logging

log = logging.getLogger(__name__)

_USERS = {"ann": "bread", "bob": "milk", "eve": "token"}


def auth(username, password, token=None):
    if username == "crash":
        raise RuntimeError("the till is on fire")
    return _USERS.get(username) == password


def groups(username, **kwargs):
    return ["bakers", "all"] if username == "bob" else []


def acl(username, **kwargs):
    return [".*", "@runner"] if username == "ann" else None


def process_acl(auth_list, opts=None):
    return [*auth_list, {"by": opts["id"]}] if auth_list else auth_list
