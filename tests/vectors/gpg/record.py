"""Records what real Salt's module gpg answers, one call after the other on one key ring.

    TZ=UTC python record.py > answers.json     (with salt 3006 and python-gnupg in that Python, and gpg 2.2)

A case: {fun, kwargs, pillar, server: {stdout, stderr, code}}. `server` is what a program in gpg's place says, for key servers.
$HOME is the ring, which is also that of the user; $DIR a directory. Recorded is {return} or {raised}, with armour as <armour>.
"""
import json, logging, os, re, shutil, subprocess, sys, tempfile

import salt.modules.gpg as gpg

logging.disable(logging.CRITICAL)
HERE = os.path.dirname(os.path.abspath(__file__))
DIR = tempfile.mkdtemp(prefix="gpg-")
HOME = f"{DIR}/account/.gnupg"
FAKE = """#!/bin/sh
case "$*" in *--list-config*) echo cfg:version:2.2.40; exit 0;; esac
cat {0}/stdout; cat {0}/stderr >&2; exit {1}
"""


def filled(value):
    if isinstance(value, str):
        return value.replace("$HOME", HOME).replace("$DIR", DIR)
    if isinstance(value, list):
        return [filled(one) for one in value]
    return {k: filled(v) for k, v in value.items()} if isinstance(value, dict) else value


def plain(value):
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        value = value.replace(HOME, "$HOME").replace(DIR, "$DIR")
        return re.sub(r"-----BEGIN PGP (.*?)-----.*?-----END PGP [^\n]*-----\n?", r"<\1>", value, flags=re.S)
    if isinstance(value, list):
        return [plain(one) for one in value]
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def run_all(cmd, stdin=None, **kwargs):
    done = subprocess.run(cmd, input=stdin, capture_output=True, text=True)
    return {"retcode": done.returncode, "stdout": done.stdout.rstrip(), "stderr": done.stderr.rstrip()}


def run(case, file):
    info = {"name": "root", "uid": 0, "gid": 0, "home": f"{DIR}/account"}
    gpg.__salt__ = {
        "config.option": lambda name: "root",
        "user.info": lambda name: info,
        "pillar.get": lambda name: case.get("pillar", file["pillar"]).get(name, ""),
        "cmd.run_all": run_all,
    }
    path = os.environ["PATH"]
    if "server" in case:
        os.makedirs(f"{DIR}/bin", exist_ok=True)
        for name in ("stdout", "stderr"):
            open(f"{DIR}/bin/{name}", "w").write(case["server"][name])
        with open(f"{DIR}/bin/gpg", "w") as program:
            program.write(FAKE.format(f"{DIR}/bin", case["server"]["code"]))
        os.chmod(f"{DIR}/bin/gpg", 0o755)
        os.environ["PATH"] = f"{DIR}/bin:{path}"
    kwargs = filled(case["kwargs"])
    if case["fun"] == "trust_key":
        # It always works on the user's own.
        kwargs.pop("gnupghome")
    try:
        return {"return": plain(getattr(gpg, case["fun"])(**kwargs))}
    except Exception as error:
        return {"raised": plain(f"{type(error).__name__}: {error}")}
    finally:
        os.environ["PATH"] = path


def main():
    os.makedirs(HOME, 0o700)
    os.environ["GNUPGHOME"] = HOME
    file = json.load(open(f"{HERE}/cases.json"))
    for name, text in file["files"].items():
        open(f"{DIR}/{name}", "w").write(text)
    answers = [json.dumps({"fun": case["fun"], **run(case, file)}) for case in file["cases"]]
    print("[\n " + ",\n ".join(answers) + "\n]")
    subprocess.run(["gpgconf", "--homedir", HOME, "--kill", "all"])
    shutil.rmtree(DIR)


main()
