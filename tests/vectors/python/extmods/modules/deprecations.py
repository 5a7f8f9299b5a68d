"""Decorators that people use"""

import functools

import salt.utils.decorators
from salt.utils.decorators import depends, is_deprecated, with_deprecated
from salt.utils.decorators.path import which, which_bin

HAS_THING = False


def __virtual__():
    return True


@depends("json")
def has_json():
    return True


@depends("no_such_library_at_all")
def never():
    return True


@depends("HAS_THING")
def never_either():
    return True


def _fallback(*args, **kwargs):
    return "fell back"


@depends("no_such_library_at_all", fallback_function=_fallback)
def falls_back():
    return True


@depends(lambda: True)
def called_condition():
    return True


@which("sh")
def with_sh():
    return True


@which_bin(["no-such-program", "sh"])
def with_one_of():
    return True


@which("no-such-program-of-the-shop")
def without_program():
    return True


def memo(function):
    cache = {}

    @functools.wraps(function)
    def wrapper(*args):
        if args not in cache:
            cache[args] = function(*args)
        return cache[args]

    return wrapper


@memo
def power(base, exponent=2):
    """Documented behind a decorator"""
    return base**exponent
