"""What real Salt makes of the trees of `trees.ts`: a server, a case a line on its input, an answer a line on its output, both JSON.

    python record_trees.py

A case is `{files: {path: text}, opts, calls: [[function, word…]]}`; paths are below a directory, `{dir}` in texts. Each call runs in a
fork of a process that has loaded all modules before, so that nothing is left of one in the next; loaders that Salt opens in the fork are
those of the parent with other options.
"""
import copy, functools, gc, importlib.machinery, json, logging, os, pickle, shutil, signal, sys, tempfile, traceback

out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.argv[0] = "/usr/bin/salt-call"
import salt.client, salt.config, salt.loader, salt.loader.lazy, salt.minion, salt.utils.args, salt.utils.entrypoints, salt.version

logging.disable(logging.CRITICAL)
DIRECTORY = sys.argv[1]
SECONDS = 60

Source = importlib.machinery.SourceFileLoader
load_source = Source.load_module
failed = {}


def load_once(self, name=None):
    """A module of Salt is read once, in the parent: each loader does the rest of loading anew."""
    name = name or self.name
    if name in sys.modules and name.startswith("salt.loaded."):
        return sys.modules[name]
    if name in failed:
        raise failed[name]
    try:
        return load_source(self, name)
    except Exception as error:
        failed[name] = error.with_traceback(None)
        raise


Source.load_module = load_once
Loader = salt.loader.lazy.LazyLoader
refresh = Loader._refresh_file_mapping
mappings = {}


def refresh_once(self):
    """Directories of modules are listed once: those of cases have none."""
    key = self.tag
    if key in mappings:
        self.suffix_map, self.suffix_order, self.file_mapping = (copy.copy(one) for one in mappings[key])
        return
    refresh(self)
    mappings[key] = tuple(copy.copy(one) for one in (self.suffix_map, self.suffix_order, self.file_mapping))


Loader._refresh_file_mapping = refresh_once
Loader.clean_modules = lambda self: None
salt.utils.entrypoints.iter_entry_points = functools.lru_cache(None)(salt.utils.entrypoints.iter_entry_points)
importlib.invalidate_caches = lambda: None
deepcopy = copy.deepcopy


def copied(value, memo=None):
    """Options are copied some sixty times for each call."""
    if memo is None and type(value) is dict and len(value) > 100:
        try:
            return pickle.loads(pickle.dumps(value, -1))
        except Exception:
            pass
    return deepcopy(value, memo)


copy.deepcopy = copied


def plain(value):
    if isinstance(value, dict) or hasattr(value, "items") and hasattr(value, "keys"):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def opened():
    return salt.client.Caller(mopts=salt.config.minion_config(DIRECTORY + "/own/etc/minion"))


def called(caller, words):
    fun, *words = words
    function = caller.sminion.functions[fun]
    args, keyword = salt.minion.load_args_and_kwargs(function, salt.utils.args.parse_input(words))
    return plain(function(*args, **keyword))


def in_fork(work):
    """What a function returns in a fork of this process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        signal.alarm(SECONDS)
        try:
            said = work()
        except BaseException as error:
            said = {"raised": type(error).__name__, "message": str(error)}
            if os.environ.get("WHY"):
                said["traceback"] = traceback.format_exc()
        with os.fdopen(writer, "w") as to:
            json.dump(said, to, default=str)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, errors="surrogateescape") as read:
        said = read.read()
    os.waitpid(pid, 0)
    try:
        return json.loads(said)
    except ValueError:
        return {"raised": "end", "message": said}


def calls_of(case):
    """All calls have the pillar that was compiled before the first."""
    caller = opened()
    return [in_fork(lambda: {"return": called(caller, words)}) for words in case["calls"]]


def laid_out(case):
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    for path in ("own/etc", "states", "dev", "pillar", "pillar_dev", "out"):
        os.makedirs(f"{DIRECTORY}/{path}")
    for path, text in case["files"].items():
        os.makedirs(os.path.dirname(f"{DIRECTORY}/{path}"), exist_ok=True)
        with open(f"{DIRECTORY}/{path}", "w", encoding="utf-8", newline="") as file:
            file.write(text.replace("{dir}", DIRECTORY))
    with open(DIRECTORY + "/own/etc/minion", "w") as file:
        file.write(json.dumps(case["opts"]).replace("{dir}", DIRECTORY))


def left():
    """What is in the scratch directory at the end: path → type, mode and text."""
    found = {}
    for root, directories, files in os.walk(DIRECTORY + "/out"):
        for name in directories + files:
            path = os.path.join(root, name)
            short = path[len(DIRECTORY) + 5:]
            if os.path.islink(path):
                found[short] = "-> " + os.readlink(path)
            elif os.path.isdir(path):
                found[short] = "%o/" % (os.lstat(path).st_mode & 0o7777)
            else:
                with open(path, encoding="utf-8", errors="replace", newline="") as file:
                    found[short] = "%o %s" % (os.lstat(path).st_mode & 0o7777, file.read())
    return dict(sorted(found.items()))


def answer(case):
    laid_out(case)
    said = in_fork(lambda: calls_of(case))
    if isinstance(said, dict):
        said = [said] * len(case["calls"])
    text = json.dumps({"calls": said, "left": left()})
    return text.replace(DIRECTORY, "{dir}")


os.umask(0o022)
WARM = {"a": {"file.managed": [{"name": DIRECTORY + "/out/w"}, {"contents": "{{ salt['test.ping']() }}"}]}}
laid_out({
    "files": {"states/a.sls": json.dumps(WARM), "pillar/top.sls": "base: {'*': [p]}", "pillar/p.sls": "a: {{ salt['test.ping']() }}"},
    "opts": {
        "id": "warm", "file_client": "local", "root_dir": DIRECTORY + "/own", "cachedir": DIRECTORY + "/own/cache", "state_events": False,
        "file_roots": {"base": [DIRECTORY + "/states"]}, "pillar_roots": {"base": [DIRECTORY + "/pillar"]}, "grains": {},
    },
})
# Facts of this host are of no matter: each case names its own.
salt.loader.grains = lambda opts, *args, **kwargs: copy.deepcopy(opts.get("grains") or {})
caller = opened()
called(caller, ["state.apply", "a"])
minion = caller.sminion
for loader in (minion.functions, minion.states, minion.utils, minion.rend, minion.serializers, minion.matchers):
    "no_such.function" in loader
gc.collect()
gc.freeze()
print(json.dumps({"salt": salt.version.__version__}), file=out, flush=True)
for line in sys.stdin:
    print(answer(json.loads(line)), file=out, flush=True)
shutil.rmtree(DIRECTORY, ignore_errors=True)
