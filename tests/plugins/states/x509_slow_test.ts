/** The states x509, one after the other in one directory, beside what real Salt's x509_v2 returned there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../../src/plugins/commands.ts";
import type { StateReturn } from "../../../src/model/loader/states.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { stateCaller } from "../../support/state_calls.ts";
import { inTemporary } from "../temporary.ts";

type Json = Record<string, unknown>;
type Recorded = { x509?: unknown[]; file?: unknown[]; mode?: string | null; error?: string };
interface Step {
  write?: string;
  from?: string;
  text?: string;
  fun: string;
  args: Json;
  test?: boolean;
}

const runtime = await currentRuntime();
const read = (name: string) =>
  JSON.parse(runtime.fs.readText(new URL(`../../vectors/${name}`, import.meta.url).pathname));
const FILES: Record<string, string> = read("x509.json");
const { policies, steps } = read("x509_create/states.cases.json") as { policies: Json; steps: Step[] };
const recorded = read("x509_create/states.json") as (Recorded | null)[];
const skip = programPath({ runtime }, "openssl") === undefined
  ? "there is no openssl"
  : runtime.process.uid() !== 0
  ? "recorded as root"
  : false;

const placed = <T>(value: T, root: string): T => JSON.parse(JSON.stringify(value).replaceAll("{D}", root));
const shown = (value: unknown, root: string): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll(root, "{D}"));

/** What is said of a file beside its name: of the rest, the words are those of `file.managed` and tested there. */
const entry = ({ result, comment, changes }: StateReturn) => [result, comment, changes];

test("x509: keys, certificates, requests and lists are made, kept and made anew as in Salt", {
  skip,
  timeout: 180_000,
}, async () => {
  await inTemporary(runtime, async (root) => {
    for (const [name, text] of Object.entries(FILES)) runtime.fs.write(`${root}/${name}`, text);
    const call = await stateCaller({
      opts: { cachedir: `${root}/cache`, x509_signing_policies: placed(policies, root) },
    });
    for (const [at, step] of steps.entries()) {
      const want = recorded[at];
      if (step.write !== undefined) {
        const content = step.from === undefined ? step.text! : FILES[step.from]!;
        runtime.fs.writeAt(placed(step.write, root), 0, new TextEncoder().encode(content), { truncate: true });
        continue;
      }
      const label = `step ${at}: ${step.fun} ${JSON.stringify(step.args)}${step.test === true ? " dry" : ""}`;
      const args = placed(step.args, root);
      let got: StateReturn | Error;
      try {
        got = await call(step.fun, args, { test: step.test === true });
      } catch (error) {
        got = error as Error;
      }
      const [result, comment, changes] = want!.x509 ?? want!.file!;
      if (got instanceof Error) {
        assert.equal(result, false, `${label}: ${got.stack}`);
        assert.match(String(comment), /An exception occurred/, `${label}: ${got.stack}`);
        continue;
      }
      assert.deepEqual(shown(entry(got), root), [result, comment, changes], label);
      const sub = (got.sub_state_run ?? []) as StateReturn[];
      if (want!.x509 !== undefined && want!.file !== undefined) {
        assert.deepEqual(sub.map((one) => shown(entry(one), root)), [want!.file], label);
      }
      const mode = runtime.fs.stat(String(args.name))?.mode.toString(8);
      assert.equal(mode === undefined ? null : `0o${mode}`, want!.mode, label);
    }
  });
});
