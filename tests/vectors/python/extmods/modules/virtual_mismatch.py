__virtualname__ = "said"


def __virtual__():
    return "other"


def f():
    return __name__.rsplit(".", 1)[-1]
