"""Functions of _utils, and of Salt's own utils by __utils__"""

import sys


def through():
    return [__utils__["shoptools.basket"]("bread", 2), __utils__["shoptools.total"]({"bread": 2, "milk": 1})]


def builtin():
    return [
        __utils__["dictupdate.update"]({"a": {"b": 1}}, {"a": {"c": 2}}),
        __utils__["data.traverse_dict_and_list"]({"a": [{"b": 3}]}, "a:0:b"),
        __utils__["stringutils.to_bytes"]("x").decode(),
        __utils__["path.which"]("sh") is not None,
        __utils__["args.shlex_split"]("a 'b c'"),
        "json.dumps" in __utils__,
        "shoptools.nothing" in __utils__,
    ]


def named():
    return [name.rsplit(".", 1)[-1] for name in sorted(sys.modules) if name.endswith("utils.shoptools")][:1]
