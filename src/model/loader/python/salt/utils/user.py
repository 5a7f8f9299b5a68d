"""Users and groups."""

from __future__ import annotations

import getpass
import grp
import os
import pwd
from typing import Any, Dict, List, Optional


def get_user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return getpass.getuser()


def get_uid(user: Optional[str] = None) -> Optional[int]:
    if not user:
        return os.getuid()
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def get_gid(group: Optional[str] = None) -> Optional[int]:
    if not group:
        return os.getgid()
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def get_default_group(user: Optional[str]) -> Optional[str]:
    return None if user is None else grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name


def get_group_list(user: str, include_default: bool = True) -> List[str]:
    default = pwd.getpwnam(user).pw_gid
    names = {grp.getgrgid(gid).gr_name for gid in os.getgrouplist(user, default)}
    if not include_default:
        names.discard(grp.getgrgid(default).gr_name)
    return sorted(names)


def get_group_dict(user: Optional[str] = None, include_default: bool = True) -> Dict[str, Any]:
    return {name: grp.getgrnam(name).gr_gid for name in get_group_list(user or get_user(), include_default)}


def get_gid_list(user: str, include_default: bool = True) -> List[int]:
    return sorted(get_group_dict(user, include_default).values())


def get_home(user: str) -> str:
    return pwd.getpwnam(user).pw_dir


def get_specific_user() -> str:
    """The user, with ``sudo_`` before the one who has become root."""
    user = get_user()
    by = os.environ.get("SUDO_USER")
    return f"sudo_{by}" if user == "root" and by and by != "root" else user


def chugid(runas: str, group: Optional[str] = None) -> None:
    """Becomes a user, for good."""
    entry = pwd.getpwnam(runas)
    gid = grp.getgrnam(group).gr_gid if group else entry.pw_gid
    if (os.getuid(), os.getgid()) == (entry.pw_uid, gid):
        return
    os.initgroups(runas, gid)
    os.setgid(gid)
    os.setuid(entry.pw_uid)


def chugid_and_umask(runas: Optional[str], umask: Optional[int], group: Optional[str] = None) -> None:
    """As a command of another user is prepared, in the process that will run it."""
    if runas is not None or group is not None:
        chugid(runas or get_user(), group)
    if umask is not None:
        os.umask(umask)
