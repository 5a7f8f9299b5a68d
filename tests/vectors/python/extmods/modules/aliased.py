"""One file under several names"""

__virtual_aliases__ = ("aliased_too", "aliased_three")


def f():
    return "aliased"
