"""Messages over two pipes: each is four bytes of length, then msgpack. Questions and calls may be nested."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict, Optional

from . import wire

#: A module may replace those of ``os``.
_read, _write = os.read, os.write

#: Bytes of one message.
MOST_BYTES = 256 * 1024 * 1024


class Channel:
    """The pipes to Brine. One thread at a time speaks; whoever waits for an answer also runs what is asked meanwhile."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._last = 0
        self._answers: Dict[int, Dict[str, Any]] = {}
        self.handle: Callable[[Dict[str, Any]], None] = lambda message: None

    def _own(self) -> None:
        if os.getpid() != self._pid:
            raise RuntimeError(
                "A process that a module has forked cannot call functions of Brine: call them before the fork, or start a job"
            )

    def pack(self, message: Dict[str, Any]) -> bytes:
        """A message for :meth:`write`."""
        try:
            body = wire.pack(message)
        except BaseException as error:
            # A value of a module may raise anything.
            raise ValueError(f"The value cannot be sent: {wire.reason(error)}") from None
        if len(body) > MOST_BYTES:
            raise ValueError(f"The value cannot be sent: it has {len(body)} bytes, and at most {MOST_BYTES} bytes are allowed")
        return len(body).to_bytes(4, "big") + body

    def send(self, message: Dict[str, Any]) -> None:
        self.write(self.pack(message))

    def write(self, packed: bytes) -> None:
        self._own()
        data = memoryview(packed)
        with self._lock:
            while data:
                data = data[_write(self._sink, data) :]

    def _take(self, count: int) -> Optional[bytes]:
        parts = []
        while count > 0:
            piece = _read(self._source, min(count, 1 << 20))
            if not piece:
                return None
            parts.append(piece)
            count -= len(piece)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read(self) -> Dict[str, Any]:
        head = self._take(4)
        body = None if head is None else self._take(int.from_bytes(head, "big"))
        if body is None:
            # Brine has ended, and nobody waits for what is still running here.
            os._exit(0)
        message: Dict[str, Any] = wire.unpack(body)
        return message

    def ask(self, op: str, **fields: Any) -> Dict[str, Any]:
        """Asks Brine, and returns its answer."""
        self._own()
        with self._lock:
            self._last += 1
            number = self._last
            self.send({"op": op, "n": number, **fields})
            while number not in self._answers:
                message = self.read()
                if "op" in message:
                    self.handle(message)
                else:
                    self._answers[message["n"]] = message
            return self._answers.pop(number)

    def serve(self) -> None:
        while True:
            self.handle(self.read())

    def close_in_child(self) -> None:
        """A process that a module has forked must not keep the pipes open."""
        for descriptor in (self._source, self._sink):
            try:
                os.close(descriptor)
            except OSError:
                pass
