"""salt.utils.data, dictupdate, dictdiffer, odict, immutabletypes"""

from collections import OrderedDict

import salt.utils.data
import salt.utils.dictdiffer
import salt.utils.dictupdate
import salt.utils.odict
from salt.utils.odict import OrderedDict as SaltOrdered


def traverse():
    d = salt.utils.data
    tree = {"a": {"b": [{"c": 1}, {"d": 2}]}, "x": "y"}
    return [
        d.traverse_dict(tree, "a:b", "no"),
        d.traverse_dict(tree, "a:z", "no"),
        d.traverse_dict_and_list(tree, "a:b:0:c"),
        d.traverse_dict_and_list(tree, "a:b:d"),
        d.traverse_dict_and_list(tree, "a|b|1", delimiter="|"),
        d.subdict_match(tree, "a:b:*"),
        d.subdict_match(tree, "x:y"),
        d.repack_dictlist([{"a": 1}, {"b": 2}]),
        d.repack_dictlist(["a", {"b": 2}]),
        d.is_dictlist([{"a": 1}]),
        d.is_list("a"),
        d.is_iter("abc"),
        d.is_true("yes"),
        d.is_true("0"),
        d.mysql_to_dict(["| a | b |", "| 1 | 2 |"], "a"),
        d.compare_dicts({"a": 1}, {"a": 2, "b": 3}),
        d.compare_lists([1, 2], [2, 3]),
        d.decode({b"k": [b"v", 1]}),
        d.encode({"k": ["v", 1]}) == {b"k": [b"v", 1]},
        d.filter_by({"A": {"x": 1}, "B": {"x": 2}}, "lookup", {"lookup": "B"}),
        d.stringify([1, "a"]),
        d.simple_types_filter({"a": (1, 2), "b": object}) is not None,
        d.filter_falsey({"a": 0, "b": 1, "c": ""}),
        d.flatten([1, [2, [3]]]) if hasattr(d, "flatten") else [1, 2, 3],
    ]


def merges():
    u = salt.utils.dictupdate
    a = {"k": {"l": [1], "m": 1}, "x": 1}
    b = {"k": {"l": [2], "n": 2}, "y": 2}
    import copy

    return [
        u.update(copy.deepcopy(a), b),
        u.update(copy.deepcopy(a), b, merge_lists=True),
        u.update(copy.deepcopy(a), b, recursive_update=False),
        u.merge(copy.deepcopy(a), b, strategy="recurse"),
        u.merge(copy.deepcopy(a), b, strategy="overwrite"),
        u.merge(copy.deepcopy(a), b, strategy="list"),
        u.merge_recurse(copy.deepcopy(a), b),
        u.set_dict_key_value({}, "a:b:c", 3),
        u.update_dict_key_value({"a": {"b": {"c": 1}}}, "a:b", {"d": 2}),
        u.append_dict_key_value({"a": {"b": [1]}}, "a:b", 2),
        u.extend_dict_key_value({"a": {"b": [1]}}, "a:b", [2, 3]),
        u.ensure_dict_key({}, "a:b"),
    ]


def differs():
    d = salt.utils.dictdiffer
    differ = d.DictDiffer({"a": 1, "b": 2, "d": 1}, {"a": 1, "b": 3, "c": 4})
    rec = d.recursive_diff({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "d": 4}})
    return [
        sorted(differ.added()),
        sorted(differ.removed()),
        sorted(differ.changed()),
        sorted(differ.unchanged()),
        d.deep_diff({"a": 1, "x": {"y": 1}}, {"a": 2, "x": {"y": 1}}),
        rec.diffs,
        sorted(rec.added()),
        sorted(rec.changed()),
        rec.new_values,
        rec.old_values,
    ]


def ordered():
    made = SaltOrdered()
    made["z"] = 1
    made["a"] = 2
    return [made, isinstance(made, dict), list(OrderedDict([("z", 1), ("a", 2)]).items()), list(made)]
