"""Records what the functions of real Salt's postgres answer, one after the other on a new server.

    python record.py PORT > answers.json     (with salt 3006 in that Python; a server on 127.0.0.1 that trusts its user `salt`)
"""
import json, os, subprocess, sys
import salt.modules.postgres as module

HERE = os.path.dirname(os.path.abspath(__file__))


def run_all(cmd, python_shell=False, env=None, **_):
    done = subprocess.run(cmd, env={**os.environ, **(env or {})}, capture_output=True, text=True)
    return {"retcode": done.returncode, "stdout": done.stdout.rstrip("\n"), "stderr": done.stderr}


def main():
    options = {"postgres.host": "127.0.0.1", "postgres.port": sys.argv[1], "postgres.user": "salt"}
    module.__salt__ = {
        "cmd.run_all": run_all,
        "config.option": lambda key, default=None: options.get(key, default),
        "file.chown": lambda *a: None,
        "file.remove": lambda path: os.remove(path) or True,
        "postgres.psql_query": module.psql_query,
    }
    module.__grains__ = {"os_family": "Debian"}
    out = []
    for fun, args, kwargs in json.load(open(os.path.join(HERE, "cases.json"))):
        try:
            got = {"return": getattr(module, fun)(*args, **kwargs)}
        except Exception as error:
            got = {"raised": f"{type(error).__name__}: {error}"}
        out.append(" " + json.dumps(got, default=str))
    print("[\n" + ",\n".join(out) + "\n]")


main()
