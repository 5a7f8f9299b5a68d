"""A beacon whose name is not that of its file"""

__virtualname__ = "shopshelf"


def __virtual__():
    return __virtualname__


def validate(config):
    return isinstance(config, list), "checked by " + __virtualname__


def beacon(config):
    return [{"shelf": __salt__["test.echo"](item["name"])} for item in config]
