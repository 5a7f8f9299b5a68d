"""Only what __load__ names"""

__load__ = ["shown"]


def shown():
    return hidden()


def hidden():
    return "hidden"
