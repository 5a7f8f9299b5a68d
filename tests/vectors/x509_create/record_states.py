"""Records what real Salt's x509 states (x509_v2) return, one after the other in one directory.

    python record_states.py > states.json     (with salt 3006 in that Python, as root)

Each step of states.cases.json is {fun, args, test}, or {write: path, from | text} for a file that somebody else changed. `{D}` is a
directory with the files of ../x509.json. Recorded is [result, comment, changes] of the state and of what it says of its file, and the
file's mode.
"""
import copy, json, os, shutil, sys, tempfile, warnings

warnings.simplefilter("ignore")
import salt.client
import salt.config

HERE = os.path.dirname(os.path.abspath(__file__))


def place(value, root):
    if isinstance(value, str):
        return value.replace("{D}", root)
    if isinstance(value, list):
        return [place(v, root) for v in value]
    if isinstance(value, dict):
        return {k: place(v, root) for k, v in value.items()}
    return value


def main():
    files = json.load(open(os.path.join(HERE, "..", "x509.json")))
    spec = json.load(open(os.path.join(HERE, "states.cases.json")))
    root, base = tempfile.mkdtemp(), tempfile.mkdtemp()
    for name, text in files.items():
        open(os.path.join(root, name), "w").write(text)
    opts = salt.config.minion_config(None)
    opts.update(root_dir=base, cachedir=f"{base}/cache", pki_dir=f"{base}/pki", sock_dir=f"{base}/sock", log_file=f"{base}/log",
                extension_modules=f"{base}/ext", conf_file=f"{base}/minion", file_client="local", features={"x509_v2": True},
                id="alpha", x509_signing_policies=place(spec["policies"], root), grains={})
    os.makedirs(f"{base}/cache/proc", exist_ok=True)
    caller = salt.client.Caller(mopts=opts)
    out = []
    for step in spec["steps"]:
        if "write" in step:
            text = files[step["from"]] if "from" in step else step["text"]
            open(place(step["write"], root), "w").write(text)
            out.append(" null")
            continue
        args = place(copy.deepcopy(step["args"]), root)
        name = args.pop("name")
        got = caller.cmd("state.single", step["fun"], name, test=step.get("test", False), **args)
        if not isinstance(got, dict):
            out.append(" " + json.dumps({"error": str(got)}).replace(root, "{D}"))
            continue
        entries = {tag.split("_|-")[0]: [e["result"], e["comment"], e["changes"]] for tag, e in got.items()}
        mode = oct(os.stat(name).st_mode & 0o7777) if os.path.exists(name) else None
        out.append(" " + json.dumps({**entries, "mode": mode}).replace(root, "{D}"))
    print("[\n" + ",\n".join(out) + "\n]")
    shutil.rmtree(root)
    shutil.rmtree(base)


main()
