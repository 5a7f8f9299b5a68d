"""Loads Python files as modules of Salt: what they find under their names, and which of their functions count."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

#: The part of a module's name that says of which kind it is, as in Salt.
TAGS = {
    "modules": "module",
    "states": "states",
    "grains": "grains",
    "returners": "returner",
    "runners": "runner",
    "renderers": "render",
    "output": "output",
    "pillar": "pillar",
    "utils": "utils",
    "wheel": "wheel",
    "tops": "tops",
    "beacons": "beacons",
    "engines": "engines",
    "executors": "executor",
    "matchers": "matchers",
    "serializers": "serializers",
    "sdb": "sdb",
    "auth": "auth",
}

#: Names that a host is told of if the file speaks of them: they cost something.
WATCHED = ("__lowstate__", "__running__")


class Loaded:
    """A file that was loaded."""

    def __init__(self, kind: str, path: str, name: str, module: types.ModuleType, text: str) -> None:
        self.kind = kind
        self.path = path
        self.name = name
        self.module = module
        self.uses = [word for word in WATCHED if word in text]
        self.unavailable: Optional[str] = None
        self.aliases: List[str] = []
        self.functions: Dict[str, Callable[..., Any]] = {}


class _CompiledHere(importlib.machinery.SourceFileLoader):
    """Compiles each time: a file that was synced twice in one second could be taken for what was compiled before."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def read_text(path: str) -> str:
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def import_file(namespace: str, path: str, is_own: bool) -> Tuple[types.ModuleType, str]:
    """Imports a file or a package under a name, and returns it with the path of its source. A file finds those beside it."""
    is_package = os.path.isdir(path)
    source = os.path.join(path, "__init__.py") if is_package else path
    loader = (_CompiledHere if is_own else importlib.machinery.SourceFileLoader)(namespace, source)
    spec = importlib.util.spec_from_file_location(
        namespace, source, loader=loader, submodule_search_locations=[path] if is_package else None
    )
    if spec is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    directory = os.path.dirname(path)
    sys.modules[namespace] = module
    sys.path.append(directory)
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(namespace, None)
        raise
    finally:
        if directory in sys.path:
            sys.path.reverse()
            sys.path.remove(directory)
            sys.path.reverse()
    return module, source


def _parents(namespace: str) -> None:
    parts = namespace.split(".")
    for end in range(1, len(parts)):
        name = ".".join(parts[:end])
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
        except ImportError:
            package = types.ModuleType(name)
            package.__path__ = []
            sys.modules[name] = package


def namespace_of(kind: str, name: str, is_own: bool, base: str) -> str:
    return f"{base}.{'ext' if is_own else 'int'}.{TAGS.get(kind, kind)}.{name}"


def functions_of(module: types.ModuleType) -> Dict[str, Callable[..., Any]]:
    """The functions that count: public, and of this file."""
    aliases = getattr(module, "__func_alias__", {})
    listed = getattr(module, "__load__", getattr(module, "__all__", None))
    found: Dict[str, Callable[..., Any]] = {}
    for attribute in listed if listed is not None else dir(module):
        if attribute.startswith("_"):
            continue
        function = getattr(module, attribute, None)
        # Those of its parts, too, if it is a package.
        if not inspect.isfunction(function) or not function.__module__.startswith("salt.loaded."):
            continue
        found[aliases.get(attribute, attribute)] = function
    return _without_absent(module, found)


def embedded_utilities(name: str) -> Dict[str, Callable[..., Any]]:
    """The functions of ``salt.utils`` that come with Brine: ``__utils__`` has them too."""
    try:
        if not hasattr(importlib.import_module("salt"), "BRINE"):
            return {}
        module = importlib.import_module(f"salt.utils.{name}")
    except ImportError:
        return {}
    named = vars(module).items()
    return {key: value for key, value in named if inspect.isfunction(value) and not key.startswith("_")}


