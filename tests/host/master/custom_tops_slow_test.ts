/** Custom modules of `master_tops`: what they are told, and what those that fail cost the others. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/bed/until.ts";
import { systemClock } from "../../../src/base/async/clock.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import type { CustomTops } from "../../../src/model/loader/custom_tops.ts";
import { MasterTopsHost } from "../../../src/host/master/master_tops.ts";
import { topsPool, topsWorkers } from "../../../src/host/master/workers/tops_workers.ts";
import { TOPS } from "../../../src/plugins/tops/mod.ts";
import { entriesOf } from "../../../src/language/python/values.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { Supervisor } from "../../../src/feature/supervise/supervisor.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const base = { ...await currentRuntime(), clock: systemClock };
const root = mkdtempSync(join(tmpdir(), "brine-tops-"));
after(() => rmSync(root, { recursive: true }));
let made = 0;

function write(directory: string, files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(directory, name), text);
    if (text.startsWith("#!")) chmodSync(join(directory, name), 0o755);
  }
}

/** A master with these files in `extension_modules/tops`. */
function master(
  files: Record<string, string>,
  master_tops: Record<string, unknown>,
  { runtime = base, customTops }: { runtime?: typeof base; customTops?: CustomTops } = {},
) {
  const extension_modules = join(root, String(made++));
  const directory = join(extension_modules, "tops");
  mkdirSync(directory, { recursive: true });
  write(directory, files);
  const captured = captureLog();
  const opts = { extension_modules, master_tops, python: false, marked: "master" } as unknown as MasterOpts;
  const tops = new MasterTopsHost(runtime, captured.log, opts, TOPS, customTops);
  return {
    directory,
    opts: opts as unknown as Record<string, unknown>,
    of: async (id: string, sent: Record<string, unknown> = {}) =>
      Object.fromEntries(entriesOf(await tops.of(id, sent))),
    errors: () =>
      captured.records.filter(({ level }) => level === "error")
        .map(({ fields }) => `${fields.module}: ${fields.error ?? fields.expected}`),
  };
}

const GOOD = "export const top = ({ id }) => ({ base: ['of_' + id] });";

