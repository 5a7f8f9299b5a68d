"""Filters, tests and globals of templates"""

from salt.utils.decorators.jinja import jinja_filter, jinja_global, jinja_test

__virtualname__ = "jinja_things"


def __virtual__():
    return __virtualname__


@jinja_filter("shop_price")
def price(value, currency="EUR"):
    return f"{float(value):.2f} {currency}"


@jinja_filter()
def shop_reversed(value):
    return value[::-1]


@jinja_test("shop_cheap")
def cheap(value):
    return float(value) < 5


@jinja_global("shop_open")
def is_open():
    return "yes"


def plainly():
    return [price(3), shop_reversed("abc"), cheap(3), is_open()]
