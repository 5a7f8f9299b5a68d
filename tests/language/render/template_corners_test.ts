/** Corner cases of templates and of YAML, held against what real Salt 3006 made of the same ones. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { repr } from "../../../src/language/python/values.ts";
import { templateValues } from "../../../src/language/render/host_values.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { yaml } from "../../../src/language/render/yaml.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { CASES, FILES } from "./template_corners.ts";

/** What `record_corners.py` said of each. */
const RECORDED: { out?: string; error?: string }[] = JSON.parse(
  readFileSync(new URL("../../vectors/template_corners.json", import.meta.url), "utf8"),
);

const renderTemplate = jinja(await currentRuntime());
const readYaml = yaml();

async function rendered(template: string, renderer: string): Promise<string> {
  const opts = { id: "golden", file_client: "local" };
  const job = {
    path: "/roots/case.sls",
    name: "case.sls",
    sls: "case",
    saltenv: "base",
    argline: "",
    ...templateValues({ grains: { id: "golden" }, pillar: {}, opts }),
    context: {},
    load: (name: string) =>
      FILES[name] === undefined ? undefined : { source: FILES[name], path: `/roots/${name}`, name },
    log: silentLogger,
  };
  const text = await renderTemplate(template, job);
  return renderer === "jinja" ? String(text) : repr(await readYaml(text, job));
}

/** The first line of an error, and where it is if it is in an imported file: the rest are the lines around. */
function errorOf(text: string): string[] {
  const lines = text.split("\n");
  // Errors of YAML name their file here.
  const [first = ""] = lines;
  return [
    first.replace(/^\/roots\/case\.sls, line \d+, column \d+: /, ""),
    ...lines.slice(1, 2).filter((line) => line.startsWith("/roots/")),
  ];
}

for (const [at, [template, renderer]] of CASES.entries()) {
  test(`${at}: ${JSON.stringify(template)}`, async () => {
    const want = RECORDED[at]!;
    let got: { out?: string; error?: string };
    try {
      got = { out: await rendered(template, renderer) };
    } catch (error) {
      got = { error: (error as Error).message };
    }
    if (want.error === undefined) assert.equal(got.out ?? got.error, want.out);
    else assert.deepEqual(errorOf(got.error ?? `rendered: ${got.out}`), errorOf(want.error));
  });
}
