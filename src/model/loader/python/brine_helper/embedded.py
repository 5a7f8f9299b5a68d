"""Imports the packages that were sent with the helper: nothing of them is on the disk."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from typing import Any, Dict, Optional, Sequence

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
