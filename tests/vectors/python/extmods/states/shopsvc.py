"""Services that are restarted when something has changed"""

__virtualname__ = "shopsvc"


def __virtual__():
    return __virtualname__


def running(name, sig=None):
    return {"name": name, "changes": {}, "result": True, "comment": "Service {} runs".format(name)}


def mod_watch(name, sfun=None, sig=None, **kwargs):
    return {
        "name": name,
        "changes": {"restarted": [name, sfun, sig]},
        "result": True,
        "comment": "Service {} was restarted".format(name),
    }
