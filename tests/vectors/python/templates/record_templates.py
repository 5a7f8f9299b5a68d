"""What real Salt makes of `templates.txt`, line by line, once the module of the filters is loaded.

    $SALT/3006/bin/python record_templates.py > answers.json
"""
import json, logging, os, sys, tempfile

import salt.config, salt.minion

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
logging.disable(logging.CRITICAL)


def main(work):
    conf = {"id": "web1", "root_dir": work, "file_client": "local", "master_type": "disable", "module_dirs": [HERE + "/modules"]}
    conf["file_roots"] = {"base": [HERE + "/salt"]}
    conf["grains"] = {"id": "web1"}
    with open(work + "/minion", "w") as file:
        json.dump(conf, file)
    minion = salt.minion.SMinion(salt.config.minion_config(work + "/minion"))
    functions = minion.functions
    assert functions["shopf.plain"]() == "1.00 EUR"
    assert minion.utils["shop_util.marked"]("a") == "util a"
    answers = {}
    for text in open(HERE + "/templates.txt").read().splitlines():
        try:
            answers[text] = {"return": functions["slsutil.renderer"](string=text, default_renderer="jinja")}
        except Exception as exc:
            # Without the frames of a traceback and the lines of the file.
            answers[text] = {"raised": str(exc).splitlines()[0].split("; line")[0]}
    json.dump(answers, sys.stdout, indent=1)


with tempfile.TemporaryDirectory() as place:
    main(place)
