"""Times."""

import time


def get_timestamp_at(time_in: object = None, time_at: object = None) -> float:
    return time.time()


def get_time_at(time_in: object = None, time_at: object = None, out_fmt: str = "%Y-%m-%dT%H:%M:%S") -> str:
    return time.strftime(out_fmt, time.localtime())
