/** Values of each kind from a Python module: held against what becomes of them in real Salt, or against the reason why they do not cross. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { saltProgram } from "../../../../bench/bed/salt_release.ts";
import { executeJob } from "../../../../src/host/minion/processes/execute_job.ts";
import { isMap, lookup } from "../../../../src/language/python/values.ts";
import { withCustomModules } from "../../../../src/model/loader/custom_modules.ts";
import { createFunctionTable, type FunctionTable } from "../../../../src/model/loader/loader.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { MODULES } from "../../../../src/plugins/modules/mod.ts";
import { render } from "../../../../src/plugins/outputters/mod.ts";
import { decode, encode } from "../../../../src/protocol/wire/msgpack.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { testMinion } from "../../../support/context.ts";
import { plain } from "./published_host.ts";

const VECTORS = fileURLToPath(new URL("../../../vectors/python/kinds/", import.meta.url));

interface Answer {
  /** What arrives in a message. */
  message?: unknown;
  /** The exception of a value that Salt cannot send. */
  refused?: string;
  /** The texts of outputters. */
  nested?: string;
  json?: string;
  raised?: [string, string];
}

const answers: Record<string, Answer> = JSON.parse(readFileSync(`${VECTORS}answers.json`, "utf8"));

/** What Salt cannot send, and arrives here as something else than its repr. */
const BETTER: Record<string, unknown> = {
  frozenset: [1],
  Mapping: { a: 1 },
  MappingProxy: { a: 1 },
  "first date": { $datetime: "00010101T00:00:00.000000" },
  "escaped byte": { $bytes: btoa("a\xff") },
};

/** What does not cross. */
const REFUSED: Record<string, RegExp> = {
  "lone surrogate": /'utf-8' codec can't encode character '\\ud800' in position 1/,
  "10000 lists": /it is nested deeper than 500 levels/,
  "10000 tuples": /it is nested deeper than 500 levels/,
  "5000 digits": /Exceeds the limit \(4300 digits\) for integer string conversion/,
};

const steady = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/(at 0x|id=)[0-9a-f]+/g, "$1…"));

/** As `record_kinds.py` has it: JSON has no text for each float. */
function withFloats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFloats);
  if (isMap(value) && !(value instanceof Map)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withFloats(item)]));
  }
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return { $float: Number.isNaN(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity" };
}

/** A return as it arrives. */
const arrived = (value: unknown) =>
  steady(withFloats(plain(decode(encode(value ?? null, "wire"), { mode: "wire" }), "no such directory")));

function compared(opts: Record<string, unknown>): void {
  let functions: FunctionTable;
  let run: (fun: string, kind: string) => Promise<unknown>;
  let end: () => Promise<void>;
  before(async () => {
    const minion = await testMinion({ opts: { id: "web1", module_dirs: [`${VECTORS}modules`], ...opts } });
    functions = createFunctionTable(() => withCustomModules(MODULES, context), () => context);
    const context = { ...minion.context, functions };
    run = async (fun, kind) => {
      const load = { fun: `kinds.${fun}`, arg: [kind], jid: "20240101000000000000" };
      return (await executeJob({ functions, context: () => context, load })).return;
    };
    end = () => closePython(minion.runtime);
  });
  after(() => end());

  const named = (fun: string) =>
    Object.keys(answers).filter((id) => id.startsWith(`${fun} `)).map((id) => id.slice(fun.length + 1));

  test("a return arrives as in Salt, or as its repr; what cannot cross is the failure of its call", async () => {
    for (const kind of named("value")) {
      const { message, json } = answers[`value ${kind}`]!;
      const got = await run("value", kind);
      if (kind in REFUSED) assert.match(String(got), REFUSED[kind]!, kind);
      else if (kind in BETTER) assert.deepEqual(arrived(got), BETTER[kind], kind);
      else assert.deepEqual(arrived(got), message === undefined ? JSON.parse(json!).local : message, kind);
    }
  });

  for (const fun of ["key", "inner_key"]) {
    test(`${fun}: a key that is no text arrives as in Salt, or as the text that Salt shows of it`, async () => {
      for (const kind of named(fun)) {
        const { message, nested } = answers[`${fun} ${kind}`]!;
        const got = await run(fun, kind);
        if (message !== undefined) assert.deepEqual(arrived(got), message, kind);
        const { text } = await render("nested", { local: got }, { color: false });
        // A date arrives as a time, an enum of texts as a text, and what is no UTF-8 as bytes.
        if (!["date", "enum of texts", "escaped byte"].includes(kind)) assert.equal(text, nested, kind);
      }
    });
  }

  test("another module of Python is given the value itself", async () => {
    for (const fun of ["given", "given_key"]) {
      for (const kind of named(fun)) {
        const { message, raised } = answers[`${fun} ${kind}`]!;
        const got = await run(fun, kind);
        if (raised === undefined) assert.deepEqual(arrived(got), message, `${fun} ${kind}`);
        else assert.match(String(got), new RegExp(`${raised[0]}: `), `${fun} ${kind}`);
      }
    }
  });

  test("arguments, __context__, exceptions and events with any value fail at most their own call", async () => {
    for (const kind of named("value")) {
      const given = await run("argument", kind);
      if (kind in REFUSED) assert.match(String(given), REFUSED[kind]!, kind);
      else {
        const [first] = lookup(given as Record<string, unknown>, "args") as unknown[];
        assert.deepEqual(arrived(first), arrived(await run("value", kind)), kind);
      }
      assert.equal(typeof await run("context", kind), "string");
      assert.match(String(await run("raises", kind)), /ValueError/, kind);
      assert.match(String(await run("raises_info", kind)), /ERROR: said|(?:Recursion|Value)Error: /, kind);
      assert.ok(await run("event", kind) !== undefined, kind);
    }
    for (const kind of named("key")) {
      const [first] = lookup(await run("argument_key", kind) as Record<string, unknown>, "args") as unknown[];
      assert.ok(isMap(first), kind);
    }
  });
}

const bare = findPython(await currentRuntime(), {});
describe("values of each kind, by Python without packages", {
  skip: bare === undefined && "no python3 of 3.8 or newer: install python3",
}, () => compared({ python: "auto", python_salt: false }));

const python = saltProgram("3006", "python");
describe("values of each kind, by Python with msgpack", {
  skip: !existsSync(python) && "no Salt 3006: npm run test:interop installs it",
}, () => compared({ python, python_salt: false }));
