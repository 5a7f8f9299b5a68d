"""What real Salt returns for the calls of `cases.json`, which are to the Python files below `extmods`.

    for release in 3006 3007 3008; do $SALT/$release/bin/python record.py $release; done

Each run replaces the answers of its release in `answers.json`: those of 3006 in whole, of the others what differs from them.
"""
import base64, datetime, json, logging, os, shutil, subprocess, sys, tempfile

import salt.auth, salt.config, salt.loader, salt.minion, salt.output, salt.payload, salt.pillar, salt.runner, salt.serializers

HERE = os.path.dirname(os.path.abspath(__file__))
logging.disable(logging.CRITICAL)
sys.dont_write_bytecode = True


def plain(value, work):
    """As it comes out of a message, and as JSON has it."""
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return value.replace(work, "{dir}")
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {plain(key, work): plain(item, work) for key, item in value.items()}
        return {"$map": [[plain(key, work), plain(item, work)] for key, item in value.items()]}
    if isinstance(value, datetime.datetime):
        return {"$datetime": value.strftime("%Y%m%dT%H:%M:%S.%f")}
    return [plain(item, work) for item in value] if isinstance(value, (list, tuple)) else value


def filled(value, work):
    if isinstance(value, str):
        return value.replace("{dir}", work)
    if isinstance(value, dict):
        return {key: filled(item, work) for key, item in value.items()}
    return [filled(item, work) for item in value] if isinstance(value, list) else value


def without_frames(value):
    """Without the lines of a traceback, which has files of Salt."""
    if isinstance(value, str) and ": Traceback (most" in value:
        return [value.partition(": Traceback")[0], value.rstrip().rpartition("\n")[2]]
    return value


def steady(value):
    """A run of states without its times and ids of processes."""
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in ("start_time", "duration")}
    return without_frames(value)


def prepare(work):
    """The directories, and the configuration of a minion without a master, as `cases.json` has it."""
    shutil.copytree(HERE + "/extmods", work + "/extmods", ignore=shutil.ignore_patterns("__pycache__"))
    cases = json.load(open(HERE + "/cases.json"))
    conf = filled(cases["minion"], work)
    conf["file_roots"] = {"base": [HERE + "/salt"]}
    conf["pillar_roots"] = {"base": [HERE + "/pillar"]}
    os.makedirs(work + "/etc")
    os.makedirs(work + "/out")
    os.makedirs(work + "/cache/proc")
    for name in ("minion", "master"):
        json.dump({**conf, **filled(cases["master"], work)} if name == "master" else conf, open(f"{work}/etc/{name}", "w"))
    return cases["cases"]


class Host:
    def __init__(self, work):
        self.work = work
        opts = salt.config.minion_config(work + "/etc/minion")
        opts["conf_file"] = work + "/etc/minion"
        self.minion = salt.minion.SMinion(opts)
        self.opts = self.minion.opts
        self.master = salt.config.master_config(work + "/etc/master")

    def modules(self, fun, args, kwargs):
        functions = self.minion.functions
        if fun not in functions:
            return {"missing": functions.missing_fun_string(fun)}
        functions.pack["__context__"]["retcode"] = 0
        return functions[fun](*args, **kwargs)

    def states(self, fun, args, kwargs):
        return steady(self.modules(fun, args, kwargs))

    def grains(self, fun, args, kwargs):
        return {key: value for key, value in self.opts["grains"].items() if key.startswith("shop")}

    def pillar(self, fun, args, kwargs):
        opts = dict(self.opts, pillar={}, **(args[0] if args else {}))
        return salt.pillar.get_pillar(opts, opts["grains"], opts["id"], "base").compile_pillar()

    def returners(self, fun, args, kwargs):
        value = self.minion.returners[fun](*args, **kwargs)
        found = {name: open(f"{self.work}/{name}").read() for name in sorted(os.listdir(self.work)) if name.startswith("returned")}
        for name in found:
            os.unlink(f"{self.work}/{name}") if name == "returned" else None
        return [value, found]

    def output(self, fun, args, kwargs):
        return salt.output.out_format(*args, fun, dict(self.opts, output_indent=2, color=False), **kwargs)

    def beacons(self, fun, args, kwargs):
        self.loaded_beacons = getattr(self, "loaded_beacons", None) or salt.loader.beacons(self.opts, self.minion.functions, {})
        return self.loaded_beacons[fun](*args, **kwargs)

    def tops(self, fun, args, kwargs):
        return salt.loader.tops(self.master)[fun.split(".")[0]](*args, **kwargs)

    def wheel(self, fun, args, kwargs):
        return salt.loader.wheels(self.master)[fun](*args, **kwargs)

    def runners(self, fun, args, kwargs):
        client = salt.runner.RunnerClient(self.master)
        value = client.cmd(fun, args, kwarg=kwargs, print_event=False, full_return=False)
        return without_frames(value)

    def serializers(self, fun, args, kwargs):
        return salt.loader.serializers(self.opts)[fun](*args, **kwargs)

    def auth(self, fun, args, kwargs):
        """Logs in: the name, groups and permissions of the user; False if refused."""
        load = {"eauth": "shopauth", "username": fun, "password": args[0]}
        logins = salt.auth.LoadAuth(self.master)
        if not logins.authenticate_eauth(load):
            return False
        return [logins.load_name(load), logins.get_groups(load) or [], logins.get_auth_list(load)]

    def executors(self, fun, args, kwargs):
        words = [os.path.join(os.path.dirname(sys.executable), "salt-call"), "-c", self.work + "/etc", "--out=json", "-l", "quiet"]
        done = subprocess.run([*words, *args, fun], stdout=subprocess.PIPE, check=False)
        return json.loads(done.stdout)["local"]


def answer(host, case):
    work = host.work
    call = getattr(host, case.get("kind", "modules"))
    try:
        value = call(case["fun"], filled(case.get("args", []), work), filled(case.get("kwargs", {}), work))
        value = salt.payload.loads(salt.payload.dumps(value))
        found = {"return": plain(value, work)}
    except Exception as exc:
        found = {"raised": [type(exc).__name__, str(exc).replace(work, "{dir}")]}
    if case.get("files"):
        found["files"] = {name: open(f"{work}/out/{name}").read() for name in sorted(os.listdir(work + "/out"))}
        for name in os.listdir(work + "/out"):
            os.unlink(f"{work}/out/{name}")
    return found


def main(release):
    work = os.path.realpath(tempfile.mkdtemp())
    try:
        cases = prepare(work)
        host = Host(work)
        answers = {case["id"]: answer(host, case) for case in cases if release in case.get("lent", [release])}
    finally:
        shutil.rmtree(work)
    place = HERE + "/answers.json"
    known = json.load(open(place)) if os.path.exists(place) else {}
    if release == "3006":
        known["3006"] = answers
    else:
        known[release] = {name: said for name, said in answers.items() if said != known["3006"].get(name)}
    text = json.dumps(known, indent=1, sort_keys=True, ensure_ascii=True)
    with open(place, "w") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
