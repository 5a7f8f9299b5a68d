"""Imports the packages that were sent with the helper: nothing of them is on the disk."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from .errors import OWN_FILES


class Embedded(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Modules by their sources: ``salt/utils/files.py`` is ``salt.utils.files``."""

    def __init__(self, package: str, sources: Dict[str, str]) -> None:
        self._package = package
        self._sources = sources

    def _path(self, fullname: str) -> Optional[str]:
        base = fullname.replace(".", "/")
        for path in (f"{base}/__init__.py", f"{base}.py"):
            if path in self._sources:
                return path
        return None

    def find_spec(self, fullname: str, path: Optional[Sequence[str]], target: Any = None) -> Any:
        if fullname != self._package and not fullname.startswith(self._package + "."):
            return None
        found = self._path(fullname)
        if found is None:
            return self.missing(fullname)
        spec = importlib.machinery.ModuleSpec(
            fullname, self, origin=f"{OWN_FILES}/{found}", is_package=found.endswith("/__init__.py")
        )
        spec.has_location = True
        return spec

    def missing(self, fullname: str) -> Any:
        return None

    def get_source(self, fullname: str) -> str:
        path = self._path(fullname)
        if path is None:
            raise ImportError(f"No module named {fullname!r}", name=fullname)
        return self._sources[path]

    def is_package(self, fullname: str) -> bool:
        return (self._path(fullname) or "").endswith("/__init__.py")

    def get_code(self, fullname: str) -> Any:
        return compile(self.get_source(fullname), f"{OWN_FILES}/{self._path(fullname)}", "exec", dont_inherit=True)

    def exec_module(self, module: Any) -> None:
        exec(self.get_code(module.__name__), module.__dict__)


class SlimSalt(Embedded):
    """The package ``salt`` for custom modules, where Salt itself is not installed."""

    def missing(self, fullname: str) -> Any:
        if fullname.startswith("salt.loaded"):
            return None
        raise ModuleNotFoundError(
            f"No module named {fullname!r}: Brine has no such part of Salt's package. Install Salt for this Python "
            f'("{sys.executable} -m pip install salt"), or use what __salt__ has',
            name=fullname,
        )


#: What programs beside a master ask it by, and which of its names are taken from the package that comes with Brine.
ASKS_MASTER: Dict[str, Tuple[str, ...]] = {
    "salt.client": ("LocalClient", "get_local_client"),
    "salt.runner": ("RunnerClient",),
    "salt.wheel": ("WheelClient",),
    "salt.utils.master": ("MasterPillarUtil",),
    "salt.utils.minions": ("CkMinions",),
}


class _Lent(importlib.abc.Loader):
    """Runs a module of Salt's own package, and then puts names of Brine's into it."""

    def __init__(self, loader: Any, source: str, path: str, names: Tuple[str, ...]) -> None:
        self._loader = loader
        self._source = source
        self._path = path
        self._names = names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self._loader.exec_module(module)
        own = types.ModuleType(module.__name__)
        exec(compile(self._source, f"{OWN_FILES}/{self._path}", "exec", dont_inherit=True), own.__dict__)
        for name in self._names:
            setattr(module, name, getattr(own, name))


class LentSalt(importlib.abc.MetaPathFinder):
    """Salt's own package beside a master of Brine: its clients would look for the files and databases of Salt's master."""

    def __init__(self, sources: Dict[str, str], is_master: Callable[[], bool]) -> None:
        self._sources = sources
        self._is_master = is_master

    def find_spec(self, fullname: str, path: Optional[Sequence[str]], target: Any = None) -> Any:
        if fullname not in ASKS_MASTER or not self._is_master():
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or spec.loader is None:
            return None
        base = fullname.replace(".", "/")
        source = f"{base}/__init__.py" if f"{base}/__init__.py" in self._sources else f"{base}.py"
        spec.loader = _Lent(spec.loader, self._sources[source], source, ASKS_MASTER[fullname])
        return spec
