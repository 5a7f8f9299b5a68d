"""Values of each kind that a module of Python may return, or give to another."""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import types
import uuid


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Word(str, enum.Enum):
    A = "a"


@dataclasses.dataclass
class Shelf:
    a: int = 1


class Thing:
    def __repr__(self):
        return "<Thing>"


class Text(str):
    pass


class Number(int):
    pass


class Real(float):
    pass


class Items(list):
    pass


class Entries(dict):
    pass


class Table(collections.abc.Mapping):
    def __getitem__(self, key):
        return {"a": 1}[key]

    def __iter__(self):
        return iter({"a": 1})

    def __len__(self):
        return 1

    def __repr__(self):
        return "<Table>"


Point = collections.namedtuple("Point", "x y")


def _deep(levels, wrap):
    value = wrap(None)
    for _ in range(levels):
        value = wrap(value)
    return value


def _cycle():
    value = []
    value.append({"again": value})
    return value


ZONE = datetime.timezone(datetime.timedelta(hours=2))
VALUES = {
    "none": lambda: None,
    "true": lambda: True,
    "tuple": lambda: (1, (2,)),
    "empty tuple": lambda: (),
    "set": lambda: {1},
    "empty set": lambda: set(),
    "set of tuples": lambda: {(1, 2)},
    "frozenset": lambda: frozenset([1]),
    "bytes": lambda: b"ab",
    "bytes that are not UTF-8": lambda: b"\xff\xfe",
    "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"ab"),
    "array": lambda: array.array("i", [1]),
    "date": lambda: datetime.date(2024, 1, 2),
    "datetime": lambda: datetime.datetime(2024, 1, 2, 3, 4, 5, 6),
    "datetime with a zone": lambda: datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=ZONE),
    "first date": lambda: datetime.date(1, 1, 1),
    "time": lambda: datetime.time(1, 2, 3),
    "timedelta": lambda: datetime.timedelta(days=1, seconds=2),
    "decimal": lambda: decimal.Decimal("1.10"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "complex": lambda: 1 + 2j,
    "nan": lambda: float("nan"),
    "infinite": lambda: -float("inf"),
    "whole float": lambda: 1.0,
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "-2**63-1": lambda: -(2**63) - 1,
    "5000 digits": lambda: 10**5000,
    "enum": lambda: Color.RED,
    "IntEnum": lambda: Level.LOW,
    "enum of texts": lambda: Word.A,
    "dataclass": lambda: Shelf(),
    "namedtuple": lambda: Point(1, 2),
    "OrderedDict": lambda: collections.OrderedDict([("z", 1), ("a", 2)]),
    "defaultdict": lambda: collections.defaultdict(list, a=[1]),
    "Counter": lambda: collections.Counter("aab"),
    "ChainMap": lambda: collections.ChainMap({"a": 1}, {"b": 2}),
    "MappingProxy": lambda: types.MappingProxyType({"a": 1}),
    "Mapping": lambda: Table(),
    "UserDict": lambda: collections.UserDict(a=1),
    "UserList": lambda: collections.UserList([1]),
    "UserString": lambda: collections.UserString("a"),
    "deque": lambda: collections.deque([1]),
    "range": lambda: range(3),
    "keys": lambda: {"a": 1}.keys(),
    "values": lambda: {"a": 1}.values(),
    "items": lambda: {"a": 1}.items(),
    "object": lambda: Thing(),
    "list with an object": lambda: [{"a": (Thing(),)}],
    "class": lambda: Thing,
    "builtin": lambda: len,
    "module": lambda: types.ModuleType("m"),
    "exception": lambda: ValueError("x"),
    "path": lambda: pathlib.PurePosixPath("/a"),
    "uuid": lambda: uuid.UUID(int=1),
    "address": lambda: ipaddress.ip_address("10.0.0.1"),
    "pattern": lambda: re.compile("a"),
    "namespace": lambda: types.SimpleNamespace(a=1),
    "ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "str subclass": lambda: Text("x"),
    "int subclass": lambda: Number(5),
    "float subclass": lambda: Real(1.5),
    "list subclass": lambda: Items([1]),
    "dict subclass": lambda: Entries(a=1),
    "text with NUL": lambda: "a\0b",
    "escaped byte": lambda: "a\udcff",
    "lone surrogate": lambda: "a\ud800",
    "cycle": _cycle,
    "400 lists": lambda: _deep(400, lambda value: [value]),
    "400 maps": lambda: _deep(400, lambda value: {"a": value}),
    "10000 lists": lambda: _deep(10_000, lambda value: [value]),
    "10000 tuples": lambda: _deep(10_000, lambda value: (value,)),
}
KEYS = {
    "none": None,
    "true": True,
    "false": False,
    "int": 2,
    "negative": -1,
    "2**70": 2**70,
    "float": 1.5,
    "whole float": 3.0,
    "nan": float("nan"),
    "empty text": "",
    "tuple": (1, 2),
    "nested tuple": (1, ("a", None)),
    "empty tuple": (),
    "namedtuple": Point(1, 2),
    "frozenset": frozenset([1]),
    "bytes": b"k",
    "bytes that are not UTF-8": b"\xff",
    "date": datetime.date(2024, 1, 2),
    "datetime": datetime.datetime(2024, 1, 2, 3, 4, 5, 6),
    "timedelta": datetime.timedelta(days=1),
    "decimal": decimal.Decimal("1.1"),
    "complex": 1j,
    "enum": Color.RED,
    "IntEnum": Level.LOW,
    "enum of texts": Word.A,
    "object": Thing(),
    "class": Thing,
    "builtin": len,
    "str subclass": Text("k"),
    "path": pathlib.PurePosixPath("/a"),
    "uuid": uuid.UUID(int=1),
    "address": ipaddress.ip_address("10.0.0.1"),
    "range": range(2),
    "escaped byte": "a\udcff",
}


def names():
    return {"value": list(VALUES), "key": list(KEYS), "inner_key": list(KEYS), "given": list(VALUES), "given_key": list(KEYS)}


def value(kind):
    return VALUES[kind]()


def key(kind):
    return {"before": 0, KEYS[kind]: "v"}


def inner_key(kind):
    return {"n": [{KEYS[kind]: ("v",)}]}


def takes(value):
    """What another module of Python is given, without addresses."""
    return [type(value).__name__, re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:200]]


def given(kind):
    return __salt__["kinds.takes"](VALUES[kind]())


def given_key(kind):
    return __salt__["kinds.takes"]({KEYS[kind]: 1})


def argument(kind):
    """A value to a function of another module, and back."""
    return __salt__["test.arg"](VALUES[kind](), named=VALUES[kind]())


def argument_key(kind):
    return __salt__["test.arg"]({KEYS[kind]: 1})


def context(kind):
    __context__["kinds"] = VALUES[kind]()
    return type(__context__["kinds"]).__name__


def raises(kind):
    raise ValueError(VALUES[kind](), {"a": VALUES[kind]()})


def raises_info(kind):
    from salt.exceptions import CommandExecutionError

    raise CommandExecutionError("said", info=VALUES[kind]())


def event(kind):
    return __salt__["event.fire"]({"value": VALUES[kind]()}, "kinds")
