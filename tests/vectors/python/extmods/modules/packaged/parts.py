ONE = 1


def double(n):
    return n * 2


def _secret():
    return "secret"
