"""Records what real Salt's state functions return and call, on a host whose execution functions answer as a case says.

    PYTHONHASHSEED=0 python record.py pkg.cases.json > pkg.json     (with salt 3006 in that Python; docker_network needs docker-py 7 there, too)

A case: {id, fun, kwargs, test, opts, grains, salt: {function: [answers]}, signatures: {function: "a, b=None"}, systemd, programs: [name], differs}.
`differs` is what the return has in Brine instead.
Answers of "function?argument" are those to a call where this keyword argument is true, of "function?=x" to one that begins with x. The last answer is given again and again; {"$error": class, "message", "info"} is raised.
Recorded is {return, calls} or {raised}; calls are [function, arguments] of the functions in `acts`.
"""
import builtins, copy, importlib, inspect, json, os, sys, types
from collections import OrderedDict
import salt.exceptions
import salt.utils.path
import salt.utils.systemd

__context__ = {}

# What a state finds as the context of an execution module.
__context__ = {}

MODULES = {"acl": "linux_acl", "debconf": "debconfmod", "pip": "pip_state", "raid": "mdadm_raid", "virtualenv": "virtualenv_mod"}


def raiser(answer):
    cls = getattr(salt.exceptions, answer["$error"], None) or getattr(builtins, answer["$error"])
    raise cls(answer["message"], info=json.loads(json.dumps(answer["info"]))) if "info" in answer else cls(answer["message"])


def plain(value):
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, (list, tuple, set)) else value


def fake(name, answers, signature, calls, acts, others):
    scope = {}
    exec(f"def f({signature}): return dict(locals())", scope)
    # Execution functions return plain maps, whose words differ from those of ordered ones.
    left = plain(answers)

    def call(*args, **kwargs):
        got = plain(scope["f"](*copy.deepcopy(args), **copy.deepcopy(kwargs)))
        if name in acts:
            calls.append([name, got])
        flag = next((k for k in kwargs if kwargs[k] and f"{name}?{k}" in others), None)
        list_ = left if flag is None else others[f"{name}?{flag}"]
        if args and f"{name}?={args[0]}" in others:
            list_ = others[f"{name}?={args[0]}"]
        answer = list_.pop(0) if len(list_) > 1 else copy.deepcopy(list_[0])
        if isinstance(answer, dict) and "$error" in answer:
            raiser(answer)
        if name == "docker.version":
            answer = {k: tuple(v) for k, v in answer.items()}
        return answer

    call.__wrapped__ = scope["f"]
    call.__signature__ = inspect.signature(scope["f"])
    return call


def run(case, file):
    module, fun = case["fun"].split(".")
    loaded = importlib.import_module(f"salt.states.{MODULES.get(module, module)}")
    loaded = importlib.reload(loaded)
    import salt.utils.args
    loaded._argspec = lambda f: inspect.getfullargspec(getattr(f, "__wrapped__", f))
    calls, acts = [], file["acts"]
    salt.utils.systemd.booted = lambda context=None: case.get("systemd", True)
    loaded.booted = salt.utils.systemd.booted
    answers = {**file.get("salt", {}), **case.get("salt", {})}
    signatures = {**file.get("signatures", {}), **case.get("signatures", {})}
    others = plain({name: a for name, a in answers.items() if "?" in name})
    functions = {
        name: fake(name, a, signatures.get(name, "*args, **kwargs"), calls, acts, others)
        for name, a in answers.items() if a is not None and name not in others
    }
    opts = {"test": case.get("test", False), "cachedir": "/tmp/record-cache", **case.get("opts", {})}
    import salt.modules.pkg_resource as resource
    grains = {"kernel": "Linux", "os": "Debian", "os_family": "Debian", **case.get("grains", {})}
    resource.__salt__, resource.__grains__, resource.__opts__ = functions, grains, opts
    for name in ("parse_targets", "version_clean", "check_extra_requirements", "pack_sources"):
        functions.setdefault(f"pkg_resource.{name}", getattr(resource, name))
    os.makedirs("/tmp/record-cache", exist_ok=True)
    loaded.__salt__, loaded.__opts__, loaded.__grains__ = functions, opts, grains
    loaded.__context__, loaded.__env__, loaded.__states__ = {}, "base", {}
    loaded.__utils__ = {}
    loaded.time = types.SimpleNamespace(sleep=lambda s: None)
    if "programs" in case:
        salt.utils.path.which = lambda name: name if name in case["programs"] else None
    if module == "network":
        import salt.utils.network
        salt.utils.network.interfaces = lambda: copy.deepcopy(answers["network.interfaces"][0])
    if module == "pkgrepo":
        # Where it has no apt-key; and a function whose module has a context of its own.
        salt.utils.path.which = lambda name: None
        functions["test.ping"] = types.SimpleNamespace(__module__=__name__)
    if module == "docker_network":
        import salt.utils.dockermod
        loaded.random = types.SimpleNamespace(choice=lambda letters: letters[0])
        loaded.__utils__ = {
            "args.split_input": salt.utils.args.split_input,
            "args.clean_kwargs": salt.utils.args.clean_kwargs,
            "docker.translate_input": salt.utils.dockermod.translate_input,
            "docker.create_ipam_config": salt.utils.dockermod.create_ipam_config,
        }
        functions["docker.get_client_args"] = salt.utils.dockermod.get_client_args
    if module.startswith("mysql_"):
        # Where these look for the last error.
        functions["test.ping"] = types.SimpleNamespace(__module__=__name__)
    if module == "pkg":
        import salt.output.nested as nested
        loaded._repack_pkgs.__globals__["__salt__"] = functions
        nested.__opts__ = {**opts, "color": False, "strip_colors": True}
        opts.update(color=False, strip_colors=True, extension_modules="")
    try:
        names = {alias: own for own, alias in getattr(loaded, '__func_alias__', {}).items()}
        got = getattr(loaded, names.get(fun, fun))(**copy.deepcopy(case.get("kwargs", {})))
        return {"return": plain(got), "calls": calls}
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}", "calls": calls}


def main():
    file = json.load(open(sys.argv[1]), object_pairs_hook=OrderedDict)
    ids = [case["id"] for case in file["cases"]]
    twice = {id for id in ids if ids.count(id) > 1}
    assert not twice, f"cases of one id: {twice}"
    print("[")
    for at, case in enumerate(file["cases"]):
        line = json.dumps({"id": case["id"], **run(case, file)}, default=str)
        print(" " + line + ("," if at + 1 < len(file["cases"]) else ""))
    print("]")


main()
