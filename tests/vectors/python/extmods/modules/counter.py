"""What one call leaves for the next"""

CACHE_KEY = "counter.values"


def _values():
    return __context__.setdefault(CACHE_KEY, {})


def increment(name, by=1):
    values = _values()
    values[name] = values.get(name, 0) + by
    return values[name]


def retcode(code):
    __context__["retcode"] = code
    return "set {0}".format(code)


def of_command():
    __salt__["cmd.run"]("exit 4", python_shell=True)
    return __context__.get("retcode")


def inside(code):
    """A function of this very module, called through the loader, changes the same dictionary"""
    __salt__["counter.increment"]("inside", by=5)
    __salt__["counter.retcode"](code)
    found = [_values()["inside"], __context__["retcode"]]
    __context__["retcode"] = 0
    return found
