def __virtual__():
    return False


def f():
    return 1
