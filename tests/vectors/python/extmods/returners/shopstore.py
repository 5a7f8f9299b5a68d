"""Keeps jobs in files, as a master job cache"""

import os

import salt.returners
import salt.utils.files
import salt.utils.jid
import salt.utils.json
from salt.utils.odict import OrderedDict

__virtualname__ = "shopstore"


def __virtual__():
    return __virtualname__


def _options(ret=None):
    return salt.returners.get_returner_options(
        __virtualname__, ret, {"directory": "directory", "color": "color"}, __salt__=__salt__, __opts__=__opts__, defaults={"color": "none", "directory": ""}
    )


def _path(kind, *names):
    directory = _options().get("directory")
    return os.path.join(directory, "_".join(["returned", kind, *names]))


def _write(path, value):
    with salt.utils.files.fopen(path, "w") as handle:
        salt.utils.json.dump(value, handle, sort_keys=True)


def _read(path):
    try:
        with salt.utils.files.fopen(path) as handle:
            return salt.utils.json.load(handle)
    except OSError:
        return {}


def prep_jid(nocache=False, passed_jid=None):
    return passed_jid if passed_jid is not None else salt.utils.jid.gen_jid(__opts__)


def returner(ret):
    _write(_path("job", ret["jid"], ret["id"]), {key: ret[key] for key in ("fun", "return", "success", "retcode") if key in ret})


def save_load(jid, load, minions=None):
    _write(_path("load", jid), OrderedDict(sorted(load.items())))


def save_minions(jid, minions, syndic_id=None):
    pass


def get_load(jid):
    return _read(_path("load", jid))


def get_jid(jid):
    directory = _options()["directory"]
    start = f"returned_job_{jid}_"
    return {name[len(start) :]: _read(os.path.join(directory, name)) for name in sorted(os.listdir(directory)) if name.startswith(start)}


def get_jids():
    directory = _options()["directory"]
    start = "returned_load_"
    found = {}
    for name in sorted(os.listdir(directory)):
        if name.startswith(start):
            jid = name[len(start) :]
            found[jid] = salt.utils.jid.format_jid_instance(jid, _read(os.path.join(directory, name)))
    return found


def get_fun(fun):
    return {}


def get_minions():
    return []


def event_return(events):
    for number, event in enumerate(events):
        _write(_path("event", str(number)), [event["tag"], event["data"]])
