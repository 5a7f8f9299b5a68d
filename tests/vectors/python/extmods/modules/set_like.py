"""Names of Python's own as functions"""

import logging

log = logging.getLogger(__name__)

__func_alias__ = {"list_": "list", "set_": "set", "help_": "help", "id_": "id", "type_": "type", "is_": "is"}
__outputter__ = {"list_": "nested", "set_": "json"}


def list_(*names):
    """The names, sorted."""
    return sorted(set_(*names))


def set_(*names):
    """The names, once each."""
    seen = []
    for name in names:
        if name not in seen:
            seen.append(name)
    return seen


def help_():
    return list_.__doc__


def id_(name=None):
    return __opts__["id"] if name is None else name


def type_(value):
    return type(value).__name__


def is_(value, kind="str"):
    return type_(value) == kind


def names():
    return sorted(name for name in __salt__ if name.startswith("set_like."))
