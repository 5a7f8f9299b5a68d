def __virtual__():
    return False


def f():
    return {"shop_false": True}