def _without_absent(module: types.ModuleType, found: Dict[str, Callable[..., Any]]) -> Dict[str, Callable[..., Any]]:
    """Applies ``depends``: functions whose dependencies are missing go away, or have another in their place."""
    decorators = sys.modules.get("salt.utils.decorators")
    depends = getattr(decorators, "Depends", None)
    if depends is None:
        return found
    own = getattr(depends, "without_absent", None)
    if own is not None:
        kept: Dict[str, Callable[..., Any]] = own(module, found)
        return kept
    # Salt's own package.
    kind, name = module.__name__.split(".")[-2:]
    keyed = {f"{name}.{function}": body for function, body in found.items()}
    depends.enforce_dependencies(keyed, kind, name)
    return {function: keyed[f"{name}.{function}"] for function in found if f"{name}.{function}" in keyed}


def virtual_of(loaded: Loaded) -> None:
    """Asks a module whether it fits this host, and under which names."""
    module = loaded.module
    loaded.aliases = [str(name) for name in getattr(module, "__virtual_aliases__", ())]
    ask = getattr(module, "__virtual__", None)
    # As in Salt, a name counts only with the question.
    if not inspect.isfunction(ask):
        return
    reason = ""
    try:
        said = ask()
    except Exception as error:
        said = False
        reason = (
            f"Exception raised when processing __virtual__ function for {module.__name__.replace('.brine.', '.')}. "
            f"Module will not be loaded: {error}"
        )
    if isinstance(said, tuple):
        reason = "" if len(said) < 2 else str(said[1])
        said = said[0]
    named = getattr(module, "__virtualname__", said)
    if isinstance(named, str) and named:
        loaded.name = named
    if not said:
        loaded.unavailable = reason


def _plain(value: Any) -> bool:
    if value is None or isinstance(value, (bool, int, float, str)):
        return True
    if isinstance(value, (list, tuple)):
        return all(_plain(item) for item in value)
    if isinstance(value, dict):
        return all(_plain(key) and _plain(item) for key, item in value.items())
    return False


def _parameters(function: Callable[..., Any]) -> Dict[str, Any]:
    try:
        spec = inspect.getfullargspec(inspect.unwrap(function))
    except (TypeError, ValueError):
        return {"params": [], "varargs": "args", "keywords": "kwargs"}
    defaults = spec.defaults or ()
    first = len(spec.args) - len(defaults)
    params: List[List[Any]] = []
    only: List[str] = []
    for index, name in enumerate(spec.args):
        if index < first:
            params.append([name])
            continue
        params.append([name, defaults[index - first]])
    if spec.varargs is None:
        given = spec.kwonlydefaults or {}
        only = list(spec.kwonlyargs)
        params.extend([name, given[name]] if name in given else [name] for name in only)
    shown = [entry if len(entry) == 1 or _plain(entry[1]) else [entry[0], repr(entry[1])] for entry in params]
    return {"params": shown, "varargs": spec.varargs, "keywords": spec.varkw, "only": only}


#: What a command line does not show of a documentation.
_BLOCK = re.compile(r" *\.\. code-block:: \S+\n{1,2}")


def _doc(thing: Any) -> str:
    return _BLOCK.sub("", thing.__doc__) if isinstance(thing.__doc__, str) else ""


def description(loaded: Loaded) -> Dict[str, Any]:
    """What Brine is told of a module."""
    outputters = getattr(loaded.module, "__outputter__", {})
    described = []
    for name, function in loaded.functions.items():
        out = getattr(function, "__outputter__", None) or outputters.get(getattr(function, "__name__", name))
        entry = {"name": name, "doc": _doc(function), **_parameters(function)}
        if isinstance(out, str):
            entry["out"] = out
        described.append(entry)
    return {
        "name": loaded.name,
        "aliases": loaded.aliases,
        "unavailable": loaded.unavailable,
        "functions": described,
        "uses": loaded.uses,
    }
