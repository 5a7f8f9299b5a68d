"""Not for this planet"""

__virtualname__ = "moon"


def __virtual__():
    if __grains__.get("planet") == "moon":
        return __virtualname__
    return (False, "The moonbase module can only be used on the moon")


def launch():
    return True
