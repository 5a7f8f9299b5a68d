/**
 * A soak as a program: `npm run soak -- --minutes 60 [--runtime node] [--seed 1] [--real 4] [--swarm 40] [--every 400] [--record FILE]
 * [--keep] [--json]`. Exit code 1 if anything was found wrong.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { runtimeNamed } from "../../bench/bed/runtimes.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { Verdict } from "./judge.ts";
import { soak, wrongs } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    runtime: { type: "string", default: "node" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    real: { type: "string", default: "4" },
    swarm: { type: "string", default: "40" },
    every: { type: "string", default: "400" },
    record: { type: "string" },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

function numberOf(name: "minutes" | "seed" | "real" | "swarm" | "every", least: number): number {
  const value = Number(values[name]);
  if (!(value >= least)) {
    throw new RangeError(`Invalid --${name} "${values[name]}": expected a number from ${least} on`);
  }
  return value;
}

/** A figure as people read it: bytes in MiB. */
function told(name: string, value: number): string {
  return / (rss|heap)$/.test(name) ? `${(value / 2 ** 20).toFixed(1)} MiB` : value.toFixed(1);
}

function line({ name, median, growth, perHour, allowed, judgedMs, flat }: Verdict): string {
  const [grown, hour, most] = [growth, perHour, allowed].map((value) => told(name, value));
  return `${flat ? "flat " : "GROWS"} ${name}: ${told(name, median)}, grew by ${grown} in ${
    Math.round(judgedMs / 1000)
  } s ` +
    `(${hour} an hour), allowed ${most}`;
}

try {
  const report = await soak({
    minutes: numberOf("minutes", 0.5),
    runtime: runtimeNamed(values.runtime),
    seed: numberOf("seed", 0),
    real: numberOf("real", 2),
    swarm: numberOf("swarm", 1),
    everyMs: numberOf("every", 10),
    say: (text) => console.error(text),
    ...(values.record === undefined ? {} : { record: values.record }),
    keep: values.keep,
  });
  const wrong = wrongs(report);
  if (values.json) console.log(JSON.stringify({ ...report, wrong }));
  else {
    for (const verdict of report.verdicts) console.log(line(verdict));
    for (const [name, { done, excused, failed, why }] of Object.entries(report.work)) {
      console.log(
        `${name}: ${done} done, ${excused} while something was away, ${failed} failed${why ? ` (${why})` : ""}`,
      );
    }
    const { jobs, parts, outcomes, violations } = report.jobs;
    console.log(`restarts: ${JSON.stringify(report.restarts)}`);
    console.log(`${jobs} jobs with ${parts} targets: ${JSON.stringify(outcomes)}; ${violations.length} violations`);
    console.log(wrong.length === 0 ? "nothing is wrong" : `${wrong.length} things are wrong:\n${wrong.join("\n")}`);
  }
  process.exit(wrong.length === 0 ? 0 : 1);
} catch (error) {
  console.error(messageOf(error));
  process.exit(2);
}
