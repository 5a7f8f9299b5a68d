"""Runs functions, and says so"""


def __virtual__():
    return True


def execute(opts, data, func, args, kwargs):
    plain = {key: value for key, value in kwargs.items() if not key.startswith("__pub")}
    return {"by": "shopexec", "fun": data["fun"], "args": list(args), "kwargs": plain, "id": opts["id"], "ret": func(*args, **kwargs)}
