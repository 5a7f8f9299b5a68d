/** What Salt returns of the same tests of states: `tests/vectors/saltcheck/record.py`. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import type { CompilePillar } from "../../src/model/loader/pillar_link.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { localFiles } from "../support/local_files.ts";

interface Case {
  fun: string;
  args: unknown[];
  kwargs?: Record<string, unknown>;
  opts?: Record<string, unknown>;
}
type Answer = { return: unknown; retcode: number | null } | { error: string; message: string };

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../vectors/saltcheck/${name}`, import.meta.url), "utf8"));
const { files, dev, pillar, calls } = read("cases.json") as {
  files: Record<string, string>;
  dev: string;
  pillar: Record<string, unknown>;
  calls: Case[];
};
const answers = read("answers.json") as Answer[];

/** Messages of Salt that do not name what is wrong → those of Brine. */
const CLEARER: Readonly<Record<string, string>> = {
  "not enough values to unpack (expected 2, got 1)": "module_and_function must be MODULE.FUNCTION, not test",
  "too many values to unpack (expected 2)": "module_and_function must be MODULE.FUNCTION, not test.a.b",
  "Value after * must be an iterable, not int": "args must be a list, not int",
  "pop expected at most 1 argument, got 2": "kwargs must be a map, not list",
  "'str' object has no attribute 'get'": "must be a map, not str",
  "'str' object has no attribute 'items'": "must have a map of tests, not str",
  "'list' object has no attribute 'items'": "must have a map of tests, not list",
};

const root = mkdtempSync(join(tmpdir(), "brine-saltcheck-"));
after(() => rmSync(root, { recursive: true }));
const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
for (const [path, text] of Object.entries(files)) write(join(root, "files", path), text);
write(join(root, "dev/dev.sls"), "dev_id:\n  test.nop\n");
write(join(root, "dev/saltcheck-tests/dev.tst"), dev);
write(join(root, "files/both/init.sls"), "both_id:\n  test.nop\n");
for (const name of ["init", "both"]) {
  const one = { module_and_function: "test.ping", assertion: "assertTrue" };
  write(join(root, `files/both/saltcheck-tests/${name}.tst`), JSON.stringify({ [name]: one }));
}

const compilePillar: CompilePillar = ({ override = {} }) =>
  Promise.resolve({ ...pillar, ...Object.fromEntries(entriesOf(override)) });

const TIMES: readonly unknown[] = ["duration", "Execution Time", "start_time"];

/** A value as plain JSON, without times. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (!isMap(value)) return value instanceof Number ? value.valueOf() : value;
  return Object.fromEntries(
    entriesOf(value).map(([key, item]) => [String(key), TIMES.includes(key) ? 0 : timeless(item)]),
  );
}

async function outcomeOf({ fun, args, kwargs: keywords, opts }: Case) {
  const minion = await testMinion({
    master: null,
    grains: { id: "m1" },
    pillar,
    opts: {
      ...localFiles(join(root, "files")),
      id: "m1",
      file_roots: { base: [join(root, "files")], dev: [join(root, "dev")] },
      ...opts,
    },
  });
  const context = { ...minion.context, compilePillar };
  const arg = keywords === undefined ? args : [...args, kwargs(keywords)];
  return await minion.run(fun, arg, { context: () => context });
}

describe("saltcheck", () => {
  test("each call has an answer", () => assert.equal(calls.length, answers.length));
  for (const [at, call] of calls.entries()) {
    const { fun, args, kwargs: keywords = {}, opts = {} } = call;
    test(`${fun} ${JSON.stringify([...args, keywords])} with ${JSON.stringify(opts)}, call ${at}`, async () => {
      const answer = answers[at]!;
      const { return: value, retcode, success } = await outcomeOf(call);
      if ("error" in answer) {
        assert.equal(success, false);
        // The line of an error in YAML that says what is wrong; the others are of Salt's parser.
        const [said] = /^(?:found|did not) .*$/m.exec(answer.message) ?? [answer.message];
        const message = CLEARER[said] ?? said;
        assert.ok(String(value).includes(message), `${String(value)}\n\nexpected: ${message}`);
      } else {
        assert.deepEqual(timeless(value), answer.return);
        assert.equal(retcode, answer.retcode ?? 0);
      }
    });
  }

  test("every test file of a state runs, where Salt can leave one out", async () => {
    const { return: value } = await outcomeOf({ fun: "saltcheck.run_state_tests", args: ["both"] });
    const passed = { status: "Pass", duration: 0 };
    assert.deepEqual((timeless(value) as unknown[])[0], { both: { init: passed, both: passed } });
  });
});
