/** Compiled code of the bundle on Node: kept, taken, and never another's. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { REST_FLAGS } from "../../cli/daemon/rest.ts";
import { LATE_FLAGS } from "../../cli/late_optimizing.ts";
import { OWN_NAMES, readCode } from "../../cli/load_code.ts";
import type { V8Flag } from "../../cli/v8_flags.ts";

const LOADER = fileURLToPath(new URL("../../cli/load_code.ts", import.meta.url));
const isNode = process.versions.bun === undefined && process.versions.deno === undefined;
const isRoot = process.getuid?.() === 0;
const TWO_DAYS_AGO = new Date(Date.now() - 2 * 86_400_000);

/** A program that says what its files say; with `more` it loads one file more, after it has set flags; with `nobody` it becomes that user. */
const PROGRAM = OWN_NAMES +
  'import{say}from"./lib/a.mjs";let text=say();if(process.argv.includes("nobody"))process.setuid(65534);if(process.argv.includes("more")){' +
  "globalThis[Symbol.for(`brine.setFlags`)](JSON.parse(process.env.FLAGS));" +
  "text+=(await $import(`./lib/b.mjs`)).say();}process.stdout.write(text);";
const saying = (word: string) => `function say(){return\`${word}\`}export{say};`;

describe("compiled code of the bundle", { skip: isNode ? false : "only Node keeps it" }, () => {
  let base: string;
  beforeEach(() => {
    // Below a directory that only this user can change, as a home is.
    base = mkdtempSync(path.join(isRoot ? "/root" : process.env.HOME!, ".brine-test-"));
    mkdirSync(path.join(base, "bundle/lib"), { recursive: true });
    mkdirSync(path.join(base, "cache"), { mode: 0o700 });
    writeFileSync(path.join(base, "bundle/salt.mjs"), PROGRAM);
    writeFileSync(path.join(base, "bundle/lib/a.mjs"), saying("one"));
    writeFileSync(path.join(base, "bundle/lib/b.mjs"), saying("two"));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const run = (words: readonly string[] = [], build = "1", flags: readonly V8Flag[] = LATE_FLAGS, bundle = "") => {
    const code = `import(${JSON.stringify(LOADER)}).then((m) => m.runBundled(${
      JSON.stringify(bundle || path.join(base, "bundle"))
    }, "salt.mjs", ${JSON.stringify(build)}))`;
    const env = { ...process.env, XDG_CACHE_HOME: path.join(base, "cache"), FLAGS: JSON.stringify(flags) };
    return execFileSync("node", ["-e", code, "--", ...words], { env, encoding: "utf8" });
  };
  const directory = () => path.join(base, "cache/brine/node");
  const kept = () => readdirSync(directory()).filter((name) => name.startsWith("salt-")).sort();
  const file = () => path.join(directory(), kept()[0]!);
  const names = () => [...readCode(readFileSync(file()))!.keys()].sort();

  test("is stored once, with what is loaded later, for this user alone", () => {
    assert.equal(run(), "one");
    assert.deepEqual(names(), ["lib/a.mjs", "salt.mjs"]);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    const before = statSync(file()).ino;
    assert.equal(run(), "one");
    assert.equal(statSync(file()).ino, before);
    assert.equal(run(["more"]), "onetwo");
    assert.deepEqual(names(), ["lib/a.mjs", "lib/b.mjs", "salt.mjs"]);
  });

  for (const [whose, flags] of Object.entries({ "salt-call": LATE_FLAGS, "a daemon": REST_FLAGS })) {
    test(`is taken by the next start, though the flags of ${whose} are set, and is not stored again`, () => {
      run(["more"], "1", flags);
      utimesSync(file(), TWO_DAYS_AGO, TWO_DAYS_AGO);
      const { ino } = statSync(file());
      assert.equal(run(["more"], "1", flags), "onetwo");
      assert.equal(statSync(file()).ino, ino);
    });
  }

  test("is not stored if V8's own flags are not known", () => {
    run(["more"], "1", [{ usual: "--invocation-count-for-maglev=401", set: "--invocation-count-for-maglev=402" }]);
    assert.deepEqual(kept(), []);
  });

  test("that Node does not take is replaced, but not at every start", () => {
    run();
    const code = readCode(readFileSync(file()))!;
    const broken = readFileSync(file());
    // The version of V8, by which it refuses code, is in the second word.
    for (let at = broken.indexOf("\n") + 1, end = at + code.get([...code.keys()][0]!)!.length; at < end; at++) {
      broken[at] = 0;
    }
    writeFileSync(file(), broken);
    assert.equal(run(), "one");
    assert.deepEqual(readFileSync(file()), broken);
    utimesSync(file(), TWO_DAYS_AGO, TWO_DAYS_AGO);
    assert.equal(run(), "one");
    assert.notDeepEqual(readFileSync(file()), broken);
  });

  test("that is not whole is replaced", () => {
    run();
    const whole = readFileSync(file());
    writeFileSync(file(), whole.subarray(0, whole.length / 2));
    assert.equal(run(), "one");
    assert.equal(readCode(readFileSync(file()))!.size, 2);
  });

  test("is not stored by a daemon that has become another user", { skip: isRoot ? false : "only root can" }, () => {
    assert.equal(run(["nobody"]), "one");
    assert.deepEqual(kept(), []);
  });

  test("knows the address of its file, whatever is in the name of a directory", () => {
    writeFileSync(path.join(base, "bundle/lib/a.mjs"), `${OWN_NAMES}const say=()=>$url;export{say};`);
    const odd = path.join(base, "my bundle#1%20");
    renameSync(path.join(base, "bundle"), odd);
    assert.equal(run([], "1", [], odd), pathToFileURL(path.join(odd, "lib/a.mjs")).href);
  });

  test("of another build is not taken, and goes when it is old", () => {
    run();
    const [first] = kept();
    writeFileSync(path.join(base, "bundle/lib/a.mjs"), saying("ten"));
    assert.equal(run([], "2"), "ten");
    assert.equal(kept().length, 2);
    utimesSync(path.join(directory(), first!), TWO_DAYS_AGO, TWO_DAYS_AGO);
    const other = path.join(directory(), "salt-master-0-v24.0.0-x64");
    writeFileSync(other, "");
    utimesSync(other, TWO_DAYS_AGO, TWO_DAYS_AGO);
    assert.equal(run([], "3"), "ten");
    assert.ok(!kept().includes(first!));
    assert.ok(kept().includes(path.basename(other)), "of another program");
  });
});
