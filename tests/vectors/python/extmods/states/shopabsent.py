def __virtual__():
    return (False, "no shop on this host")


def f(name):
    return {}
