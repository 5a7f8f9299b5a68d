"""Records what real Salt's execution module `ip` for Debian returns and writes, below a root of its own.

    python record_ip.py > ip.json     (with salt 3006 in that Python; reads ip.cases.json)

A case: {id, files: {path: text}, grains, calls: [[function, [arguments], {keywords}]]}. Recorded is {returns, files}: of each call
what it returned or {raised: message}, and the files that were left.
"""
import json, os, shutil, sys, tempfile
import salt.modules.debian_ip as ip
from salt.utils.odict import OrderedDict

PATHS = {n: getattr(ip, n) for n in dir(ip) if n.startswith("_DEB_") and isinstance(getattr(ip, n), str)}
calls = []


class Functions(dict):
    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        def call(*args, **kwargs):
            calls.append([name, list(args)])
            if name == "file.set_mode":
                os.chmod(args[0], int(args[1], 8))
            return True

        return call


def tidy(value, root):
    text = json.dumps(value)
    return json.loads(text.replace(root, ""))


def run(case):
    root = tempfile.mkdtemp()
    for name, path in PATHS.items():
        setattr(ip, name, root + path)
    for path in ["/etc/network/interfaces.d", "/etc/network/if-up.d", "/etc/network/if-down.d", "/etc/modprobe.d", "/etc/default", "/etc/ppp/peers"]:
        os.makedirs(root + path)
    for path, text in case.get("files", {}).items():
        with open(root + path, "w") as file:
            file.write(text)
    ip.__grains__ = {"os": "Debian", "os_family": "Debian", "osfullname": "Debian", "osrelease": "12", "osrelease_info": [12], **case.get("grains", {})}
    ip.__salt__ = Functions()
    ip.time = type("T", (), {"sleep": staticmethod(lambda s: None)})
    returns = []
    for fun, args, kwargs in case["calls"]:
        try:
            returns.append(tidy(getattr(ip, fun)(*args, **json.loads(json.dumps(kwargs))), root))
        except Exception as error:
            returns.append({"raised": str(error).replace(root, "")})
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            files[path[len(root):]] = open(path).read()
    shutil.rmtree(root)
    return {"id": case["id"], "returns": returns, "files": dict(sorted(files.items()))}


cases = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ip.cases.json")))
print("[\n" + ",\n".join(" " + json.dumps(run(case)) for case in cases) + "\n]")
