__virtualname__ = "alone"


def f():
    return 1
