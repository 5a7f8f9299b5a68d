"""Msgpack, as Brine writes it: by the package ``msgpack`` if the interpreter has it, otherwise by this file alone."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

#: Deeper values are refused.
MAX_DEPTH = 500

#: Salt's numbers of extension types.
EXT_DATETIME = 78
EXT_CONSTANT = 79

_TIME = "%Y%m%dT%H:%M:%S.%f"


class PackError(ValueError):
    """The value has no form in msgpack."""


def _time(value: datetime.date) -> bytes:
    # Not by strftime(): it writes the year 1 as "1".
    return f"{value.year:04}{value.month:02}{value.day:02}T{value.strftime('%H:%M:%S.%f')}".encode()


class Constant:
    """A constant of Salt, such as ``NOT_SET``."""

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self.value = value

    def __repr__(self) -> str:
        return self.name


def _ext(code: int, data: bytes) -> Any:
    if code == EXT_DATETIME:
        return datetime.datetime.strptime(data.decode(), _TIME)
    if code == EXT_CONSTANT:
        name, value = unpack_plain(data)
        return Constant(name, value)
    return data


def _shown(value: Any, show: Callable[[Any], str]) -> str:
    """A text of a value, which a module may have written: an error names its class."""
    try:
        # Not a class of the module's own, whose methods might fail later.
        return str.__str__(show(value))
    except BaseException as error:
        kind = type(value)
        raise PackError(f"{show.__name__}() of an object of {kind.__module__}.{kind.__qualname__} failed: {reason(error)}") from None


def reason(error: BaseException) -> str:
    """What an exception says; its class if it is not one of this file."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    return text if isinstance(error, PackError) else f"{type(error).__name__}: {text}" if text else type(error).__name__


def _other(value: Any) -> Any:
    """What stands for a value of a type that msgpack does not have. Salt shows such values by their repr, too."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, list):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return _shown(value, repr)


#: Types of keys that cross as what they are.
_KEYS = (str, int, float, bytes, type(None), datetime.date)


def _key(key: Any) -> Any:
    """A key as it crosses: one of another type is its text, as Salt's outputters show it."""
    return key if isinstance(key, _KEYS) else _shown(key, str)


