def good():
    return {"shop_good": 1}


def bad():
    raise RuntimeError("cannot be gathered")


def later():
    return {"shop_later": 2}
