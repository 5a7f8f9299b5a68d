/** Shows where the beacons of our minion tell something else than those of a release: `node … 3006`. */
import process from "node:process";
import { idOf } from "../fleet.ts";
import type { Kind } from "../release.ts";
import { beaconsOn, type Told } from "./beacon_bed.ts";

const kind = (process.argv[2] ?? "3006") as Kind;
const told: Record<string, Told> = {};
for (const where of ["configuration", "pillar"] as const) {
  for (const [id, all] of Object.entries(await beaconsOn(["brine", kind], where))) told[id] = { ...told[id], ...all };
}
console.log(JSON.stringify(told[idOf(kind)], null, 1));
for (const [name, theirs] of Object.entries(told[idOf(kind)]!)) {
  const ours = told.brine![name]!;
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
    console.log(`--- ${name}\nSALT:\n${theirs.join("\n")}\nOURS:\n${ours.join("\n")}\n`);
  }
}
process.exit(0);
