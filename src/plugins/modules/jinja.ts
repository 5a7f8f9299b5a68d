import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { Rendering } from "../../model/loader/rendering.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import { repr, str } from "../../language/python/values.ts";

/** Names of the file that a template is in: Salt's functions render a text, which is in none. */
const OF_NO_FILE = {
  tplfile: "__salt.tmp",
  tplpath: "",
  tpldir: ".",
  tpldot: "",
  sls: "",
  slspath: "",
  sls_path: "",
  slsdotpath: "",
  slscolonpath: "",
};

/** What a template with one value in it has, by way of JSON as in Salt. */
async function valueOf(context: JobContext, head: string, value: string): Promise<unknown> {
  const saltenv = str(context.opts.saltenv ?? "base") || "base";
  const text = await new Rendering(context).renderTemplate({
    source: `${head}{{ ${value} | tojson }}`,
    engine: "jinja",
    saltenv,
    names: OF_NO_FILE,
  });
  return parseOrderedJson(text);
}

const literal = (path: unknown) => repr(str(path));

/** What templates of maps have in them. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "load_map(path, value)": {
      doc: "A variable of a template.\n\n    salt '*' jinja.load_map myformula/map.jinja myformula",
      run(context, { path, value }) {
        const name = str(value);
        if (!/^[A-Za-z_]\w*$/.test(name)) {
          throw new SaltInvocationError(`Cannot load ${repr(value)}: expected the name of a variable`);
        }
        return valueOf(context, `{% from ${literal(path)} import ${name} with context %}`, name);
      },
    },
    "import_yaml(path)": {
      doc: "The data of a YAML file that is rendered first.\n\n    salt '*' jinja.import_yaml myformula/foo.yaml",
      run: (context, { path }) => valueOf(context, `{% import_yaml ${literal(path)} as imported %}`, "imported"),
    },
    "import_json(path)": {
      doc: "The data of a JSON file that is rendered first.\n\n    salt '*' jinja.import_json myformula/foo.json",
      run: (context, { path }) => valueOf(context, `{% import_json ${literal(path)} as imported %}`, "imported"),
    },
  }),
};
