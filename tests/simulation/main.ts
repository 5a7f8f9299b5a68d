/** Runs seeds of the simulated world: `node tests/simulation/main.ts [--seeds 1000] [--from 1] [--cluster] [--seed 17 --log] [--first]`. */
import process from "node:process";
import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";
import { toldFindings } from "./witness.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    log: { type: "boolean", default: false },
    cluster: { type: "boolean", default: false },
    first: { type: "boolean", default: false },
  },
});
// Peers that vanish make errors by the thousand, and nobody reads where those were made.
if (!values.log) Error.stackTraceLimit = 0;
const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const began = Date.now();
let failed = 0;
const sums: { [what: string]: number } = {};
for (let seed = from; seed < from + count; seed++) {
  const { findings, trace, steps, tookMs, counts } = await simulate(seed, {
    cluster: values.cluster,
    ...(values.log ? { onLog: (line) => console.log(line) } : {}),
  });
  for (const [what, times] of Object.entries({ ...counts, steps, "world's seconds": Math.round(tookMs / 1000) })) {
    sums[what] = (sums[what] ?? 0) + times;
  }
  if (values.seed !== undefined) console.log({ seed, trace, steps, tookMs, counts });
  if (findings.length === 0) continue;
  failed++;
  console.log(`seed ${seed}: ${findings.length} findings\n${toldFindings(findings)}`);
  if (values.first) break;
}
console.log({ seeds: count, failed, seconds: (Date.now() - began) / 1000, ...sums });
process.exitCode = failed > 0 ? 1 : 0;
