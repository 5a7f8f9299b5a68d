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


def ip_bracket(addr: Any, strip: bool = False) -> str:
    """An address of version 6 in brackets."""
    text = str(addr).lstrip("[").rstrip("]")
    return f"[{text}]" if is_ipv6(text) and not strip else text


def cidr_to_ipv4_netmask(cidr_bits: Any) -> str:
    try:
        bits = int(cidr_bits)
        return str(ipaddress.ip_network(f"0.0.0.0/{bits}").netmask) if 1 <= bits <= 32 else ""
    except ValueError:
        return ""


def natural_ipv4_netmask(ip_addr: str, fmt: str = "prefixlen") -> str:
    """The netmask of the class of an address."""
    first = int(ip_addr.split(".")[0])
    bits = 8 if first < 128 else 16 if first < 192 else 24
    return cidr_to_ipv4_netmask(bits) if fmt == "netmask" else f"/{bits}"


def parse_host_port(host_port: str) -> Any:
    """A host and its port; the port is ``None`` if there is none."""
    text = host_port.strip()
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            raise ValueError(f"bad hostname: '{host_port}'")
        port = rest[1:]
    elif text.count(":") > 1:
        host, port = text, ""
    else:
        host, _, port = text.partition(":")
    if port and not 0 <= int(port) <= 65535:
        raise ValueError(f"bad port: '{port}'")
    return [host, int(port) if port else None]


def is_reachable_host(entity_name: str) -> bool:
    try:
        return bool(socket.getaddrinfo(entity_name, 0, 0, 0, 0))
    except OSError:
        return False


def is_private(ip_addr: str) -> bool:
    return ipaddress.ip_address(ip_addr).is_private


def mac_str_to_bytes(mac_str: str) -> bytes:
    if len(mac_str) == 17:
        mac_str = mac_str.replace(mac_str[2], "")
    if len(mac_str) != 12:
        raise ValueError("Invalid MAC address")
    return bytes.fromhex(mac_str)


def ip_networks(interface: Any = None, include_loopback: bool = False, verbose: bool = False, interface_data: Any = None) -> Any:
    return current.host().functions("modules")["network.subnets"](interfaces=interface)


def hw_addr(iface: str) -> str:
    return str(hwaddrs().get(iface, ""))


def interface_ip(iface: str) -> str:
    found = ip_addrs(iface)
    return found[0] if found else ""


def generate_minion_id() -> str:
    return get_fqhostname()