describe("a custom module of master_tops", () => {
  test("is told of the minion by its key, with its grains, its options and the settings of the master", async () => {
    const { of, errors } = master({
      "mine.ts": `
        type Told = { id: string; grains: { role: string }; opts: { id: string; color: string }; settings: string; masterOpts: { marked: string } };
        export async function top({ id, grains, opts, settings, masterOpts }: Told) {
          return { [grains.role]: [id, opts.id, opts.color, settings, masterOpts.marked] };
        }`,
    }, { mine: "set" });
    assert.deepEqual(await of("web1", { id: "db1", color: "red", grains: { role: "dev", id: "db1" } }), {
      dev: ["web1", "web1", "red", "set", "master"],
    });
    assert.deepEqual(errors(), []);
  });

  test("may be a program, which gets the parameters that it names", async () => {
    const { of, errors } = master({
      prog: `#!/bin/sh
if [ "$1" = describe ]; then echo '{"functions": {"top": {"signature": "id, grains", "doc": ""}}}'; exit; fi
cat > "$0.in"; grep -q '"arguments":{"id":"web1","grains":{"os":"Test"}}' "$0.in" && echo '{"return": {"base": ["seen"]}}'
`,
    }, { prog: null });
    assert.deepEqual(await of("web1", { grains: { os: "Test" } }), { base: ["seen"] });
    assert.deepEqual(errors(), []);
  });

  test("counts as soon as it is there, and goes over Brine's own; one for real Salt replaces nothing", async () => {
    const { of, errors, directory } = master({ "ext_nodes.py": "x" }, {
      ext_nodes: "echo 'classes: [own]' '#'",
      late: 1,
    });
    assert.deepEqual(await of("web1"), { base: ["own"] });
    assert.deepEqual(errors(), ["late: one of ext_nodes, or a custom module of _tops"]);
    write(directory, { "late.js": GOOD, "ext_nodes.js": "export const top = () => ({ base: ['mine'] });" });
    assert.deepEqual(await of("web1"), { base: ["mine", "of_web1"] });
  });

  for (
    const { name, text, file = "bad.js", says } of [
      { name: "fails", text: "export function top() { throw new Error('no luck'); }", says: /^bad: no luck$/ },
      { name: "does not parse", text: "export function (", says: /^bad: ./ },
      { name: "has no function", text: "export const other = () => ({});", says: /bad\.js" has no function "top"$/ },
      {
        name: "is not available",
        text: `${GOOD} export const virtual = () => ({ unavailable: "no key" });`,
        says: /bad\.js" is not available: no key$/,
      },
      {
        name: "returns nothing",
        text: "export function top() {}",
        says: /bad\.js" returned .*: expected a map of environment/,
      },
      {
        name: "returns a list",
        text: "export const top = () => ['a'];",
        says: /bad\.js" returned \['a'\]: expected a map/,
      },
      {
        name: "returns a text for names",
        text: "export const top = () => ({ base: 'a' });",
        says: /returned 'a' for 'base': expected/,
      },
      {
        name: "is a Python module, and Python is off",
        file: "bad.py",
        text: "x",
        says: /^bad: .*bad\.py" is a Python module/,
      },
      {
        name: "is a program that fails",
        file: "bad",
        text: "#!/bin/sh\necho oh no >&2; exit 3\n",
        says: /bad" exited with 3: oh no/,
      },
      {
        name: "is a program that prints without end",
        file: "bad",
        text: "#!/bin/sh\nexec yes\n",
        says: /bad" printed more than 67108864 bytes/,
      },
    ]
  ) {
    test(`that ${name} is named in the log, and the others say what they have`, async () => {
      const { of, errors } = master({ [file]: text, "good.js": GOOD }, { bad: 1, good: 1 });
      assert.deepEqual(await of("web1"), { base: ["of_web1"] });
      assert.equal(errors().length, 1, errors().join());
      assert.match(errors()[0]!, says);
    });
  }

  test("that never answers is given up, for this minion and for those that wait behind it", async () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    (globalThis as unknown as { asked: string[] }).asked = asked;
    const counting = "export const top = ({ id }) => { globalThis.asked.push(id); return { base: ['of_' + id] }; };";
    const { of, errors } = master(
      { "bad.js": "export const top = () => new Promise(() => {});", "good.js": counting },
      { bad: 1, good: 1 },
      { runtime: { ...base, clock } },
    );
    const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const answers = Promise.all(ids.map((id) => of(id)));
    let over = false;
    void answers.then(() => over = true);
    // The time goes on once the good one, whose file has to be read, has answered for all.
    await until(() => asked.length >= ids.length);
    await until(() => over, { clock, stepMs: 1000 });
    assert.deepEqual(await answers, ids.map((id) => ({ base: [`of_${id}`] })));
    assert.equal(errors().length, ids.length);
    for (const error of errors()) assert.match(error, /^bad: .*not answered within [25]0 s$/);
  });
});

const program = fileURLToPath(new URL("../../../cli/salt-master.ts", import.meta.url));
const flags = process.versions.deno === undefined ? [] : ["run", "-A", "--no-check", "--node-modules-dir=manual"];

test("a custom module that never lets go ends with its process, and the master and others go on", {
  timeout: 120_000,
}, async () => {
  const { log } = captureLog();
  let opts: Record<string, unknown> = {};
  await using closing = new AsyncDisposableStack();
  const supervisor = new Supervisor({
    runtime: base,
    log,
    socket: { kind: "unix", path: join(root, "parts.ipc") },
  });
  closing.defer(() => supervisor.close());
  const workers = supervisor.workers({
    ...topsPool,
    argv: [process.execPath, ...flags, program, "--part-process"],
    config: () => opts,
    limitMs: 5000,
  });
  const here = master(
    {
      "bad.js": "export function top() { for (;;); }",
      "good.js": "export const top = ({ id, grains, settings }) => ({ base: [id, grains.os, settings.deep[0]] });",
    },
    { bad: 1, good: { deep: ["x"] } },
    { customTops: topsWorkers(workers) },
  );
  opts = here.opts;
  assert.deepEqual(await here.of("web1", { grains: { os: "Test" } }), { base: ["web1", "Test", "x"] });
  assert.equal(here.errors().length, 1);
  assert.match(
    here.errors()[0]!,
    /^bad: Cannot make the states of the custom module bad for web1: its worker process crashed twice/,
  );
});
