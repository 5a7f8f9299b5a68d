"""A second file that adds to the same name"""

__virtualname__ = "shopsvc"


def __virtual__():
    return __virtualname__


def extra():
    return "from the second file"


def list_():
    return "never seen: the first file has it"
