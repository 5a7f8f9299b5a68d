"""Which system this is."""

import platform
import sys


def is_linux() -> bool:
    return sys.platform.startswith("linux")


def is_windows() -> bool:
    return sys.platform.startswith("win")


def is_darwin() -> bool:
    return sys.platform.startswith("darwin")


def is_freebsd() -> bool:
    return sys.platform.startswith("freebsd")


def is_openbsd() -> bool:
    return sys.platform.startswith("openbsd")


def is_netbsd() -> bool:
    return sys.platform.startswith("netbsd")


def is_sunos() -> bool:
    return sys.platform.startswith("sunos")


def is_smartos() -> bool:
    return False


is_smartos_globalzone = is_smartos_zone = is_proxy = is_junos = is_smartos


def is_aix() -> bool:
    return sys.platform.startswith("aix")


def is_aarch64() -> bool:
    return platform.machine().startswith("aarch64")


def _release() -> str:
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def is_fedora() -> bool:
    return "\nID=fedora" in "\n" + _release()


def is_photonos() -> bool:
    return "\nID=photon" in "\n" + _release()
