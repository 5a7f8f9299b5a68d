"""Exceptions of salt.exceptions, raised and caught"""

import salt.exceptions
from salt.exceptions import (
    ArgumentValueError,
    AuthenticationError,
    CommandExecutionError,
    CommandNotFoundError,
    LoaderError,
    MinionError,
    SaltConfigurationError,
    SaltException,
    SaltInvocationError,
    SaltRenderError,
    TimedProcTimeoutError,
)

_ALL = {
    "argument": ArgumentValueError,
    "authentication": AuthenticationError,
    "execution": CommandExecutionError,
    "found": CommandNotFoundError,
    "loader": LoaderError,
    "minion": MinionError,
    "configuration": SaltConfigurationError,
    "salt": SaltException,
    "invocation": SaltInvocationError,
    "render": SaltRenderError,
    "timeout": TimedProcTimeoutError,
}


def throw(name, text="the shop is closed"):
    raise _ALL[name](text)


def caught(name):
    try:
        __salt__["raises_all.throw"](name)
    except SaltException as exc:
        return [type(exc).__name__, str(exc), getattr(exc, "message", None), isinstance(exc, _ALL[name])]


def packed():
    exc = CommandExecutionError("no", info={"stdout": "a", "retcode": 2})
    return [exc.info, exc.error, exc.message, str(exc), exc.pack()["args"] if hasattr(exc, "pack") else None]


def of_other(function, *args):
    try:
        return __salt__[function](*args)
    except CommandExecutionError as exc:
        return ["execution", str(exc)]
    except SaltInvocationError as exc:
        return ["invocation", str(exc)]
    except TypeError as exc:
        return ["type", bool(str(exc))]
    except KeyError as exc:
        return ["key", str(exc)]


def chained():
    try:
        int("x")
    except ValueError as exc:
        raise CommandExecutionError(f"not a number: {exc}") from exc


def named():
    names = ["EauthAuthenticationError", "FileserverConfigError", "SaltMasterError", "SaltReqTimeoutError", "NotImplemented", "FileLockError", "GitLockError", "TemplateError", "SaltSystemExit", "TokenAuthenticationError", "PublishError", "PillarRenderError" if hasattr(salt.exceptions, "PillarRenderError") else "SaltException", "InvalidConfigError", "VMwareSaltError", "UnsupportedAlgorithm" if hasattr(salt.exceptions, "UnsupportedAlgorithm") else "SaltException"]
    return [[name, issubclass(getattr(salt.exceptions, name), Exception)] for name in names]
