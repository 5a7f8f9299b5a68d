/** Python files in the style that people publish, held against what real Salt 3006, 3007 and 3008 return for the same calls. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { saltProgram } from "../../../../bench/bed/salt_release.ts";
import { RELEASES } from "../../../interop/release.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { type Case, openPublished, type Published } from "./published_host.ts";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../vectors/python/${name}`, import.meta.url), "utf8"));
const { cases, ...config }: { minion: Record<string, unknown>; master: Record<string, unknown>; cases: Case[] } = read(
  "cases.json",
);
/** Of 3006 in whole, of the others what differs. */
const answers: Record<string, Record<string, unknown>> = read("answers.json");

/** Where Brine names the renderer, has no text of a whole module, or numbers a state whose return is malformed as it does others. */
const DIFFERENT: ReadonlySet<string> = new Set(["slsutil.renderer error", "sys.state_doc", "state.sls malformed"]);

const byKind = Map.groupBy(cases, ({ kind = "modules" }) => kind);

function compared(more: Record<string, unknown>, release?: string): void {
  let host: Published;
  before(async () => {
    host = await openPublished(config, more);
  });
  after(() => host.close());
  for (const [kind, all] of byKind) {
    const calls = all.filter(({ lent }) => lent === undefined || release !== undefined && lent.includes(release));
    test(`${kind}: ${calls.length} calls`, async () => {
      const wrong: string[] = [];
      for (const one of calls) {
        const got = await host.answer(one);
        const known = RELEASES.flatMap((release) => answers[release]?.[one.id] ?? []);
        if (!DIFFERENT.has(one.id) && !known.some((want) => isEqual(got, want))) {
          wrong.push(JSON.stringify({ id: one.id, got, want: known[0] }));
        }
      }
      assert.equal(wrong.length, 0, wrong.join("\n"));
    });
  }
}

function isEqual(got: unknown, want: unknown): boolean {
  try {
    assert.deepEqual(got, want);
    return true;
  } catch {
    return false;
  }
}

const bare = findPython(await currentRuntime(), {});
describe("published Python files beside the small package salt", {
  skip: bare === undefined && "no python3 of 3.8 or newer: install python3",
}, () => compared({ python: "auto", python_salt: false }));

for (const release of RELEASES) {
  const python = saltProgram(release, "python");
  describe(`published Python files beside Salt ${release}`, {
    skip: !existsSync(python) && `no Salt ${release}: npm run test:interop installs it`,
  }, () => compared({ python }, release));
}
