"""State that is prepared when the module is loaded"""

CONNECTION = {}


def __init__(opts):
    CONNECTION["id"] = opts["id"]
    CONNECTION["has"] = "test.ping" in __salt__


def state():
    return dict(CONNECTION)
