"""What real Salt's renderer makes of the templates of `template_expressions.ts`.

    node template_expressions.ts SEED COUNT > cases.json
    python record_template_expressions.py cases.json > ../vectors/template_expressions.json     (with Salt 3006 in that Python)
"""
import copy, json, logging, os, shutil, sys, tempfile
import salt.config, salt.loader, salt.state, salt.template

logging.disable(logging.CRITICAL)
given = json.load(open(sys.argv[1]))
work = tempfile.mkdtemp()
roots = work + "/roots"
os.makedirs(roots)
for name, text in (("top.sls", "base: {'*': [p]}"), ("p.sls", "#!json\n" + json.dumps(given["pillar"]))):
    with open(f"{roots}/{name}", "w") as file:
        file.write(text)
opts = salt.config.minion_config(None)
opts.update(
    test=False, cachedir=work + "/cache", root_dir=work, id="golden", file_client="local", file_roots={"base": [roots]},
    pillar_roots={"base": [roots]}, grains=copy.deepcopy(given["grains"]), conf_file=work + "/minion", state_events=False,
)
case = roots + "/case.sls"


def rendered(template):
    """A state run of its own: templates may change what they are given."""
    with open(case, "w") as file:
        file.write(template)
    own = copy.deepcopy(opts)
    own["pillar"] = copy.deepcopy(given["pillar"])
    state = salt.state.State(own, initial_pillar=own["pillar"])
    text = salt.template.compile_template(case, state.rend, "jinja", None, None, saltenv="base", sls="case")
    return text.read() if hasattr(text, "read") else text


answers = []
for template in given["templates"]:
    try:
        answers.append(rendered(template))
    except Exception as error:
        # Python cannot print what contains itself so deep; Brine can.
        answers.append(False if "recursion" in str(error) else None)
shutil.rmtree(work)
json.dump({"seed": given["seed"], "answers": answers}, sys.stdout, ensure_ascii=True, separators=(",", ":"))
