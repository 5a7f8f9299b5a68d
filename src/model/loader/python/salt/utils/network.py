"""Addresses."""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Any, List, Optional

from brine_helper import current


def _is(kind: Any, value: Any) -> bool:
    try:
        kind(str(value))
        return True
    except ValueError:
        return False


def is_ip(ip_addr: Any) -> bool:
    return _is(ipaddress.ip_address, ip_addr)


def is_ipv4(ip_addr: Any) -> bool:
    return _is(ipaddress.IPv4Address, ip_addr)


def is_ipv6(ip_addr: Any) -> bool:
    return _is(ipaddress.IPv6Address, ip_addr)


is_ipv4_filter = is_ipv4
is_ipv6_filter = is_ipv6


def is_subnet(cidr: Any) -> bool:
    return "/" in str(cidr) and _is(lambda text: ipaddress.ip_network(text, strict=False), cidr)


is_ipv4_subnet = is_ipv6_subnet = is_subnet


def is_loopback(ip_addr: Any) -> bool:
    return is_ip(ip_addr) and ipaddress.ip_address(str(ip_addr)).is_loopback


def in_subnet(cidr: str, addr: Any = None) -> bool:
    network = ipaddress.ip_network(cidr, strict=False)
    addresses = [addr] if isinstance(addr, str) else addr or ip_addrs()
    return any(ipaddress.ip_address(one) in network for one in addresses)


def get_fqhostname() -> str:
    return socket.getfqdn()


def get_hostname() -> str:
    return socket.gethostname()


def host_to_ips(host: str) -> Optional[List[str]]:
    try:
        return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(host, None)})
    except OSError:
        return None


def _addresses(name: str, include_loopback: bool) -> List[str]:
    found = current.host().grains().get(name) or []
    return sorted(one for one in found if include_loopback or not is_loopback(one))


def ip_addrs(interface: Any = None, include_loopback: bool = False, interface_data: Any = None) -> List[str]:
    if interface is not None:
        per = current.host().grains().get("ip4_interfaces") or {}
        return sorted(per.get(interface, []))
    return _addresses("ipv4", include_loopback)


def ip_addrs6(interface: Any = None, include_loopback: bool = False, interface_data: Any = None) -> List[str]:
    if interface is not None:
        per = current.host().grains().get("ip6_interfaces") or {}
        return sorted(per.get(interface, []))
    return _addresses("ipv6", include_loopback)


def interfaces() -> Any:
    return current.host().functions("modules")["network.interfaces"]()


def hwaddrs() -> Any:
    return current.host().grains().get("hwaddr_interfaces") or {}


def is_mac(addr: Any) -> bool:
    return re.match(r"^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$", str(addr)) is not None


def sanitize_host(hostname: str, underscore_ok: bool = False) -> str:
    extra = "_" if underscore_ok else ""
    return "".join(char for char in hostname if char.isalnum() or char in "-." + extra)
