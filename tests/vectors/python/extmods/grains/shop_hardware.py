"""Facts of the host, found by commands"""

import logging
import os
import re

import salt.modules.cmdmod
import salt.utils.files
import salt.utils.path
import salt.utils.platform
import salt.utils.stringutils

log = logging.getLogger(__name__)

__salt__ = {"cmd.run": salt.modules.cmdmod._run_quiet}


def __virtual__():
    return salt.utils.platform.is_linux()


def _meminfo():
    with salt.utils.files.fopen("/proc/meminfo") as handle:
        for line in handle:
            if re.match(r"MemTotal:", salt.utils.stringutils.to_unicode(line)):
                return True
    return False


def hardware(grains=None):
    ret = {"shop_memory": _meminfo(), "shop_shell": salt.utils.path.which("sh") is not None}
    ret["shop_echo"] = __salt__["cmd.run"]("echo hardware")
    ret["shop_given"] = sorted(name for name in grains or {} if name in ("id", "os", "planet", "kernel"))
    return ret


def options():
    return {"shop_options": [__opts__["id"], __opts__.get("shop_color"), os.path.isabs(__opts__["cachedir"])]}


def _private():
    return {"shop_private": True}


def nothing():
    return {}
