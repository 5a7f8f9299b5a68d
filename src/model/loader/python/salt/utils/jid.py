"""Ids of jobs."""

import datetime
from typing import Any


def gen_jid(opts: Any = None) -> str:
    return f"{datetime.datetime.now():%Y%m%d%H%M%S%f}"


def is_jid(jid: Any) -> bool:
    return isinstance(jid, str) and len(jid) >= 20 and jid[:20].isdigit()


def jid_to_time(jid: str) -> str:
    return f"{jid[:4]}, {datetime.datetime.strptime(jid[:20], '%Y%m%d%H%M%S%f'):%b %d %H:%M:%S.%f}" if is_jid(jid) else ""
