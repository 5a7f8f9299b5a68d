__virtualname__ = "named"


def __virtual__():
    return __virtualname__


def f():
    return "named"
