"""Runs calls as `salt-call --local` of the Salt beside this interpreter does, many in one process.

Reads one scenario a line: {"root": directory, "config": file, "files": {name: text}, "calls": [[function, word, …], …],
"programs": directory of programs that go before others}.
Before each scenario the directory is made anew; one line of JSON tells of every call how it ended, and what was left.
"""

import contextlib
import io
import json
import logging
import os
import shutil
import stat
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import salt.cli.caller  # noqa: E402
import salt.config  # noqa: E402


def make_tree(root, files):
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    for name, content in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path.rstrip("/")), exist_ok=True)
        if name.endswith("/"):
            os.makedirs(path, exist_ok=True)
        elif isinstance(content, dict):
            os.symlink(content["link"].replace("{D}", root), path)
        else:
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write(content)
            os.chmod(path, 0o644)


def tree(root):
    found = {}
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            mode = oct(stat.S_IMODE(status.st_mode))[2:]
            kind = stat.S_IFMT(status.st_mode)
            if kind == stat.S_IFLNK:
                what = "-> " + os.readlink(path)
            elif kind == stat.S_IFREG:
                with open(path, encoding="latin-1", newline="") as file:
                    what = mode + " " + file.read()
            else:
                what = mode + " " + ("directory" if kind == stat.S_IFDIR else "special")
            found[os.path.relpath(path, root)] = what
    return found


def plain(value):
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def call(caller, words):
    caller.opts["fun"], caller.opts["arg"] = words[0], list(words[1:])
    caller.minion.executors.pack["__context__"].clear()
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            ret = caller.call()
        return {"return": plain(ret["return"]), "retcode": ret["retcode"]}
    except SystemExit as exc:
        return {"error": err.getvalue() or str(exc)}
    except Exception as exc:
        name = type(exc).__name__
        return {"error": "{}: {}".format(name, exc)}


def main():
    caller = None
    path = os.environ["PATH"]
    for line in sys.stdin:
        scenario = json.loads(line)
        make_tree(scenario["root"], scenario["files"])
        # What a minion keeps for itself is beside it, so that nobody finds it there.
        shutil.rmtree(scenario["root"] + ".cache", ignore_errors=True)
        if caller is None:
            opts = salt.config.minion_config(scenario["config"])
            opts.update(
                local=True,
                file_client="local",
                cachedir=scenario["root"] + ".cache",
                pki_dir=scenario["root"] + "/pki",
                file_roots={"base": [scenario["root"] + "/roots"]},
                log_level="error",
                cache_jobs=False,
                **{"return": "", "no_parse": [], "metadata": None}
            )
            caller = salt.cli.caller.ZeroMQCaller(opts)
        # After the grains, which ask programs too.
        programs = scenario.get("programs")
        os.environ["PATH"] = "{}:{}".format(programs, path) if programs else path
        results = [call(caller, words) for words in scenario["calls"]]
        print(json.dumps({"results": results, "tree": tree(scenario["root"])}), file=sys.__stdout__, flush=True)


main()
