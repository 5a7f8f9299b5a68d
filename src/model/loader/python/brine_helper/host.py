"""What Brine asks of this process: to load files, to call their functions, to render."""

from __future__ import annotations

import importlib
import inspect
import io
import itertools
import logging
import os
import re
import sys
import threading
import traceback
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import current, errors, mappings, modules
from .channel import Channel

#: Values that a generator may give in one return.
MOST_OF_GENERATOR = 1_000_000

#: Kinds that Salt gives no ``__salt__``: files of them may have one of their own.
WITHOUT_SALT = ("grains", "output", "tops", "serializers", "matchers", "utils")

#: Parts of Salt's package that need all of its options: a file that names one gets them.
NEEDS_ALL = re.compile(
    r"\bsalt(?:\.| import )"
    r"(?:cache|client|crypt|fileclient|fileserver|key|loader|minion|output|pillar|runner|state|template|wheel|utils\.minions)\b"
)


class _ToBrine(logging.Handler):
    """Hands records of Python's log to Brine's."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel
        self._pid = os.getpid()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
            if record.exc_info and record.exc_info[1] is not None:
                text += "\n" + "".join(traceback.format_exception(*record.exc_info))
            if os.getpid() == self._pid:
                self._channel.send({"op": "log", "level": record.levelname, "name": record.name, "text": text[:10_000]})
        except Exception:
            self.handleError(record)


def _drained(generator: Any) -> Any:
    """The values of a generator in one return, as Salt's minion makes it: maps are merged, others are a list."""
    found: Any = {}
    for count, single in enumerate(generator):
        if count >= MOST_OF_GENERATOR:
            raise ValueError(f"A generator gave more than {MOST_OF_GENERATOR} values")
        if isinstance(single, dict) and isinstance(found, dict):
            found.update(single)
        else:
            if isinstance(found, dict):
                found = [found] if found else []
            found.append(single)
    return found


class _JobEvents:
    """``__jid_event__`` of runners: reports how far a job is."""

    def __init__(self, channel: Channel, number: Callable[[], Optional[int]]) -> None:
        self._channel = channel
        self._number = number

    def fire_event(self, data: Any, tag: str = "") -> None:
        self._channel.ask("progress", c=self._number(), data=data)


