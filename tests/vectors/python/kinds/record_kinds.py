"""What becomes of each kind of value in real Salt: in a message, by the outputters, and as what another module is given.

    $SALT/3006/bin/python record_kinds.py > answers.json
"""
import json, logging, os, re, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
import salt.config, salt.minion, salt.output, salt.payload

from record import plain as plainly

logging.disable(logging.CRITICAL)
#: Outputters whose texts are recorded.
HOW = {"value": ["json"], "key": ["nested", "json"], "inner_key": ["nested"]}


def plain(value):
    """As JSON has it, which has no text for each float."""
    return json.loads(json.dumps(plainly(value, "no such directory")), parse_constant=lambda name: {"$float": name})


def main(work):
    with open(work + "/minion", "w") as file:
        json.dump({"id": "web1", "root_dir": work, "file_client": "local", "master_type": "disable", "module_dirs": [HERE + "/modules"]}, file)
    opts = salt.config.minion_config(work + "/minion")
    functions = salt.minion.SMinion(opts).functions
    answers = {}
    for fun, names in functions["kinds.names"]().items():
        for name in names:
            answers[f"{fun} {name}"] = steady(answer(functions, opts, fun, name))
    json.dump(answers, sys.stdout, indent=1, sort_keys=True, ensure_ascii=True)


def steady(found):
    """Without addresses."""
    return json.loads(re.sub(r"(at 0x|id=)[0-9a-f]+", r"\1…", json.dumps(found, ensure_ascii=False)))


def answer(functions, opts, fun, name):
    found = {}
    try:
        value = functions["kinds." + fun](name)
    except Exception as exc:
        return {"raised": [type(exc).__name__, str(exc)]}
    try:
        found["message"] = plain(salt.payload.loads(salt.payload.dumps(value)))
    except Exception as exc:
        found["refused"] = type(exc).__name__
    if name.startswith(("400", "10000", "cycle")):
        return found
    for how in HOW.get(fun, ()):
        try:
            found[how] = salt.output.out_format({"local": value}, how, dict(opts, color=False))
        except Exception as exc:
            found[how] = {"raised": type(exc).__name__}
    return found


with tempfile.TemporaryDirectory() as place:
    main(place)