def _has_other_keys(value: Any) -> bool:
    """Whether a map in a value has a key that does not cross as what it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            if not all(isinstance(key, _KEYS) for key in one):
                return True
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple, set, frozenset)):
            waiting.extend(item for item in one if not isinstance(item, (str, bytes, int, float)))
    return False


def _head(out: List[bytes], size: int, fix: Optional[Tuple[int, int]], codes: List[Tuple[int, int, str]]) -> None:
    """Writes a type with a length: in one byte if it is short enough."""
    if fix is not None and size < fix[1]:
        out.append(bytes((fix[0] | size,)))
        return
    for code, limit, form in codes:
        if size < limit:
            out.append(struct.pack(">B" + form, code, size))
            return
    raise PackError(f"a value of {size} bytes or entries is too long")


_TEXT = [(0xD9, 1 << 8, "B"), (0xDA, 1 << 16, "H"), (0xDB, 1 << 32, "I")]
_BYTES = [(0xC4, 1 << 8, "B"), (0xC5, 1 << 16, "H"), (0xC6, 1 << 32, "I")]
_LIST = [(0xDC, 1 << 16, "H"), (0xDD, 1 << 32, "I")]
_MAP = [(0xDE, 1 << 16, "H"), (0xDF, 1 << 32, "I")]


def _pack_int(out: List[bytes], value: int) -> None:
    if 0 <= value < 0x80 or -32 <= value < 0:
        out.append(struct.pack(">B", value & 0xFF))
        return
    if value >= 0:
        for code, limit, form in ((0xCC, 1 << 8, "B"), (0xCD, 1 << 16, "H"), (0xCE, 1 << 32, "I"), (0xCF, 1 << 64, "Q")):
            if value < limit:
                out.append(struct.pack(">B" + form, code, value))
                return
    else:
        for code, limit, form in ((0xD0, 1 << 7, "b"), (0xD1, 1 << 15, "h"), (0xD2, 1 << 31, "i"), (0xD3, 1 << 63, "q")):
            if value >= -limit:
                out.append(struct.pack(">B" + form, code, value))
                return
    # As Salt sends it.
    data = str(value).encode()
    _head(out, len(data), (0xA0, 32), _TEXT)
    out.append(data)


class _Packer:
    """Writes one value."""

    def __init__(self) -> None:
        self.out: List[bytes] = []
        #: The containers around what is written now, by their ids.
        self._around: Set[int] = set()

    def pack(self, value: Any, depth: int) -> None:
        out = self.out
        if value is None:
            out.append(b"\xc0")
        elif value is True:
            out.append(b"\xc3")
        elif value is False:
            out.append(b"\xc2")
        elif type(value) is str:
            data = value.encode("utf-8", "surrogateescape")
            _head(out, len(data), (0xA0, 32), _TEXT)
            out.append(data)
        elif type(value) is int:
            _pack_int(out, value)
        elif type(value) is float:
            out.append(struct.pack(">Bd", 0xCB, value))
        elif type(value) is bytes:
            _head(out, len(value), None, _BYTES)
            out.append(value)
        elif isinstance(value, (dict, list, tuple)):
            self._container(value, depth)
        elif isinstance(value, datetime.date):
            data = _time(value)
            out.append(struct.pack(">BBb", 0xC7, len(data), EXT_DATETIME))
            out.append(data)
        elif isinstance(value, Constant):
            data = pack_plain([value.name, value.value])
            out.append(struct.pack(">BIb", 0xC9, len(data), EXT_CONSTANT))
            out.append(data)
        else:
            # Not a level of the value: Salt's msgpack counts none for it.
            self.pack(_other(value), depth)

    def _container(self, value: Any, depth: int) -> None:
        if id(value) in self._around:
            # As Salt shows it.
            return self.pack(f"<Recursion on {type(value).__name__} with id={id(value)}>", depth)
        if depth > MAX_DEPTH:
            raise PackError(f"it is nested deeper than {MAX_DEPTH} levels")
        self._around.add(id(value))
        if isinstance(value, dict):
            entries = list(dict.items(value))
            _head(self.out, len(entries), (0x80, 16), _MAP)
            for key, item in entries:
                self.pack(_key(key), depth + 1)
                self.pack(item, depth + 1)
        else:
            items = list(value)
            _head(self.out, len(items), (0x90, 16), _LIST)
            for item in items:
                self.pack(item, depth + 1)
        self._around.discard(id(value))


def pack_plain(value: Any) -> bytes:
    """Packs a value without other packages."""
    packer = _Packer()
    packer.pack(value, 0)
    return b"".join(packer.out)


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_hashable(item) for item in key)
    return repr(key) if isinstance(key, dict) else key


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise PackError("the bytes end within a value")
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def number(self, form: str) -> Any:
        size = struct.calcsize(form)
        (value,) = struct.unpack(">" + form, self.take(size))
        return value

    def text(self, size: int) -> str:
        return self.take(size).decode("utf-8", "surrogateescape")

    def items(self, size: int) -> List[Any]:
        return [self.value() for _ in range(size)]

    def pairs(self, size: int) -> Dict[Any, Any]:
        found = {}
        for _ in range(size):
            key = _hashable(self.value())
            found[key] = self.value()
        return found

    def ext(self, size: int) -> Any:
        code = self.number("b")
        return _ext(code, self.take(size))

    def value(self) -> Any:
        code = self.data[self.at] if self.at < len(self.data) else self.take(1)[0]
        self.at += 1
        if code < 0x80:
            return code
        if code < 0x90:
            return self.pairs(code & 0x0F)
        if code < 0xA0:
            return self.items(code & 0x0F)
        if code < 0xC0:
            return self.text(code & 0x1F)
        if code >= 0xE0:
            return code - 0x100
        return _CODES[code](self)


_CODES: Dict[int, Callable[[_Reader], Any]] = {
    0xC0: lambda r: None,
    0xC2: lambda r: False,
    0xC3: lambda r: True,
    0xC4: lambda r: r.take(r.number("B")),
    0xC5: lambda r: r.take(r.number("H")),
    0xC6: lambda r: r.take(r.number("I")),
    0xC7: lambda r: r.ext(r.number("B")),
    0xC8: lambda r: r.ext(r.number("H")),
    0xC9: lambda r: r.ext(r.number("I")),
    0xCA: lambda r: r.number("f"),
    0xCB: lambda r: r.number("d"),
    0xCC: lambda r: r.number("B"),
    0xCD: lambda r: r.number("H"),
    0xCE: lambda r: r.number("I"),
    0xCF: lambda r: r.number("Q"),
    0xD0: lambda r: r.number("b"),
    0xD1: lambda r: r.number("h"),
    0xD2: lambda r: r.number("i"),
    0xD3: lambda r: r.number("q"),
    0xD4: lambda r: r.ext(1),
    0xD5: lambda r: r.ext(2),
    0xD6: lambda r: r.ext(4),
    0xD7: lambda r: r.ext(8),
    0xD8: lambda r: r.ext(16),
    0xD9: lambda r: r.text(r.number("B")),
    0xDA: lambda r: r.text(r.number("H")),
    0xDB: lambda r: r.text(r.number("I")),
    0xDC: lambda r: r.items(r.number("H")),
    0xDD: lambda r: r.items(r.number("I")),
    0xDE: lambda r: r.pairs(r.number("H")),
    0xDF: lambda r: r.pairs(r.number("I")),
}


def unpack_plain(data: bytes) -> Any:
    """Unpacks a value without other packages."""
    return _Reader(data).value()


def _pack_fast(value: Any) -> bytes:
    # Only what is not plain is looked at here: a tuple, which may be a key, is one of those.
    others = False

    def other(one: Any) -> Any:
        nonlocal others
        others = True
        if isinstance(one, datetime.date):
            return _msgpack.ExtType(EXT_DATETIME, _time(one))
        if isinstance(one, Constant):
            return _msgpack.ExtType(EXT_CONSTANT, pack_plain([one.name, one.value]))
        return _other(one)

    try:
        data = _msgpack.packb(value, default=other, use_bin_type=True, strict_types=True, unicode_errors="surrogateescape")
    except (OverflowError, TypeError, ValueError):
        # Integers of more than 64 bits; and an error in our words.
        return pack_plain(value)
    return pack_plain(value) if others and _has_other_keys(value) else bytes(data)


def _unpack_fast(data: bytes) -> Any:
    size = max(len(data), 1)
    try:
        return _msgpack.unpackb(
            data,
            raw=False,
            strict_map_key=False,
            unicode_errors="surrogateescape",
            ext_hook=_ext,
            max_str_len=size,
            max_bin_len=size,
            max_array_len=size,
            max_map_len=size,
            max_ext_len=size,
        )
    except TypeError:
        # A list as a key.
        return unpack_plain(data)


pack: Callable[[Any], bytes] = pack_plain
unpack: Callable[[bytes], Any] = unpack_plain

_msgpack: Any = None


def use_package() -> bool:
    """Uses the package ``msgpack`` from now on, if it is there and works in C."""
    global _msgpack, pack, unpack
    try:
        import msgpack
        import msgpack._cmsgpack
    except ImportError:
        return False
    _msgpack = msgpack
    if unpack_plain(_pack_fast({"a": [1, b"b", None]})) != {"a": [1, b"b", None]}:
        return False
    pack, unpack = _pack_fast, _unpack_fast
    return True
