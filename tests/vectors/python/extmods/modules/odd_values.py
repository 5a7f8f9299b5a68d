"""Returns that are not plain"""

import collections
import datetime
import decimal


def numbers():
    return {"float": 1.0, "neg": -0.5, "big": 2**53, "bool": True, "none": None, "int": 1}


def containers():
    return {"tuple": (1, (2,)), "ordered": collections.OrderedDict([("z", 1), ("a", 2)]), "empty": [{}, [], ""]}


def keys():
    return {1: "int", "1": "str", True: "bool"} and {1: "int", "a": {2: ["nested"]}}


def text():
    return ["ä€😀", "tab\tnew\nline", "\u2028", "", " "]


def raw():
    return b"plain bytes"


def named():
    Point = collections.namedtuple("Point", "x y")
    return Point(1, 2)


def default_dict():
    found = collections.defaultdict(list)
    found["a"].append(1)
    return found


def counter():
    return collections.Counter("aab")


def views():
    return list({"a": 1}.keys())


def string_subclass():
    class Name(str):
        pass

    return [Name("x"), {Name("k"): Name("v")}]


def dated():
    return datetime.datetime(2024, 1, 2, 3, 4, 5)
