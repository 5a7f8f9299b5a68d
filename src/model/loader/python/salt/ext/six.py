"""The names of the package six that modules still import from Salt."""

import builtins
import functools
import io
import itertools
import queue
import sys
import types
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator, Type

PY2 = False
PY3 = True
PY34 = True
MAXSIZE = sys.maxsize
string_types = (str,)
integer_types = (int,)
class_types = (type,)
text_type = str
binary_type = bytes
StringIO = io.StringIO
BytesIO = io.BytesIO
wraps = functools.wraps
unichr = chr
next = builtins.next


def iteritems(mapping: Any, **kwargs: Any) -> Iterator[Any]:
    return iter(mapping.items(**kwargs))


def iterkeys(mapping: Any, **kwargs: Any) -> Iterator[Any]:
    return iter(mapping.keys(**kwargs))


def itervalues(mapping: Any, **kwargs: Any) -> Iterator[Any]:
    return iter(mapping.values(**kwargs))


def u(text: str) -> str:
    return text


def b(text: str) -> bytes:
    return text.encode("latin-1")


def ensure_str(value: Any, encoding: str = "utf-8", errors: str = "strict") -> str:
    return value.decode(encoding, errors) if isinstance(value, bytes) else str(value)


def ensure_binary(value: Any, encoding: str = "utf-8", errors: str = "strict") -> bytes:
    return value.encode(encoding, errors) if isinstance(value, str) else bytes(value)


def reraise(kind: Any, value: Any, trace: Any = None) -> None:
    raise (value if value is not None else kind()).with_traceback(trace)


def with_metaclass(meta: Type[type], *bases: type) -> type:
    return meta("temporary", bases, {})


moves: Any = types.ModuleType(__name__ + ".moves")
moves.range = moves.xrange = range
moves.zip = zip
moves.map = map
moves.filter = filter
moves.input = input
moves.reduce = functools.reduce
moves.cStringIO = moves.StringIO = io.StringIO
moves.builtins = builtins
moves.queue = queue
moves.urllib = urllib
moves.zip_longest = itertools.zip_longest
moves.shlex_quote = __import__("shlex").quote
moves.configparser = __import__("configparser")
moves.http_client = __import__("http.client").client
sys.modules[moves.__name__] = moves
sys.modules[moves.__name__ + ".urllib"] = urllib
sys.modules[moves.__name__ + ".urllib.parse"] = urllib.parse
sys.modules[moves.__name__ + ".urllib.request"] = urllib.request
sys.modules[moves.__name__ + ".urllib.error"] = urllib.error
