"""Records what saltcheck returns of `cases.json`: python record.py > answers.json, with the Python of Salt 3006."""

import json
import os
import shutil
import tempfile

import salt.client
import salt.config

HERE = os.path.dirname(os.path.abspath(__file__))


# Each test makes a minion: without these it would take seconds.
QUICK = {"grains_cache": True, "enable_fqdns_grains": False, "enable_gpu_grains": False}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def timeless(value):
    """The value without the times that tests took, and with text in place of what JSON does not have."""
    if isinstance(value, dict):
        return {
            str(key): 0 if key in ("duration", "Execution Time", "start_time") else timeless(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [timeless(item) for item in value]
    return value


def caller_of(root, opts):
    options = {
        **QUICK,
        "id": "m1",
        "file_client": "local",
        "file_roots": {"base": [f"{root}/files"], "dev": [f"{root}/dev"]},
        "pillar_roots": {"base": [f"{root}/pillar"]},
        "root_dir": "/",
        **{name: f"{root}/{name}" for name in ("cachedir", "pki_dir", "sock_dir", "extension_modules")},
        "log_file": f"{root}/log",
        **opts,
    }
    write(f"{root}/minion", json.dumps(options))
    os.makedirs(f"{root}/cachedir", exist_ok=True)
    return salt.client.Caller(mopts=salt.config.minion_config(f"{root}/minion"))


def record(root, caller, case):
    shutil.rmtree(f"{root}/cachedir/files", ignore_errors=True)
    context = caller.sminion.functions.pack["__context__"]
    context.pop("retcode", None)
    try:
        value = caller.cmd(case["fun"], *case["args"], **json.loads(json.dumps(case.get("kwargs", {}))))
    except BaseException as error:  # pylint: disable=broad-except
        return {"error": type(error).__name__, "message": str(error).replace(root, "<root>")}
    code = context.get("retcode")
    return json.loads(json.dumps({"return": timeless(value), "retcode": code}).replace(root, "<root>"))


def main():
    with open(f"{HERE}/cases.json", encoding="utf-8") as file:
        cases = json.load(file)
    root = tempfile.mkdtemp()
    for path, text in cases["files"].items():
        write(f"{root}/files/{path}", text)
    write(f"{root}/dev/dev.sls", "dev_id:\n  test.nop\n")
    write(f"{root}/dev/saltcheck-tests/dev.tst", cases["dev"])
    write(f"{root}/pillar/top.sls", "base:\n  '*':\n    - site\n")
    write(f"{root}/pillar/site.sls", json.dumps(cases["pillar"]))
    usual = caller_of(root, {})
    before = "[\n"
    for case in cases["calls"]:
        # A loader remembers the states of an environment: each other one gets a minion.
        own = "opts" in case or "saltenv" in case.get("kwargs", {})
        caller = caller_of(root, case.get("opts", {})) if own else usual
        answer = json.dumps(record(root, caller, case), ensure_ascii=False)
        if own:
            usual = caller_of(root, {})
        print(f"{before}{answer}", end="", flush=True)
        before = ",\n"
    print("\n]")
    shutil.rmtree(root)


main()
