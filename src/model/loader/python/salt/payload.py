"""Values as bytes."""

from typing import Any

from brine_helper import wire


def dumps(msg: Any, use_bin_type: bool = False) -> bytes:
    return wire.pack(msg)


def loads(msg: bytes, encoding: Any = None, raw: bool = False) -> Any:
    return wire.unpack(msg)
