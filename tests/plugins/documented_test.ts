import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSignature } from "../../src/model/loader/signature.ts";
import { documentationOf } from "../../src/plugins/documented.ts";
import { moduleName, MODULES } from "../../src/plugins/modules/mod.ts";
import { PARAMETERS } from "../../src/plugins/parameters.ts";
import { RUNNERS } from "../../src/plugins/runners/mod.ts";
import { testMinion } from "../support/context.ts";

for (
  const { name, module, fun, signature, doc, want } of [
    {
      name: "each parameter is there with its default, and what it means",
      module: "file",
      fun: "append",
      signature: "path, *args, **kwargs",
      doc: "Adds lines.",
      want: "Adds lines.\n\nArguments:\n\n    path: a path on this host\n" +
        "    *args: the lines that are added, one after the other\n    **kwargs: further arguments by name",
    },
    {
      name: "defaults are Python's, and a parameter that nobody explains is shown all the same",
      module: "x",
      fun: "y",
      signature: "unheard_of, saltenv='base', flag=None, names=[]",
      doc: "Does.",
      want: "Does.\n\nArguments:\n\n    unheard_of\n    saltenv='base': the environment that files are taken from\n" +
        "    flag=None\n    names=[]: names, one after the other; patterns with * where it says so",
    },
    {
      name: "what the text explains itself is not told twice",
      module: "x",
      fun: "y",
      signature: "runas=None, group=None, cwd=None",
      doc: "Does.\n\nrunas, group: the user and group that it runs as\ncwd: where",
      want: "Does.\n\nrunas, group: the user and group that it runs as\ncwd: where",
    },
    { name: "no parameters, nothing to tell", module: "x", fun: "y", signature: "", doc: "Does.", want: "Does." },
    { name: "no text stays none", module: "x", fun: "y", signature: "a", doc: "", want: "" },
  ]
) test(`documentation: ${name}`, () => assert.equal(documentationOf(module, fun, { signature, doc }), want));

test("sys.doc and the usage after a wrong call describe the arguments", async () => {
  const minion = await testMinion();
  const docs = await minion.value("sys.doc", "file.append") as Record<string, string>;
  assert.match(
    docs["file.append"]!,
    /\n\nArguments:\n\n {4}path: a path on this host\n {4}\*args: the lines that are added/,
  );
  const { return: usage } = await minion.run("test.echo", []);
  assert.match(String(usage), /^Passed invalid arguments to test\.echo: [\s\S]*\n {4}text: the value to return$/);
});

test("every description is of an existing parameter, and most parameters of every function have one", async () => {
  const keys = new Set<string>();
  let all = 0;
  let told = 0;
  const look = (module: string, functions: Record<string, { signature: Parameters<typeof parseSignature>[0] }>) => {
    for (const [fun, { signature }] of Object.entries(functions)) {
      const { params, varargs, keywords } = parseSignature(signature);
      for (const name of [...params.map((param) => param.name), varargs, keywords]) {
        if (name === undefined) continue;
        all++;
        const candidates = [`${module}.${fun}.${name}`, `${module}.${name}`, name];
        if (candidates.some((key) => Object.hasOwn(PARAMETERS, key))) told++;
        for (const key of candidates) keys.add(key);
      }
    }
  };
  for (const [name, load] of Object.entries(MODULES)) look(moduleName(name), (await load()).module.functions);
  for (const [name, load] of Object.entries(RUNNERS)) look(name, (await load()).runner.functions);
  assert.deepEqual(Object.keys(PARAMETERS).filter((key) => !keys.has(key)), []);
  assert.ok(told / all > 0.7, `${told} of ${all}`);
});
