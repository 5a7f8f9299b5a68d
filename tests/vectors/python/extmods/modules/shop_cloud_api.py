# -*- coding: utf-8 -*-
"""
A client of an API, with a connection in the context and names of its own

:configuration: ``shop_cloud_api.url``
"""
import functools
import json
import logging
import time

try:
    from urllib.parse import quote as _quote, urljoin
except ImportError:
    from urllib import quote as _quote
    from urlparse import urljoin

try:
    import shop_cloud_sdk_that_is_missing as sdk

    HAS_SDK = True
except ImportError:
    HAS_SDK = False

import salt.utils.json
from salt.exceptions import CommandExecutionError, CommandNotFoundError, MinionError, TimedProcTimeoutError
from salt.utils.decorators import depends, memoize

log = logging.getLogger(__name__)
__virtualname__ = "shop_api"


def __virtual__():
    return __virtualname__


def _connected(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        __context__.setdefault("shop_api", {"calls": 0})["calls"] += 1
        return function(*args, **kwargs)

    return wrapped


@_connected
def get(path, *parts, **kwargs):
    """
    The address of a request
    """
    return [urljoin("https://shop.example/", "/".join([path] + [_quote(one, safe="") for one in parts])), __context__["shop_api"]["calls"]]


@memoize
def now_and_then(value):
    return [value, time.time() > 0]


@depends("shop_cloud_sdk_that_is_missing")
def needs_sdk():
    return sdk


@depends(HAS_SDK, fallback_function=lambda: "no sdk")
def by_value():
    return "sdk"


def decoded(text):
    try:
        return salt.utils.json.loads(text)
    except ValueError as exc:
        raise CommandExecutionError("Not JSON: {}".format(json.dumps(text))) from exc


def errors(kind):
    raise {"found": CommandNotFoundError, "minion": MinionError, "timeout": TimedProcTimeoutError}[kind]("because of " + kind)


def retried(times=3, wait=0):
    for attempt in range(times):
        try:
            if attempt < 2:
                raise CommandExecutionError("attempt {}".format(attempt))
            return attempt
        except CommandExecutionError as exc:
            log.debug("retry: %s", exc)
            time.sleep(wait)
    return None
