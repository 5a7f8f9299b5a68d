"""Arguments of every sort"""

import typing


def everything(first, second="2", *args, third=None, **kwargs):
    kwargs = {key: value for key, value in kwargs.items() if not key.startswith("__")}
    return {"first": first, "second": second, "args": list(args), "third": third, "kwargs": kwargs}


def keyword_only(*, name, size: int = 3) -> str:
    return "{}{}".format(name, size)


def annotated(names: typing.List[str], flag: bool = False) -> typing.Dict[str, bool]:
    return {name: flag for name in names}


def mutable(items=[], mapping={"a": 1}):
    items.append(len(items))
    return [items, mapping]


def defaults(a=None, b=(), c="x", d=1.5, e=True):
    return [a, list(b), c, d, e]


def published(**kwargs):
    return sorted(key for key in kwargs if key.startswith("__pub"))


def positional(a, b, c):
    return [a, b, c]


positional_lambda = lambda a: a  # noqa: E731
