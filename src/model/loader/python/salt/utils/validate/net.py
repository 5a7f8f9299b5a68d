"""Checks of addresses."""

from __future__ import annotations

import re
import socket
from typing import Any


def mac(addr: str) -> bool:
    return re.match(r"^[0-9a-fA-F]{2}(?P<mark>[:\-.]?)(?:[0-9a-fA-F]{2}(?P=mark)){4}[0-9a-fA-F]{2}$", addr) is not None


def _address(addr: Any, family: int) -> bool:
    text, slash, mask = str(addr).partition("/")
    most = 32 if family == socket.AF_INET else 128
    if slash and not (mask.isdigit() and 0 < int(mask) <= most):
        return False
    try:
        socket.inet_pton(family, text)
    except OSError:
        return False
    return True


def ipv4_addr(addr: Any) -> bool:
    return _address(addr, socket.AF_INET)


def ipv6_addr(addr: Any) -> bool:
    return _address(addr, socket.AF_INET6)


def ip_addr(addr: Any) -> bool:
    return ipv4_addr(addr) or ipv6_addr(addr)


def netmask(mask: Any) -> bool:
    parts = mask.split(".") if isinstance(mask, str) else []
    if len(parts) != 4 or not all(part.isdigit() and int(part) < 256 for part in parts):
        return False
    bits = "".join(f"{int(part):08b}" for part in parts)
    return "01" not in bits
