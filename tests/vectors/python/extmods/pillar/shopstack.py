"""Merges files of data by grains, as pillars of stacks do"""

import logging
import os

import salt.utils.data
import salt.utils.dictupdate
import salt.utils.files
import salt.utils.stringutils
import salt.utils.yaml
from salt.utils.dictupdate import update as merge

log = logging.getLogger(__name__)

__opts__ = {"shopstack.strategy": "recurse", "shopstack.none": None}


def __virtual__():
    return "shopstack" if hasattr(salt.utils.dictupdate, "merge") else False


def _layers(minion_id, names):
    for name in names:
        yield salt.utils.yaml.safe_load(
            "shopstack:\n  order: [%s]\n  layers:\n    %s: {minion: %s, os: %s}\n" % (name, name, minion_id, __grains__["os"])
        )


def ext_pillar(minion_id, pillar, *args, **kwargs):
    stack = {}
    for layer in _layers(minion_id, args):
        stack = salt.utils.dictupdate.merge(stack, layer, strategy=__opts__["shopstack.strategy"], merge_lists=True)
    stack = merge(stack, {"shopstack": {"seen": pillar.get("role"), "kwargs": kwargs}})
    stack["shopstack"]["salted"] = __salt__["test.echo"]("from pillar") if "test.echo" in __salt__ else None
    stack["shopstack"]["dir"] = os.path.basename(salt.utils.stringutils.to_str(b"/a/b"))
    return salt.utils.data.decode(stack)
