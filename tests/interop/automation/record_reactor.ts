/**
 * Records what a real master does because of the events of the cases, or shows what ours does otherwise.
 *
 *     node tests/interop/automation/record_reactor.ts 3006 [part of the names]
 *     node tests/interop/automation/record_reactor.ts brine [part of the names]
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import type { Kind } from "../release.ts";
import { type Caused, reactOn } from "./reactor_bed.ts";
import { REACTOR_CASES } from "./reactor_cases.ts";

const [kind = "3006", part = ""] = process.argv.slice(2);
const cases = REACTOR_CASES.filter(({ name }) => name.includes(part));
const file = new URL("../../vectors/reactor.json", import.meta.url);
const { caused: expected } = JSON.parse(readFileSync(file, "utf8")) as { caused: Caused };
if (kind !== "brine") {
  const caused = { ...(part === "" ? {} : expected), ...await reactOn(kind as Kind, { cases }) };
  const inOrder = REACTOR_CASES.filter(({ name }) => Object.hasOwn(caused, name)).map((
    { name },
  ) => [name, caused[name]]);
  const recorded = { recorded_from: `Salt ${kind}`, caused: Object.fromEntries(inOrder) };
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);
} else {
  const ours = await reactOn("brine", { cases, expected });
  for (const { name } of cases) {
    const [theirs, own] = [expected[name]?.join("\n"), ours[name]?.join("\n")];
    if (theirs !== own) console.log(`--- ${name}\nSALT:\n${theirs}\nOURS:\n${own}\n`);
  }
}
process.exit(0);
