# -*- coding: utf-8 -*-
"""
Return to a log, with options by profile

.. code-block:: yaml

    shoplog.path: /var/log/returns
"""
import json
import logging
import os

import salt.returners
import salt.utils.files
import salt.utils.jid

log = logging.getLogger(__name__)

__virtualname__ = "shoplog"


def __virtual__():
    return __virtualname__


def _get_options(ret=None):
    attrs = {"path": "path", "level": "level", "color": "color"}
    return salt.returners.get_returner_options("shopret", ret, attrs, __salt__=__salt__, __opts__=__opts__, defaults={"level": "info"})


def returner(ret):
    """
    Write one line
    """
    options = _get_options(ret)
    line = {key: ret[key] for key in ("id", "fun", "return") if key in ret}
    line["options"] = sorted((key, value) for key, value in options.items() if key != "path" and value is not None)
    with salt.utils.files.fopen(options["path"] + ".log", "a") as handle:
        handle.write(json.dumps(line, sort_keys=True, default=str) + "\n")


def event_return(events):
    with salt.utils.files.fopen(_get_options()["path"] + ".events", "a") as handle:
        for event in events:
            handle.write("{}: {}\n".format(event.get("tag", ""), sorted(event.get("data", {}))))


def save_load(jid, load, minions=None):
    with salt.utils.files.fopen(_get_options()["path"] + ".load", "w") as handle:
        json.dump({"jid": jid, "fun": load["fun"]}, handle)


def get_load(jid):
    path = _get_options()["path"] + ".load"
    if not os.path.exists(path):
        return {}
    with salt.utils.files.fopen(path) as handle:
        return json.load(handle)


def get_fun(fun):
    return {"web1": {"fun": fun}}


def get_minions():
    return ["web1"]


def prep_jid(nocache=False, passed_jid=None):
    return passed_jid if passed_jid is not None else salt.utils.jid.gen_jid(__opts__)
