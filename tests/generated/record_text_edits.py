"""What real Salt's functions make of the cases of `text_edits.ts`.

    node text_edits.ts SEED COUNT > cases.json
    python record_text_edits.py cases.json > answers.json     (with Salt 3006 in that Python; not as root's own minion: it has none)
"""
import base64, json, logging, os, shutil, sys, tempfile
import salt.config, salt.loader

logging.disable(logging.CRITICAL)
work = tempfile.mkdtemp()
opts = salt.config.minion_config(None)
opts.update(test=False, cachedir=work + "/cache", root_dir=work, id="x", file_client="local", file_roots={"base": []}, pillar_roots={"base": []}, **{"hosts.file": work + "/d/f"})
opts["grains"] = {"os": "Debian", "os_family": "Debian", "kernel": "Linux", "id": "x", "saltversion": "3006"}
opts["pillar"] = {}
utils = salt.loader.utils(opts)
mods = salt.loader.minion_mods(opts, utils=utils)
states = salt.loader.states(opts, mods, utils, salt.loader.serializers(opts))
states.inject_globals = {"__env__": "base", "__instance_id__": "x", "__low__": {}, "__running__": {}, "__lowstate__": []}


def plain(value, dir):
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return value.replace(dir, "{dir}")
    if isinstance(value, dict):
        return {plain(k, dir) if isinstance(k, str) else str(k): plain(v, dir) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, dir) for v in value]
    return value


def filled(value, dir):
    if isinstance(value, str):
        return value.replace("{dir}", dir)
    if isinstance(value, dict):
        return {k: filled(v, dir) for k, v in value.items()}
    return [filled(v, dir) for v in value] if isinstance(value, list) else value



answers = []
for case in json.load(open(sys.argv[1])):
    dir = work + "/d"
    shutil.rmtree(dir, ignore_errors=True)
    os.makedirs(dir)
    with open(dir + "/f", "wb") as f:
        f.write(base64.b64decode(case["before"]))
    fun = case["fun"]
    mods.pack["__context__"].clear()
    try:
        args = filled(case["args"], dir)
        value = states[fun[6:]](**args) if fun.startswith("state:") else mods[fun](**args)
        answer = {"return": plain(value, dir)}
    except Exception as exc:
        answer = {"raised": type(exc).__name__}
    answer["files"] = {n: base64.b64encode(open(dir + "/" + n, "rb").read()).decode() for n in sorted(os.listdir(dir))}
    answers.append(answer)
shutil.rmtree(work)
json.dump(answers, sys.stdout, ensure_ascii=True, separators=(",", ":"))
