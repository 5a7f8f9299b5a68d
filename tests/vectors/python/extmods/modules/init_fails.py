def __init__(opts):
    raise RuntimeError("no connection")


def f():
    return 1
