"""What real Salt makes of the SLS files of `requisites.ts`.

    node requisites.ts SEED COUNT > cases.json
    python record_requisites.py cases.json > ../vectors/requisites.json     (with Salt 3006 in that Python)

Of each file: the errors as a list of texts, or the states in the order that they ran in; null where Salt breaks off.
"""
import copy, gc, json, logging, os, re, shutil, signal, sys, tempfile
import salt.config, salt.loader, salt.state, salt.utils.args

logging.disable(logging.CRITICAL)
given = json.load(open(sys.argv[1]))
work = tempfile.mkdtemp()
roots = work + "/roots"
os.makedirs(roots)
opts = salt.config.minion_config(None)
opts.update(
    cachedir=work + "/cache", root_dir=work, id="golden", file_client="local", file_roots={"base": [roots]},
    pillar_roots={"base": [work + "/pillar"]}, conf_file=work + "/minion", state_events=False, failhard=False, file_ignore_regex=[],
    grains={"id": "golden", "os": "Debian", "os_family": "Debian", "kernel": "Linux", "shell": "/bin/sh", "saltversion": "3006"},
)
pillar = {"there": 1}
FREE = ("start_time", "duration", "__env__")


def plain(value):
    """Without what differs in each run."""
    if isinstance(value, dict):
        return {str(k): 0 if k == "pid" else plain(v) for k, v in value.items()}
    if isinstance(value, str):
        return re.sub(r"Traceback \(most[\s\S]*\n(?=\S)", "Traceback: ", value)
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def entries(ret):
    if not isinstance(ret, dict):
        return [str(error) for error in ret]
    found = []
    for tag, entry in sorted(ret.items(), key=lambda pair: pair[1]["__run_num__"]):
        more = {k: plain(v) for k, v in entry.items() if k not in FREE and k not in ("result", "comment", "changes", "__run_num__", "__sls__", "__id__", "name")}
        row = [tag.replace("_|-", "|"), entry.get("result"), plain(entry.get("comment")), plain(entry.get("changes"))]
        found.append(row + [more] if more else row)
    return found


def opened(options):
    own = copy.deepcopy(opts)
    own.update(options)
    own["pillar"] = pillar
    highstate = salt.state.HighState(own, initial_pillar=pillar)
    # All modules are loaded once: Salt looks through all of them for a function that none has. Each case runs in a process of its own.
    for table in (highstate.state.states, highstate.state.functions):
        assert "test.no_such" not in table
    return highstate


kinds = [json.loads(kind) for kind in sorted({json.dumps(case["opts"], sort_keys=True) for case in given["cases"]})]
highstates = [opened(kind) for kind in kinds]
gc.freeze()


def applied(case):
    for name, text in case["files"].items():
        with open(f"{roots}/{name}.sls", "w") as file:
            file.write(text)
    highstate = highstates[kinds.index(case["opts"])]
    high, errors = highstate.render_highstate({"base": ["a"]})
    if errors:
        return [str(error) for error in errors]
    salt.state.HighState.push_active(highstate)
    return entries(highstate.state.call_high(high))


def answer(case):
    shutil.rmtree(roots)
    os.makedirs(roots)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            said = applied(case)
        except BaseException as error:
            said = None
            if os.environ.get("WHY"):
                print(json.dumps(case), repr(error), file=sys.stderr)
        with os.fdopen(writer, "w") as out:
            json.dump(said, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as read:
        said = read.read()
    os.waitpid(pid, 0)
    try:
        return json.loads(said)
    except ValueError:
        return None


answers = [answer(case) for case in given["cases"]]
shutil.rmtree(work)
json.dump({"seed": given["seed"], "answers": answers}, sys.stdout, ensure_ascii=True, separators=(",", ":"))
