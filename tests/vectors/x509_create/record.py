"""Records what the functions of real Salt's x509_v2 make, at a moment that stands still and with keys that sign alike each time.

    python record.py > answers.json     (with salt 3006 in that Python)

Each case of cases.json is [function, arguments]; `{D}` is a directory with the files of ../x509.json. Recorded is what was returned
(bytes as {"bytes": base64}), or the error.
"""
import base64, copy, datetime, json, os, shutil, sys, tempfile, warnings

warnings.simplefilter("ignore")
import salt.modules.x509_v2 as module
import salt.utils.x509 as x509util

HERE = os.path.dirname(os.path.abspath(__file__))


class Still(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime(2026, 3, 4, 5, 6, 7, tzinfo=tz)


module.datetime = x509util.datetime = Still


def place(value, root):
    if isinstance(value, str):
        return value.replace("{D}", root)
    if isinstance(value, list):
        return [place(v, root) for v in value]
    if isinstance(value, dict):
        return {k: place(v, root) for k, v in value.items()}
    return value


def plain(value):
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def main():
    files = json.load(open(os.path.join(HERE, "..", "x509.json")))
    spec = json.load(open(os.path.join(HERE, "cases.json")))
    policies = spec["policies"]
    out = []
    for fun, kwargs in spec["cases"]:
        root = tempfile.mkdtemp()
        for name, text in {**files, **spec["files"]}.items():
            with open(os.path.join(root, name), "w") as f:
                f.write(text)
        module.__salt__ = {
            "file.file_exists": os.path.isfile,
            "pillar.get": lambda *a: {},
            "config.get": lambda *a: place(copy.deepcopy(policies), root),
            "match.glob": lambda test, id: test == id,
        }
        module.__opts__ = {"fips_mode": False, "features": {"x509_v2": True}}
        module.__context__ = {}
        try:
            got = {"return": plain(getattr(module, fun)(**place(copy.deepcopy(kwargs), root)))}
        except Exception as error:
            got = {"raised": f"{type(error).__name__}: {error}"}
        text = json.dumps(got).replace(root, "{D}")
        out.append(" " + text)
        shutil.rmtree(root)
    print("[\n" + ",\n".join(out) + "\n]")


main()
