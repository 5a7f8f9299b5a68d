"""Exceptions in both directions"""

import salt.exceptions
from salt.exceptions import (
    ArgumentValueError,
    CommandExecutionError,
    CommandNotFoundError,
    MinionError,
    SaltException,
    SaltInvocationError,
    TimedProcTimeoutError,
)


def execution():
    raise CommandExecutionError("Failed to do it")


def execution_info():
    raise CommandExecutionError("Failed to do it", info={"code": 3, "why": ["a", "b"]})


def invocation():
    raise SaltInvocationError("name is required")


def not_found():
    raise CommandNotFoundError("frobnicate")


def value():
    raise ValueError("not a number")


def key():
    return {}["missing"]


def type_error():
    return len(5)


def missing_argument():
    return wants("one")


def wants(one, two):
    return [one, two]


class ShopError(SaltException):
    pass


def own():
    raise ShopError("own kind")


def chained():
    try:
        value()
    except ValueError as exc:
        raise CommandExecutionError("wrapped: {}".format(exc)) from exc


def caught():
    found = {}
    for name, args, kwargs in (
        ("failures.execution", (), {}),
        ("failures.execution_info", (), {}),
        ("failures.invocation", (), {}),
        ("failures.own", (), {}),
        ("failures.value", (), {}),
        ("test.exception", ("boo",), {}),
        ("file.read", ("/no/such/file",), {}),
        ("cmd.run", ("true",), {"cwd": "/no/such/directory"}),
        ("file.chown", ("/no/such/file", "no such user", "root"), {}),
    ):
        try:
            found[name] = ["returned", __salt__[name](*args, **kwargs)]
        except CommandExecutionError as exc:
            found[name] = ["CommandExecutionError", exc.info is not None]
        except SaltInvocationError as exc:
            found[name] = ["SaltInvocationError", str(exc)]
        except SaltException as exc:
            found[name] = ["SaltException", type(exc).__name__, str(exc)]
        except Exception as exc:
            found[name] = ["Exception", type(exc).__name__, str(exc)]
    return found


def classes():
    made = CommandExecutionError("text", info={"a": 1})
    return [
        str(CommandExecutionError("text")),
        made.info,
        str(made),
        made.message,
        issubclass(CommandNotFoundError, SaltException),
        issubclass(ArgumentValueError, CommandExecutionError),
        issubclass(MinionError, SaltException),
        SaltException("a").pack(),
        issubclass(salt.exceptions.FileserverConfigError, SaltException),
        issubclass(TimedProcTimeoutError, SaltException),
    ]
