def __virtual__():
    raise ValueError("the probe broke")


def f():
    return 1
