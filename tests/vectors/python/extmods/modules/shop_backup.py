# -*- coding: utf-8 -*-
"""
Manage backups of shops

:maintainer:    Fleet <fleet@example.com>
:maturity:      new
:depends:       tar
:platform:      Linux

.. versionadded:: 2019.2.0
"""
from __future__ import absolute_import, print_function, unicode_literals

import collections
import datetime
import fnmatch
import logging
import os
import re

import salt.utils.args
import salt.utils.data
import salt.utils.dictupdate
import salt.utils.files
import salt.utils.path
import salt.utils.stringutils
from salt.exceptions import CommandExecutionError, SaltInvocationError

log = logging.getLogger(__name__)

__virtualname__ = "shop_backup"
__func_alias__ = {"list_": "list", "set_": "set"}
__opts__ = {"shop_backup.keep": 3, "shop_backup.exclude": ["*.tmp"]}

DEFAULTS = collections.OrderedDict([("keep", 7), ("compress", True), ("targets", [])])


def __virtual__():
    """
    Only load if tar is installed
    """
    if not salt.utils.path.which("tar"):
        return (False, "The shop_backup module cannot be loaded: tar is not installed.")
    return __virtualname__


def _settings(**overrides):
    conf = salt.utils.data.traverse_dict_and_list(__pillar__, "shop:backup", {}) or {}
    merged = salt.utils.dictupdate.merge(dict(DEFAULTS), dict(conf), strategy="smart")
    merged.update(salt.utils.args.clean_kwargs(**overrides))
    return merged


def list_(pattern="*", **kwargs):
    """
    List backups

    CLI Example:

    .. code-block:: bash

        salt '*' shop_backup.list
    """
    names = ["a-2024.tar", "b-2024.tar", "c.tmp"]
    excluded = __opts__["shop_backup.exclude"]
    return [name for name in fnmatch.filter(names, pattern) if not any(fnmatch.fnmatch(name, one) for one in excluded)]


def set_(key, value):
    """
    Remember a setting in the context
    """
    __context__.setdefault("shop_backup", {})[key] = value
    return dict(__context__["shop_backup"])


def settings(**kwargs):
    """
    Show the settings
    """
    return _settings(**kwargs)


def keep():
    """
    How many are kept: an option with a default of this module
    """
    return [__salt__["config.option"]("shop_backup.keep", 5), __opts__.get("shop_backup.keep"), __salt__["config.get"]("id")]


def plan(since="2024-01-01", days=3):
    """
    The dates and sizes of the next backups, by date
    """
    start = datetime.datetime.strptime(since, "%Y-%m-%d").date()
    return {str(start + datetime.timedelta(days=n)): (n, n * 1.5) for n in range(days)}


def by_kind(*names, **kwargs):
    """
    Group names by their extension
    """
    found = collections.defaultdict(set)
    for name in names:
        found[os.path.splitext(name)[1] or None].add(name)
    return {kind: sorted(group) for kind, group in found.items()}


def parsed(text):
    """
    Read `tar --list --verbose`
    """
    line = re.compile(r"^(?P<mode>\S+)\s+(?P<owner>\S+)\s+(?P<size>\d+)\s+(?P<when>\S+ \S+)\s+(?P<name>.+)$")
    return [match.groupdict() for match in map(line.match, text.splitlines()) if match]


def verify(name, hash_type="sha256"):
    """
    Check a backup by its sum
    """
    if not name:
        raise SaltInvocationError("A name is required")
    path = os.path.join(__opts__["cachedir"], name)
    if not os.path.isfile(path):
        raise CommandExecutionError("{0} does not exist".format(name), info={"name": name, "hash_type": hash_type})
    return __salt__["file.get_hash"](path, hash_type)


def write(name, contents):
    """
    Write a file and read it by functions of others
    """
    path = os.path.join(__opts__["cachedir"], name)
    with salt.utils.files.fopen(path, "wb") as handle:
        handle.write(salt.utils.stringutils.to_bytes(contents))
    try:
        return [__salt__["file.read"](path), verify(name), __salt__["file.file_exists"](path), __salt__["file.grep"](path, "b")["stdout"]]
    finally:
        __salt__["file.remove"](path)
