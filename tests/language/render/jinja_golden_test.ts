/** Templates recorded from real Salt: tests/golden-states/README.md. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { templateFunctions } from "../../../src/model/loader/template_functions.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { testMinion } from "../../support/context.ts";
import { recordedValue } from "../../support/recorded_values.ts";
import { KNOWN_DIFFERENCES } from "./jinja_differences.ts";

interface Case {
  id: string;
  tmpl: string;
  // deno-lint-ignore no-explicit-any
  ctx?: any;
  // deno-lint-ignore no-explicit-any
  pillar?: any;
  // deno-lint-ignore no-explicit-any
  grains?: any;
  files?: Record<string, string>;
  sls?: string;
  opts?: Record<string, unknown>;
  argline?: string;
  out?: string;
  err?: string;
}

interface Recording {
  recorded: { pillar: never; grains: Record<string, unknown> };
  cases: Case[];
}

const folder = new URL("../../golden-states/jinja/", import.meta.url);
const runtime = await currentRuntime();
const render = jinja(runtime);
const root = mkdtempSync(join(tmpdir(), "brine-jinja-"));
after(() => rmSync(root, { recursive: true }));
let made = 0;

/** Renders a case as the recording did. @returns its text or its error, with the placeholders of the recording */
async function rendered(one: Case, { recorded }: Recording): Promise<{ out?: string; err?: string }> {
  const files = join(root, String(made++));
  const sls = one.sls ?? "case";
  const file = `${sls.replaceAll(".", "/")}.sls`;
  for (const [name, text] of Object.entries({ ...one.files, [file]: one.tmpl })) {
    mkdirSync(dirname(join(files, name)), { recursive: true });
    writeFileSync(join(files, name), text);
  }
  // The values of real Salt are maps of texts; each case has its own, since templates may change them.
  const grains = recordedValue({ ...recorded.grains, ...one.grains } as never) as Map<string, unknown>;
  const pillar = recordedValue(one.pillar ?? recorded.pillar) as Map<string, unknown>;
  const opts = {
    id: "golden",
    file_client: "local",
    file_roots: { base: [files] },
    ...one.opts,
  };
  const plain = (map: Map<string, unknown>): Record<string, unknown> => Object.fromEntries(map);
  const minion = await testMinion({ opts, grains: plain(grains), pillar: plain(pillar), master: null });
  const functions = templateFunctions(() =>
    Promise.resolve({ functions: minion.functions, context: () => minion.context })
  );
  const given = one.ctx === undefined ? {} : plain(recordedValue(one.ctx) as Map<string, unknown>);
  const typeNames = new WeakMap<object, string>([[pillar, "salt.utils.context.NamespacedDictWrapper"]]);
  const placeholders = (text: string) => {
    const named = text.replaceAll(files, "{FILES}").replace(/ at 0x[\da-f]+/g, " at {ADDRESS}");
    return named.replaceAll(`'${homedir()}'`, "'{HOME}'");
  };
  try {
    const text = await render(one.tmpl, {
      path: join(files, file),
      name: file,
      sls,
      saltenv: "base",
      argline: one.argline ?? "",
      globals: { grains, pillar, opts },
      context: given,
      functions,
      load: (name) => {
        try {
          return { path: `{CACHE}/files/base/${name}`, name, source: readFileSync(join(files, name), "utf8") };
        } catch {
          return undefined;
        }
      },
      jinjaOptions: {
        ...(one.opts?.jinja_sls_env as object | undefined),
        ...(one.opts?.jinja_trim_blocks === true ? { trim_blocks: true } : {}),
        ...(one.opts?.jinja_lstrip_blocks === true ? { lstrip_blocks: true } : {}),
      },
      allowUndefined: one.opts?.allow_undefined === true,
      typeNames,
      log: silentLogger,
    });
    return { out: placeholders(String(text)) };
  } catch (error) {
    return { err: placeholders((error as Error).message) };
  }
}

/** What of an error is compared: all of it, or what does not depend on Python's traceback. */
function comparable(text: string, hasTraceback: boolean): unknown {
  if (!hasTraceback) return text;
  const [first] = text.split("\n");
  if (first === "{TRACEBACK}") return "";
  return [
    first,
    /\n; line (\d+)\n/.exec(text)?.[1],
    text.split("\n").filter((line) => line.endsWith("<======================")),
  ];
}

for (const name of readdirSync(folder).sort()) {
  const recording = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Recording;
  describe(`templates of ${name}`, () => {
    for (const one of recording.cases) {
      test(one.id, { skip: KNOWN_DIFFERENCES[one.id] }, async () => {
        const got = await rendered(one, recording);
        if (one.err === undefined) return assert.deepEqual(got, { out: one.out });
        const hasTraceback = one.err.includes("{TRACEBACK}");
        if (one.err.startsWith("{TRACEBACK}")) return assert.equal(typeof got.err, "string", `rendered: ${got.out}`);
        assert.deepEqual(
          comparable(got.err ?? `rendered: ${got.out}`, hasTraceback),
          comparable(one.err, hasTraceback),
        );
      });
    }
  });
}