class Host:
    """This process, as modules see it."""

    def __init__(self, channel: Channel, has_salt: bool) -> None:
        self._channel = channel
        self._has_salt = has_salt
        # The loader of Salt's package, which a module may start, runs a file of a known name again in the module of that name.
        self._base = "salt.loaded.brine" if has_salt else "salt.loaded"
        channel.handle = self.handle
        current.set_host(self)
        self._calls: List[int] = []
        self._loaded: Dict[str, modules.Loaded] = {}
        self._utils_dirs: List[List[Any]] = []
        self._options = mappings.Options()
        #: Options that modules have as defaults, and where these see them.
        self._own_options: List[Tuple[Dict[str, Any], Dict[str, Any]]] = []
        self._grains = mappings.Values()
        self._pillar = mappings.Values()
        self._lent_options: Optional[Dict[str, Any]] = None
        self._context: Dict[str, Any] = mappings.Plain()
        self._utils = mappings.Utilities(self._load_utility, self._utility_names)
        self._functions = {
            kind: mappings.Functions(channel, kind, self._local, self._number, self._retcode)
            for kind in ("modules", "states", "runners", "wheel")
        }

    # For the package salt.

    def functions(self, kind: str) -> mappings.Functions:
        return self._functions[kind]

    def utilities(self) -> mappings.Utilities:
        return self._utils

    def options(self) -> Dict[str, Any]:
        return self._options.value()

    def grains(self) -> mappings.Values:
        return self._grains

    def pillar(self) -> mappings.Values:
        return self._pillar

    def is_engine(self) -> bool:
        """Whether an engine runs here: it hears events."""
        return any(loaded.kind == "engines" for loaded in self._loaded.values())

    def ask(self, op: str, **fields: Any) -> Any:
        """Asks Brine in the name of the call that runs."""
        answer = self._channel.ask(op, c=self._number(), **fields)
        if "e" in answer:
            raise errors.rebuild(answer["e"])
        return answer["r"]

    def context(self) -> Dict[str, Any]:
        return self._context

    # What is asked.

    def handle(self, message: Dict[str, Any]) -> None:
        handler: Callable[[Dict[str, Any]], Any] = getattr(self, "op_" + message["op"])
        number = message["n"]
        answer: Dict[str, Any] = {"n": number}
        self._calls.append(number)
        try:
            self._sync(message.get("s"))
            answer["r"] = handler(message)
            if message["op"] == "call":
                answer["rc"] = self._context.get("retcode", 0)
        except BaseException as error:
            # Also SystemExit and KeyboardInterrupt: they end the call, and not the process.
            answer = {"n": number, "e": errors.describe(error)}
        finally:
            self._calls.pop()
            self._flush()
        try:
            packed = self._channel.pack(answer)
        except BaseException as error:
            packed = self._channel.pack({"n": number, "e": errors.describe(error)})
        self._channel.write(packed)

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                # The module has closed or replaced it.
                pass

    def _number(self) -> Optional[int]:
        return self._calls[-1] if self._calls else None

    def _sync(self, changed: Optional[Dict[str, Any]]) -> None:
        if changed is None:
            return
        if "opts" in changed:
            self._options.change(changed["opts"])
            for seen, defaults in self._own_options:
                self._fill_options(seen, defaults)
        if "grains" in changed:
            self._grains.replace(changed["grains"])
            self._options.share("grains", self._grains)
        if "pillar" in changed:
            self._pillar.replace(changed["pillar"])
            self._options.share("pillar", self._pillar)
        if "utils" in changed:
            self._utils_dirs = changed["utils"]
            self._utils.forget()
        if changed.get("forget"):
            self._utils.forget()
            for functions in self._functions.values():
                functions.forget()

    def _fill_options(self, seen: Dict[str, Any], defaults: Dict[str, Any]) -> None:
        seen.clear()
        seen.update(defaults)
        seen.update(self._options.value())

    def _options_over(self, defaults: Dict[str, Any]) -> Dict[str, Any]:
        seen: Dict[str, Any] = mappings.Plain()
        self._fill_options(seen, defaults)
        self._own_options.append((seen, defaults))
        return seen

    def _all_options(self) -> Dict[str, Any]:
        """The options with the defaults of Salt's package."""
        if self._lent_options is None:
            import salt.config

            role = self._options.value().get("__role")
            defaults = salt.config.DEFAULT_MASTER_OPTS if role == "master" else salt.config.DEFAULT_MINION_OPTS
            self._lent_options = self._options_over(dict(defaults))
        return self._lent_options

    def _retcode(self, code: Any = None) -> Any:
        values = self._context
        if code is not None:
            values["retcode"] = code
        return values.get("retcode", 0)

    # Modules.

    def names_for(self, text: str, kind: str) -> Dict[str, Any]:
        """The names with two underscores that a file of a kind finds."""
        names: Dict[str, Any] = {
            "__grains__": self._grains,
            "__pillar__": self._pillar,
            "__context__": self._context,
            "__salt__": self._functions["runners" if kind == "runners" else "modules"],
            "__utils__": self._utils,
            "__proxy__": {},
        }
        if kind in ("states", "modules"):
            names["__states__"] = self._functions["states"]
        if kind in ("runners", "engines"):
            names["__runner__"] = names["__runners__"] = self._functions["runners"]
            names["__jid_event__"] = _JobEvents(self._channel, self._number)
        if kind == "executors":
            names["__executors__"] = {"direct_call.execute": lambda opts, data, func, args, kwargs: func(*args, **kwargs)}
        names["__opts__"] = self._options.value() if "__opts__" in text or "opts" in text else {}
        return names

    def _load(self, kind: str, path: str, name: str, is_own: bool) -> modules.Loaded:
        namespace = modules.namespace_of(kind, name, is_own, self._base)
        modules._parents(namespace)
        module, source = modules.import_file(namespace, path, is_own)
        # Hundreds of Salt's own modules are loaded at once. Reading their sources would take as long as running them.
        text = modules.read_text(source) if is_own or kind == "states" else "__opts__"
        loaded = modules.Loaded(kind, path, name, module, text)
        defaults = module.__dict__.get("__opts__")
        names = self.names_for(text, kind)
        if kind in WITHOUT_SALT and "__salt__" in module.__dict__:
            del names["__salt__"]
        module.__dict__.update(names)
        if isinstance(defaults, dict):
            module.__dict__["__opts__"] = self._options_over(defaults)
        elif self._has_salt and (NEEDS_ALL.search(text) if is_own else kind in ("renderers", "pillar", "engines")):
            # They make loaders of Salt, which need all of its options.
            module.__dict__["__opts__"] = self._all_options()
        prepare = module.__dict__.get("__init__")
        if inspect.isfunction(prepare):
            try:
                prepare(module.__dict__["__opts__"] or self._options.value())
            except TypeError as error:
                logging.getLogger("brine.python").error("%s: %s", path, error)
            except Exception as error:
                logging.getLogger("brine.python").debug("%s: %s", path, errors.traceback_of(error))
                loaded.unavailable = "__init__ failed"
                return loaded
        modules.virtual_of(loaded)
        if loaded.unavailable is None:
            loaded.functions = modules.functions_of(module)
        return loaded

    def _loaded_file(self, message: Dict[str, Any]) -> modules.Loaded:
        key = message["key"]
        if key not in self._loaded:
            loaded = self._load(message["kind"], message["path"], message["name"], message["own"])
            self._loaded[key] = loaded
        return self._loaded[key]

    def op_load(self, message: Dict[str, Any]) -> Any:
        try:
            return modules.description(self._loaded_file(message))
        except ImportError as error:
            # A module whose packages are missing is one that does not fit this host.
            return {"name": message["name"], "unavailable": str(error), "broken": str(error), "functions": [], "uses": []}
        except Exception as error:
            log = logging.getLogger("brine.python")
            level = logging.ERROR if message["own"] else logging.DEBUG
            log.log(level, "%s cannot be loaded: %s", message["path"], errors.traceback_of(error))
            return {"name": message["name"], "unavailable": str(error), "broken": str(error), "functions": [], "uses": []}

    def _local(self, key: str, function: str) -> Callable[..., Any]:
        return self._loaded[key].functions[function]

    def _utility_path(self, name: str) -> Optional[List[Any]]:
        for directory, is_own in self._utils_dirs:
            for path in (os.path.join(directory, f"{name}.py"), os.path.join(directory, name)):
                if os.path.isfile(path) or os.path.isfile(os.path.join(path, "__init__.py")):
                    return [path, is_own]
        return None

    def _load_utility(self, name: str) -> Dict[str, Callable[..., Any]]:
        found = self._utility_path(name)
        if found is not None:
            loaded = self._load("utils", found[0], name, found[1])
            if loaded.name == name:
                return loaded.functions
        # A file that gives itself this name: the text has it.
        for directory, is_own in self._utils_dirs:
            for entry in sorted(os.listdir(directory)) if is_own else []:
                path = os.path.join(directory, entry)
                if entry.endswith(".py") and entry[:-3] != name and name in modules.read_text(path):
                    loaded = self._load("utils", path, entry[:-3], is_own)
                    if loaded.name == name:
                        return loaded.functions
        return modules.embedded_utilities(name)

    def _utility_names(self) -> List[str]:
        names = set()
        for directory, _ in self._utils_dirs:
            for entry in os.listdir(directory):
                if entry.endswith(".py") and not entry.startswith("_"):
                    names.add(entry[:-3])
        return sorted(names)

    # Calls.

    def op_call(self, message: Dict[str, Any]) -> Any:
        loaded = self._loaded[message["key"]]
        function = loaded.functions.get(message["f"])
        if function is None:
            function = getattr(loaded.module, message["f"])
        self._retcode(message.get("rc", 0))
        scope = function.__globals__ if hasattr(function, "__globals__") else loaded.module.__dict__
        given = message.get("g") or {}
        before = {name: scope[name] for name in given if name in scope}
        scope.update(given)
        args, kwargs = message["a"], message["k"]
        if loaded.kind == "renderers" and message["f"] == "render":
            args, kwargs = self._rendered(function, args, kwargs)
        if loaded.kind == "renderers" and loaded.name == "pydsl" and self._has_salt:
            return self._dsl(function, args, kwargs)
        if loaded.kind == "executors" and message["f"] == "execute":
            args = [*args[:2], self._functions["modules"][args[2]], *args[3:]]
        try:
            value = function(*args, **kwargs)
            if loaded.kind == "renderers" and hasattr(value, "read"):
                return value.read()
            if isinstance(value, types.GeneratorType):
                return list(itertools.islice(value, MOST_OF_GENERATOR)) if message.get("listed") else _drained(value)
            return value
        finally:
            for name in given:
                if name in before:
                    scope[name] = before[name]
                else:
                    scope.pop(name, None)

    def _rendered(self, function: Any, args: List[Any], kwargs: Dict[str, Any]) -> Tuple[List[Any], Dict[str, Any]]:
        """The arguments of a renderer: a text is a file, and one of Salt's own may call others."""
        if args and isinstance(args[0], str):
            args = [io.StringIO(args[0]), *args[1:]]
        taken = inspect.signature(function).parameters.values()
        if any(one.kind is one.VAR_KEYWORD for one in taken) and ".int.render." in function.__module__:
            kwargs = {"renderers": self._renderers(), **kwargs}
        return args, kwargs

    def _dsl(self, function: Any, args: List[Any], kwargs: Dict[str, Any]) -> Any:
        """Runs a file of ``pydsl``. What it includes is rendered by Brine, after it: an ``include`` there gives no module."""
        base: Any = importlib.import_module("salt.state").HighState
        included: List[Any] = []

        class Active(base):  # type: ignore[misc]
            def __init__(self) -> None:
                self.building_highstate: Dict[str, Any] = {}
                self._pydsl_all_decls: Dict[str, Any] = {}
                self._pydsl_render_stack: List[Any] = []
                self._pydsl_sls_matches: Dict[str, Any] = {}

            def render_state(self, sls: str, saltenv: str, *more: Any, **named: Any) -> Any:
                included.append({saltenv: sls})
                return {}, []

            def merge_included_states(self, *more: Any) -> None:
                pass

            def clean_duplicate_extends(self, *more: Any) -> None:
                pass

        active = Active()
        active.push_active()
        try:
            value = function(*args, **{"rendered_sls": set(), **kwargs})
        finally:
            active.pop_active()
        if included:
            value["include"] = [*included, *value.get("include", [])]
        return value

    def _renderers(self) -> Any:
        """The renderers of Salt's package, if this is a host that has it."""
        import salt.loader

        make: Any = getattr(salt.loader, "render")  # noqa: B009
        return make(self._all_options(), self._functions["modules"])

    def op_run_text(self, message: Dict[str, Any]) -> Any:
        """Runs a text as a module, and then its function ``run``: the renderer ``py``."""
        path = message["path"]
        module = types.ModuleType("brine_rendered")
        module.__file__ = path
        names = {
            "salt": self._functions["modules"],
            "grains": self._grains,
            "pillar": self._pillar,
            "opts": self._options.value(),
        }
        scope = module.__dict__
        scope.update({f"__{name}__": value for name, value in names.items()})
        scope.update({**names, **message["names"]})
        scope["__context__"] = self._context
        scope["__utils__"] = self._utils
        exec(compile(message["text"], path, "exec", dont_inherit=True), scope)
        run = scope.get("run")
        if run is None:
            raise AttributeError(f"{path} has no function run()")
        return run()


def watch(source: int) -> None:
    """Ends this process when Brine has ended, even while a module runs."""
    import select
    import signal

    poll = select.poll()
    poll.register(source, 0)
    poll.poll()
    os.kill(os.getpid(), signal.SIGKILL)


def start_watching(source: int) -> None:
    threading.Thread(target=watch, args=(source,), daemon=True, name="brine-watch").start()
