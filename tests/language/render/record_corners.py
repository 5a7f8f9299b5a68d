"""What real Salt's renderer makes of the templates of `template_corners.ts`.

    node template_corners.ts > cases.json
    python record_corners.py cases.json > ../../vectors/template_corners.json     (with Salt 3006 in that Python)
"""
import copy, json, logging, os, shutil, sys, tempfile
import salt.config, salt.state, salt.template

logging.disable(logging.CRITICAL)
given = json.load(open(sys.argv[1]))
work = tempfile.mkdtemp()
roots = work + "/roots"
os.makedirs(roots)
for name, text in given["files"].items():
    with open(f"{roots}/{name}", "w") as file:
        file.write(text)
opts = salt.config.minion_config(None)
opts.update(
    test=False, cachedir=work + "/cache", root_dir=work, id="golden", file_client="local", file_roots={"base": [roots]},
    pillar_roots={"base": []}, grains={"id": "golden"}, conf_file=work + "/minion", state_events=False, pillar={},
)
case = roots + "/case.sls"


def rendered(template, renderer):
    with open(case, "w") as file:
        file.write(template)
    state = salt.state.State(copy.deepcopy(opts), initial_pillar={})
    value = salt.template.compile_template(case, state.rend, renderer, None, None, saltenv="base", sls="case")
    return value.read() if hasattr(value, "read") else repr(value)


# As in every state run, a file of YAML has been read before.
rendered("a: 1", "yaml")
answers = []
for template, renderer in given["cases"]:
    try:
        answers.append({"out": rendered(template, renderer)})
    except Exception as error:
        # The words up to the traceback, which has the paths of this Salt in it.
        text = str(error).split("\nTraceback")[0].replace(work + "/cache/files/base", "/roots")
        answers.append({"error": text})
shutil.rmtree(work)
json.dump(answers, sys.stdout, ensure_ascii=True, indent=1)
print()
