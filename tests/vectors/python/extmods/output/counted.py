__virtualname__ = "counts"


def __virtual__():
    return __virtualname__


def output(data):
    return "{} minions, {}".format(len(data), __opts__.get("color"))
