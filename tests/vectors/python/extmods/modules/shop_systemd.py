"""Another name than the file's"""

__virtualname__ = "shopsvc"

__func_alias__ = {
    "list_": "list",
    "reload_": "reload",
}

__outputter__ = {
    "list_": "txt",
    "status": "nested",
}


def __virtual__():
    return __virtualname__


def list_(prefix=None):
    """Services"""
    names = ["apache2", "cron", "ssh"]
    return [name for name in names if prefix is None or name.startswith(prefix)]


def reload_(name, sig=None):
    return "reloaded {} {}".format(name, sig)


def status(name):
    return name in list_()


def through_alias():
    return [__salt__["shopsvc.list"]("a"), "shopsvc.list_" in __salt__, "shop_systemd.list" in __salt__]
