"""The mappings that a module finds under names with two underscores."""

from __future__ import annotations

import copy
from collections.abc import MutableMapping
from typing import Any, Callable, Dict, Iterator, List, Optional

from . import errors, wire
from .channel import Channel


class Values(MutableMapping):
    """A dictionary that came packed, and is unpacked when it is first used."""

    def __init__(self, packed: Optional[bytes] = None) -> None:
        self._packed = packed
        self._value: Dict[Any, Any] = {}

    def replace(self, packed: bytes) -> None:
        self._packed = packed

    def value(self) -> Dict[Any, Any]:
        if self._packed is not None:
            packed, self._packed = self._packed, None
            self._value = wire.unpack(packed)
        return self._value

    def __getitem__(self, key: Any) -> Any:
        return self.value()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.value()[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.value()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __len__(self) -> int:
        return len(self.value())

    def __contains__(self, key: Any) -> bool:
        return key in self.value()

    def __eq__(self, other: Any) -> bool:
        return bool(self.value() == (other.value() if isinstance(other, Values) else other))

    def __repr__(self) -> str:
        return repr(self.value())

    def __copy__(self) -> Dict[Any, Any]:
        return dict(self.value())

    def __deepcopy__(self, memo: Dict[int, Any]) -> Dict[Any, Any]:
        return copy.deepcopy(self.value(), memo)

    def copy(self) -> Dict[Any, Any]:
        return dict(self.value())


class Plain(Dict[str, Any]):
    """A dictionary that also answers as a context of Salt's loader does."""

    def value(self) -> "Plain":
        return self


class Options:
    """``__opts__``: a plain dictionary, filled when a module first speaks of it."""

    def __init__(self) -> None:
        self._value = Plain()
        self._waiting: List[bytes] = []
        self._shared: Dict[str, Values] = {}
        self._used = False

    def share(self, name: str, values: Values) -> None:
        """``__opts__["grains"]`` and ``__opts__["pillar"]`` are dictionaries with what ``__grains__`` and ``__pillar__`` have."""
        self._shared[name] = values
        if self._used:
            self._fill()

    def change(self, packed: bytes) -> None:
        """Takes ``{"set": {…}, "del": […]}``."""
        self._waiting.append(packed)
        if self._used:
            self._fill()

    def _fill(self) -> None:
        for packed in self._waiting:
            change = wire.unpack(packed)
            for name in change["del"]:
                self._value.pop(name, None)
            self._value.update(change["set"])
        self._waiting = []
        for name, values in self._shared.items():
            self._value[name] = values.value()

    def value(self) -> Dict[str, Any]:
        self._used = True
        self._fill()
        return self._value


class _Module:
    """Functions of one module as attributes: ``__salt__.test.ping()``."""

    def __init__(self, functions: "Functions", name: str) -> None:
        self._functions = functions
        self._name = name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            return self._functions[f"{self._name}.{name}"]
        except KeyError as error:
            raise AttributeError(name) from error


class Functions(MutableMapping):
    """Functions by ``module.function``: those of Brine are called there, those of this process directly."""

    def __init__(
        self,
        channel: Channel,
        kind: str,
        local: Callable[[str, str], Callable[..., Any]],
        number: Callable[[], Optional[int]],
        retcode: Callable[[Any], Any],
    ) -> None:
        self._channel = channel
        self._kind = kind
        self._local = local
        self._number = number
        self._retcode = retcode
        self._found: Dict[str, Optional[Callable[..., Any]]] = {}
        self._own: Dict[str, Callable[..., Any]] = {}

    def forget(self) -> None:
        """Modules may have changed: what was found is looked up again."""
        self._found.clear()

    def _ask(self, op: str, **fields: Any) -> Dict[str, Any]:
        answer = self._channel.ask(op, c=self._number(), kind=self._kind, **fields)
        if "e" in answer:
            self._retcode(answer.get("rc"))
            raise errors.rebuild(answer["e"])
        return answer

    def _remote(self, name: str, doc: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            answer = self._ask("run", f=name, a=list(args), k=kwargs, rc=self._retcode(None))
            self._retcode(answer.get("rc"))
            return answer["r"]

        call.__name__ = name.rpartition(".")[2]
        call.__qualname__ = call.__name__
        call.__doc__ = doc
        return call

    def _look(self, name: Any) -> Optional[Callable[..., Any]]:
        if not isinstance(name, str):
            return None
        if name in self._own:
            return self._own[name]
        if name not in self._found:
            answer = self._ask("find", f=name)
            there = answer["r"]
            if there is None:
                self._found[name] = None
            elif there.get("module") is not None:
                self._found[name] = self._local(there["module"], there["function"])
            else:
                self._found[name] = self._remote(name, there["doc"])
        return self._found[name]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        found = self._look(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: Any) -> bool:
        return self._look(name) is not None

    def __setitem__(self, name: str, value: Callable[..., Any]) -> None:
        self._own[name] = value

    def __delitem__(self, name: str) -> None:
        del self._own[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ask("names")["r"])

    def __len__(self) -> int:
        return len(self._ask("names")["r"])

    def __bool__(self) -> bool:
        return True

    def __getattr__(self, name: str) -> _Module:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Module(self, name)

    def value(self) -> "Functions":
        return self

    def __repr__(self) -> str:
        return f"<functions of {self._kind}>"


class Utilities(MutableMapping):
    """``__utils__``: functions of the modules in ``_utils``, loaded when they are asked for."""

    def __init__(self, load: Callable[[str], Dict[str, Callable[..., Any]]], names: Callable[[], List[str]]) -> None:
        self._load = load
        self._names = names
        self._loaded: Dict[str, Dict[str, Callable[..., Any]]] = {}

    def forget(self) -> None:
        self._loaded.clear()

    def _module(self, name: str) -> Dict[str, Callable[..., Any]]:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        module, _, function = name.partition(".")
        try:
            return self._module(module)[function]
        except KeyError:
            raise KeyError(name) from None

    def __contains__(self, name: Any) -> bool:
        module, _, function = str(name).partition(".")
        return function in self._module(module)

    def __iter__(self) -> Iterator[str]:
        for module in self._names():
            for function in self._module(module):
                yield f"{module}.{function}"

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, value: Any) -> None:
        module, _, function = name.partition(".")
        self._module(module)[function] = value

    def __delitem__(self, name: str) -> None:
        module, _, function = name.partition(".")
        del self._module(module)[function]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        functions = self._module(name)

        class Module:
            def __getattr__(self, function: str) -> Callable[..., Any]:
                if function in functions:
                    return functions[function]
                raise AttributeError(function)

        return Module()
