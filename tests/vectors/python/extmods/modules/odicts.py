"""salt.utils.odict and what is near it"""

import collections
import copy

import salt.utils.data
import salt.utils.dictdiffer
import salt.utils.immutabletypes
import salt.utils.odict
from salt.utils.odict import DefaultOrderedDict, OrderedDict


def ordered():
    value = OrderedDict([("z", 1), ("a", OrderedDict([("y", 2), ("b", 3)]))])
    value.move_to_end("z")
    other = copy.deepcopy(value)
    other["a"]["y"] = 5
    return {"value": value, "list": list(value), "same": value == {"a": {"y": 2, "b": 3}, "z": 1}, "other": other, "type": type(value).__name__}


def defaulted():
    value = DefaultOrderedDict(list)
    value["b"].append(1)
    value["a"].append(2)
    return [value, list(value.items())]


def caseless():
    value = salt.utils.data.CaseInsensitiveDict({"Content-Type": "x", "ETag": "y"})
    value["etag"] = "z"
    return [value["CONTENT-TYPE"], value["ETag"], "etag" in value, len(value)]


def differ():
    maps = salt.utils.dictdiffer.recursive_diff({"a": {"b": 1, "c": 2}}, {"a": {"b": 2, "d": 3}})
    found = [maps.changed, maps.added, maps.removed, maps.diffs]
    return [one() if callable(one) else one for one in found]


def deep():
    d = salt.utils.dictdiffer
    return [
        d.deep_diff({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}),
        d.deep_diff({"a": [1]}, {"a": [2]}, ignore=["x"]),
        d.DictDiffer({"a": 1, "b": 2}, {"b": 3, "c": 4}).added() == {"a"},
    ]


def frozen():
    value = salt.utils.immutabletypes.freeze({"a": [1, {"b": {2}}]})
    try:
        value["a"] = 1
    except TypeError:
        return [value["a"][0], sorted(value["a"][1]["b"]), type(value).__name__]


def counted():
    return [dict(collections.Counter("abca")), collections.defaultdict(int, {"a": 1}), list(collections.deque([1, 2], maxlen=1))]
