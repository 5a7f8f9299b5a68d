"""The exceptions of Salt that modules raise and catch."""

from __future__ import annotations

from typing import Any, List


def _shown(value: Any, indent: int = 0) -> List[str]:
    space = " " * indent
    if isinstance(value, dict):
        lines: List[str] = []
        for key in sorted(value, key=str):
            item = value[key]
            if isinstance(item, (dict, list, tuple)):
                lines.append(f"{space}{key}:")
                lines.extend(_shown(item, indent + 4))
            else:
                lines.append(f"{space}{key}:")
                lines.append(f"{space}    {item}")
        return lines
    if isinstance(value, (list, tuple)):
        return [line for item in value for line in (_shown(item, indent + 2) if isinstance(item, (dict, list)) else [f"{space}- {item}"])]
    return [f"{space}{value}"]


class SaltException(Exception):
    """The base of all exceptions of Salt."""

    def __init__(self, message: Any = "") -> None:
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        super().__init__(text)
        self.message = self.strerror = text

    def pack(self) -> dict:
        return {"message": str(self), "args": self.args}


class CommandExecutionError(SaltException):
    """A command could not do its work."""

    def __init__(self, message: Any = "", info: Any = None) -> None:
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        self.error = text
        self.info = info
        if info:
            dot = "" if not text or text[-1] in ".?!" else "."
            shown = "\n".join(_shown(info))
            text = f"{text}{dot}{' ' if text else ''}Additional info follows:\n\n{shown}"
        super().__init__(text)


class SaltRenderError(SaltException):
    """A file could not be rendered."""

    def __init__(self, message: Any = "", line_num: Any = None, buf: str = "", marker: str = "", trace: Any = None) -> None:
        self.error = message
        self.line_num = line_num
        self.buffer = buf
        self.context = ""
        super().__init__(message)


class SaltConfigurationError(SaltException):
    """The configuration cannot be used."""


class SaltClientError(SaltException):
    """A job could not be published, or its returns not be had."""


class SaltReqTimeoutError(SaltException):
    """A request had no answer in time."""


class TimedProcTimeoutError(SaltException):
    """A command took too long."""


class TimeoutError(SaltException):
    """An operation took too long."""


class LoaderError(SaltException):
    """A module could not be loaded."""


class LoaderProcessError(SaltException):
    """A module could not be loaded in its process."""


class CommandNotFoundError(SaltException):
    """A program is missing."""


class SaltInvocationError(SaltException, TypeError):
    """The arguments make no sense."""


class ArgumentValueError(CommandExecutionError):
    """An argument has a value that is not allowed."""


class CheckError(CommandExecutionError):
    """A check has failed."""


class NotImplemented(SaltException):
    """The function does nothing here."""


def _made(base: type, names: str) -> None:
    for name in names.split():
        globals()[name] = type(name, (base,), {"__doc__": "An exception of Salt.", "__module__": __name__})


_made(
    SaltException,
    "SaltMasterError SaltNoMinionsFound SaltSyndicMasterError SaltMasterUnresolvableError MinionError "
    "FileserverConfigError FileLockError GitLockError GitRemoteError GitConfigError SaltDaemonNotRunning SaltRunnerError "
    "SaltWheelError SaltCacheError SaltDeserializationError PkgParseError AuthorizationError AuthenticationError "
    "EauthAuthenticationError TokenAuthenticationError UnsupportedAlgorithm SaltCloudException SaltClientTimeout PublishError "
    "TemplateError MissingSmb NxosError VaultError SaltValidationError SaltTemplateRenderError",
)
_made(
    CommandExecutionError,
    "InvalidConfigError InvalidEntityError VMwareSaltError CodePageError StatefulError ArgumentTypeError",
)
_made(
    globals()["SaltCloudException"],
    "SaltCloudSystemExit SaltCloudConfigError SaltCloudNotFound SaltCloudExecutionFailure SaltCloudPasswordError",
)
_made(
    globals()["VMwareSaltError"],
    "VMwareApiError VMwareConnectionError VMwareRuntimeError VMwareObjectRetrievalError VMwareNotFoundError",
)
_made(globals()["NxosError"], "NxosCliError NxosClientError NxosRequestNotSupported")
_made(globals()["VaultError"], "VaultNotFoundError")
_made(SystemExit, "SaltSystemExit MasterExit")


class InvalidKeyError(SaltException, ValueError):
    """A key cannot be used."""
