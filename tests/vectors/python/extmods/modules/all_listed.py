"""Only what __all__ names"""

__all__ = ["shown"]


def shown():
    return hidden()


def hidden():
    return "hidden"
