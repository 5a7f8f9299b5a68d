"""Msgpack."""

from typing import Any

from brine_helper import wire

HAS_MSGPACK = True


def packb(o: Any, **kwargs: Any) -> bytes:
    return wire.pack(o)


def unpackb(packed: bytes, **kwargs: Any) -> Any:
    return wire.unpack(packed)


dumps = packb
loads = unpackb


def pack(o: Any, stream: Any, **kwargs: Any) -> None:
    stream.write(packb(o))


def unpack(stream: Any, **kwargs: Any) -> Any:
    return unpackb(stream.read())


dump = pack
load = unpack
