"""
Return data to a file

:configuration: shopret.path
"""

import os

import salt.returners
import salt.utils.files
import salt.utils.jid
import salt.utils.json

__virtualname__ = "shopret"


def __virtual__():
    return __virtualname__


def _options(ret=None):
    return salt.returners.get_returner_options(
        __virtualname__, ret, {"path": "path", "color": "color"}, __salt__=__salt__, __opts__=__opts__, defaults={"color": "none"}
    )


def returner(ret):
    options = _options(ret)
    with salt.utils.files.fopen(options["path"], "a") as handle:
        kept = {key: ret[key] for key in ("fun", "id", "jid", "return", "retcode", "success") if key in ret}
        handle.write(salt.utils.json.dumps({"ret": kept, "color": options["color"]}, sort_keys=True) + "\n")


def save_load(jid, load, minions=None):
    with salt.utils.files.fopen(_options()["path"] + ".load", "w") as handle:
        handle.write(salt.utils.json.dumps({jid: load}))


def get_load(jid):
    path = _options()["path"] + ".load"
    if not os.path.exists(path):
        return {}
    with salt.utils.files.fopen(path) as handle:
        return salt.utils.json.loads(handle.read()).get(jid, {})


def get_jid(jid):
    return {"web1": {"return": True, "retcode": 0}}


def get_fun(fun):
    return {"web1": "20240101000000000000"}


def get_jids():
    return {"20240101000000000000": {"Function": "test.ping", "Target": "*"}}


def get_minions():
    return ["web1"]


def event_return(events):
    with salt.utils.files.fopen(_options()["path"] + ".events", "a") as handle:
        for event in events:
            handle.write("{} {}\n".format(event["tag"], sorted(event["data"])))


def prep_jid(nocache=False, passed_jid=None):
    return passed_jid if passed_jid is not None else salt.utils.jid.gen_jid(__opts__)
