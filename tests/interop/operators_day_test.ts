/** A day's commands: a Brine minion and a real one under one real master are asked the same, and answer the same. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { Fleet, idOf } from "./fleet.ts";
import { DAY } from "./operators_day.ts";
import { installSalt, type Kind } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : process.getuid?.() !== 0
  ? "only root may become another user, and mend owners"
  : false;

const RELEASE = "3006";
const KINDS: readonly Kind[] = ["brine", RELEASE];

/** An answer without what is different each time: process numbers, jids, frames of a traceback, and the documentation. */
function settled(answer: unknown): unknown {
  if (typeof answer === "string") {
    return answer
      .replace(/^(Passed invalid arguments to [^\n]*)\n[^]*$/, "$1")
      .replace(/Traceback \(most recent call last\):\n[^]*\n(\S[^\n]*)\n?$/, "$1")
      .replace(/(with the context ')[^]*(', reason: )/, "$1…$2")
      .replace(/\d{20}/g, "<jid>");
  }
  if (Array.isArray(answer)) return answer.map(settled);
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, name === "pid" ? "<pid>" : settled(value)]),
  );
}

describe("a day's commands, with Salt 3006", { skip, timeout: 900_000 }, () => {
  let fleet: Fleet;

  before(async () => {
    assert.equal(installSalt(RELEASE), undefined);
    fleet = new Fleet({
      master: RELEASE,
      minions: [...KINDS],
      masterOptions: (directory) => ({
        file_roots: { base: [path.join(directory, "srv")] },
        pillar_roots: { base: [path.join(directory, "pillar")] },
        file_recv: true,
      }),
    });
    const put = (name: string, text: string) => {
      mkdirSync(path.dirname(fleet.path(name)), { recursive: true });
      writeFileSync(fleet.path(name), text);
    };
    put("srv/f.txt", "hello master\n");
    put("srv/sub/g.txt", "sub file\n");
    put("srv/s.sh", '#!/bin/sh\necho "args: $@"\nexit 3\n');
    put("pillar/top.sls", "base:\n  '*':\n    - data\n");
    put("pillar/data.sls", "a: 1\nnested:\n  k: v\n  l: [1, two, 3.5]\nuni: 'żółć'\n");
    for (const kind of KINDS) mkdirSync(fleet.path("work", idOf(kind)), { recursive: true });
    await fleet.start();
  });
  after(async () => await fleet.stop());

  const ask = async (kind: Kind, words: readonly string[]): Promise<unknown> => {
    const id = idOf(kind);
    const place = fleet.path("work", id);
    const own = words.map((word) => word.replaceAll("@", place));
    const { stdout } = await fleet.salt("brine", ["--out=json", id, ...own]);
    const neutral = stdout.replaceAll(place, "@").replaceAll(fleet.path(id), "<root>").replaceAll(`"${id}"`, '"<id>"');
    return settled((JSON.parse(neutral) as Record<string, unknown>)["<id>"]);
  };

  // Each command starts a client on either side, which takes its time: the quick form asks what differs most easily.
  const groups = process.env.BRINE_INTEROP === "full" ? Object.keys(DAY) : ["commands", "arguments and failures"];
  for (const group of groups) {
    const rows = DAY[group]!;
    describe(group, () => {
      for (const [index, words] of rows.entries()) {
        test(`${index}: ${words.join(" ")}`, async () => {
          const [ours, theirs] = await Promise.all([ask("brine", words), ask(RELEASE, words)]);
          assert.deepEqual(ours, theirs);
        });
      }
    });
  }
});
