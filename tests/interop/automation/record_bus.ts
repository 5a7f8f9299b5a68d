/** Records what a real minion answers to events on its bus (`node … 3006 > tests/vectors/minion_bus.json`), or shows what ours answers otherwise. */
import { readFileSync } from "node:fs";
import process from "node:process";
import type { Kind } from "../release.ts";
import { type Answers, answersOf } from "./bus_bed.ts";

const kind = (process.argv[2] ?? "3006") as Kind;
if (kind !== "brine") {
  console.log(JSON.stringify({ recorded_from: `Salt ${kind}`, answers: await answersOf(kind) }, null, 1));
} else {
  const expected = (JSON.parse(readFileSync("tests/vectors/minion_bus.json", "utf8")) as { answers: Answers }).answers;
  const answers = await answersOf(kind, expected);
  for (const [name, theirs] of Object.entries(expected)) {
    const ours = answers[name];
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
      console.log(`--- ${name}\nSALT:\n${theirs.join("\n")}\nOURS:\n${ours?.join("\n")}\n`);
    }
  }
}
process.exit(0);
