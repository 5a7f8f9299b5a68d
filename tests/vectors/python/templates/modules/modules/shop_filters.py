"""Filters, tests and globals of a shop, as fleets keep them beside their modules."""

import functools

import salt.utils.decorators.jinja as decorators
from salt.exceptions import CommandExecutionError
from salt.utils.decorators.jinja import JinjaFilter, jinja_filter, jinja_global, jinja_test
from salt.utils.decorators.jinja import jinja_filter as named_filter

__virtualname__ = "shopf"


def __virtual__():
    return __virtualname__


def _logged(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapped


@jinja_filter("shop_price")
def price(value, currency="EUR", **more):
    """A price with its currency."""
    return f"{float(value):.2f} {currency}{sorted(more) or ''}"


@jinja_filter()
def shop_reversed(value):
    return value[::-1]


@decorators.jinja_filter("shop_shown")
@_logged
# What a template has given.
def _shown(value):
    return [type(value).__name__, repr(value)]


@JinjaFilter(name='shop_echo')
def through_salt(value):
    return __salt__["test.echo"](value)


@named_filter("shop_raises")
def raises(value):
    raise ValueError(f"no {value}")


@jinja_filter("shop_refuses")
def refuses(value):
    raise CommandExecutionError(f"not {value}")


@jinja_filter("shop_each")
def each(value):
    for item in value:
        yield {"x": item}


@jinja_filter("upper")
def upper(value):
    return f"mine {value}"


@jinja_filter("to_bool")
def to_bool(value):
    return "mine"


@jinja_filter("shop_both")
@jinja_test("shop_both")
def both(value):
    return value == "both"


@jinja_test("shop_cheap")
def cheap(value, limit=5):
    return float(value) < limit


@jinja_global("shop_open")
def is_open(*args, **kwargs):
    return [list(args), [list(pair) for pair in sorted(kwargs.items())], __grains__["id"], __opts__["id"]]


def plain():
    return price(1)
