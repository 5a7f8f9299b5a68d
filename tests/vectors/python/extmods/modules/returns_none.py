def __virtual__():
    if False:
        return True


def f():
    return 1
