"""What real Salt says of states on hosts without any program: of each state function that is not there, the comment of a run.

    python record_missing.py FUNCTIONS.json > missing.json     (as root: it hides the programs, in a mount namespace of its own)

FUNCTIONS.json is a list of `module.function`. Written: family of the system → module → comment, `{fun}` for the function.
"""
import ctypes, json, logging, os, sys, tempfile
import salt.config, salt.crypt, salt.loader, salt.state, salt.version

logging.disable(logging.CRITICAL)
os.unshare(os.CLONE_NEWNS) if hasattr(os, "unshare") else ctypes.CDLL(None).unshare(0x20000)
libc = ctypes.CDLL(None)
libc.mount(b"none", b"/", None, 0x44000, None)
for directory in (b"/usr/bin", b"/usr/sbin", b"/usr/local/bin", b"/usr/local/sbin"):
    assert libc.mount(b"none", directory, b"tmpfs", 0, None) == 0
os.environ["PATH"] = "/nonexistent"
work = tempfile.mkdtemp()
functions = json.load(open(sys.argv[1]))
FAMILIES = {"Debian": "Debian", "RedHat": "Rocky", "Suse": "SUSE", "Alpine": "Alpine", "Arch": "Arch", "Gentoo": "Gentoo"}
recorded = {}
for family, system in FAMILIES.items():
    opts = salt.config.minion_config(None)
    opts.update(cachedir=work + "/c", root_dir=work, id="x", file_client="local", file_roots={"base": []}, pillar_roots={"base": []}, state_events=False)
    opts["grains"] = {
        "os": system, "os_family": family, "kernel": "Linux", "id": "x", "osfinger": system + "-1", "osmajorrelease": 9,
        "osrelease": "9", "osrelease_info": [9], "saltversion": salt.version.__version__, "init": "unknown",
    }
    opts["pillar"] = {}
    state = salt.state.State(opts, initial_pillar={})
    said = recorded[family] = {}
    for full in functions:
        if full in state.states:
            continue
        module, fun = full.split(".")
        comments = set()
        for test in (False, True):
            state.opts["test"] = test
            low = {"state": module, "fun": fun, "name": "n", "__id__": "n", "__sls__": "a", "__env__": "base", "order": 1}
            (ret,) = state.call_chunks([low]).values()
            assert ret["result"] is False and ret["changes"] == {}
            comments.add(ret["comment"])
        (comment,) = comments
        # Of a module that is there and lacks a function nothing is kept.
        if f"'{module}' __virtual__" in comment:
            assert said.setdefault(module, comment.replace(full, "{fun}")) == comment.replace(full, "{fun}")
json.dump(recorded, sys.stdout, indent=1)
