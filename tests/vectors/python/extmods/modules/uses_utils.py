"""Functions of _utils"""


def f(n):
    return __utils__["shoputil.price"](n, tax=0.5)


def grains():
    return __utils__["shoputil.where"]()


def kinds():
    return ["shoputil.price" in __utils__, "no.such" in __utils__, "named.f" in __utils__, __utils__["named.f"]()]
