"""Exceptions that cross the pipe: as what they are in both directions."""

from __future__ import annotations

import builtins
import traceback
from collections import OrderedDict
from typing import Any, Dict, List, Type

#: Source files of this package have names that begin so: their frames are of no interest to the author of a module.
OWN_FILES = "<brine>"

#: Exceptions that Brine may give back.
MOST_KEPT = 32

_kept: "OrderedDict[int, BaseException]" = OrderedDict()
_last = 0


def _keep(error: BaseException) -> int:
    global _last
    _last += 1
    _kept[_last] = error
    while len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return _last


def _without_own(shown: traceback.TracebackException, depth: int = 0) -> None:
    shown.stack = traceback.StackSummary.from_list(
        [frame for frame in shown.stack if not frame.filename.startswith(OWN_FILES)]
    )
    for chained in (shown.__cause__, shown.__context__):
        if chained is not None and depth < 20:
            _without_own(chained, depth + 1)


def traceback_of(error: BaseException) -> str:
    """The text that Python prints of an exception, without the frames of this package."""
    shown = traceback.TracebackException.from_exception(error, lookup_lines=False)
    _without_own(shown)
    return "".join(shown.format())


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return f"<{type(error).__name__} whose text cannot be made>"


def _sendable(text: str) -> str:
    """A text whose lone surrogates are written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def describe(error: BaseException) -> Dict[str, Any]:
    """What Brine is told of an exception."""
    names: List[str] = [cls.__name__ for cls in type(error).__mro__ if cls is not object]
    try:
        return _described(error, names)
    except BaseException:
        # One that raises when it is looked at.
        text = f"<{names[0]} whose text cannot be made>"
        return {"kinds": names, "message": text, "info": None, "traceback": f"{text}\n", "id": _keep(error)}


def _described(error: BaseException, names: List[str]) -> Dict[str, Any]:
    info = getattr(error, "info", None)
    return {
        "kinds": names,
        "message": _sendable(text_of(error) if info is None else str(getattr(error, "error", None) or text_of(error))),
        "info": info if isinstance(info, (dict, list, str, int)) else None,
        "traceback": _sendable(traceback_of(error)),
        "id": _keep(error),
    }


#: Errors of Brine that have another name in Salt.
_SALTS = {"RenderError": "SaltRenderError"}


def _class_of(name: str) -> Type[BaseException]:
    name = _SALTS.get(name, name)
    try:
        import salt.exceptions

        found = getattr(salt.exceptions, name, None)
    except ImportError:
        found = None
    if found is None:
        found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, Exception):
        return found
    return Exception


def rebuild(said: Dict[str, Any]) -> BaseException:
    """The exception that Brine tells of: the very same, if it came from here."""
    number = said.get("id")
    if isinstance(number, int) and number in _kept:
        return _kept[number]
    cls = _class_of(str(said.get("kind", "")))
    message = str(said.get("message", ""))
    info = said.get("info")
    try:
        if info is not None:
            return cls(message, info=info)  # type: ignore[call-arg]
        return cls(message)
    except TypeError:
        return Exception(message)
