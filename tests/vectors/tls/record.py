"""Records what the functions of real Salt's tls answer, one after the other in one directory.

    python record.py > answers.json     (with salt 3006 in that Python, and pyOpenSSL before 24: later ones lack what tls needs)

Each call of cases.json is [function, arguments]; `{D}` is a directory with the files of ../x509.json.
"""
import json, os, shutil, sys, tempfile, warnings

warnings.simplefilter("ignore")
import salt.modules.tls as module

HERE = os.path.dirname(os.path.abspath(__file__))


def replace(path, pattern, repl, backup=False):
    text = open(path).read()
    open(path, "w").write(text.replace(pattern, repl))


def main():
    assert module.__virtual__() is True, module.__virtual__()
    root = tempfile.mkdtemp()
    for name, text in json.load(open(os.path.join(HERE, "..", "x509.json"))).items():
        open(os.path.join(root, name), "w").write(text)
    module.__context__ = {}
    module.__opts__ = {"cachedir": f"{root}/cache"}
    module.__salt_system_encoding__ = "utf-8"
    module.__salt__ = {
        "config.option": lambda key: {"ca.cert_base_path": f"{root}/pki"}.get(key, ""),
        "pillar.get": lambda key, default=None: default,
        "cmd.retcode": os.system,
        "file.replace": replace,
    }
    out = []
    for fun, kwargs in json.load(open(os.path.join(HERE, "cases.json"))):
        module.__context__.clear()
        kwargs = json.loads(json.dumps(kwargs).replace("{D}", root))
        try:
            got = {"return": getattr(module, fun)(**kwargs)}
        except Exception as error:
            got = {"raised": f"{type(error).__name__}: {error}"}
        out.append(" " + json.dumps(got, default=lambda it: None).replace(root, "{D}"))
    print("[\n" + ",\n".join(out) + "\n]")
    shutil.rmtree(root)


main()
