/**
 * Question: how fast does a master, Brine's or real Salt's, authenticate minions and take their returns, and does it answer rightly
 * what no honest minion sends? This is the load: many minions in one or several processes, each with its own connections and
 * session, and the wire format of real minions.
 *
 * All minions sign in at once: the authentications are timed from the first request to the last reply. What each minion
 * then does with its reply (an RSA decryption) is not timed, so that only the master is measured. A publication has the
 * same bytes for all minions and is verified and decrypted once for a process, which saves work here but none on the
 * master. Returns are sealed by each minion with its own session, and every reply is decrypted and its nonce compared.
 *
 * `--mix` gives some of them another behaviour (`swarm/behaviours.ts`); which ones is decided by `--seed`. At the end, or when a line
 * "summary" comes on stdin, it tells how often each did what and how the master answered.
 *
 * Run: node bench/swarm.ts --minions N --master HOST:PORT [--processes 2] [--mix slow=5,flapping=2,lying=1,replaying=1,silent=1,huge=1,wrong_id=1]
 *   [--seed 1] [--pairs 1000] [--held N] [--jobs 20] [--pillar ROUNDS] [--highstate ROUNDS --files a.sls,b.sls] [--json]   (bun, deno run -A alike)
 * It ends when all minions have returned that many jobs, or on SIGTERM. With --pillar, all minions ask for their pillar at
 * once that many times, and there are no jobs. With --highstate, all ask for what a highstate needs at once that many times: the first
 * time with the contents of the files that --files names, from then on for their hashes alone. With --held, so many keep their request
 * connection and the others open one for each request: where a process may have too few files for two connections of each. With
 * --json, each event is a line of JSON.
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { currentRuntime } from "../src/runtime/current.ts";
import type { SwarmEvent } from "./swarm/event.ts";
import { parseMix } from "./swarm/mix.ts";
import { type JobDone, SwarmPart } from "./swarm/part.ts";
import { shareOf, SwarmProcesses } from "./swarm/processes.ts";
import { Rounds } from "./swarm/rounds.ts";

const OPTIONS = {
  minions: { type: "string", default: "100" },
  master: { type: "string", default: "127.0.0.1:4506" },
  processes: { type: "string", default: "1" },
  mix: { type: "string", default: "" },
  seed: { type: "string", default: "1" },
  /** Key pairs that the minions share. */
  pairs: { type: "string" },
  held: { type: "string" },
  /** Milliseconds that slow and flapping minions go by. */
  pace: { type: "string", default: "3000" },
  /** Bytes of a huge return. */
  huge: { type: "string", default: "2000000" },
  jobs: { type: "string" },
  pillar: { type: "string" },
  highstate: { type: "string" },
  /** SLS files of the highstate and files that it manages, below the roots. */
  files: { type: "string", default: "" },
  /** The options `transport` and `ssl`, as JSON. */
  transport: { type: "string", default: "{}" },
  /** Size of the minions' keys. */
  bits: { type: "string", default: "2048" },
  json: { type: "boolean", default: false },
  /** `INDEX/PARTS`: this process is a part of a swarm. */
  part: { type: "string" },
} as const;

const { values } = parseArgs({ options: OPTIONS });
const count = Number(values.minions);
const processes = Number(values.processes);
const wanted = values.jobs === undefined ? Infinity : Number(values.jobs);
const [, host, port] = /^(.*):(\d+)$/.exec(values.master) ?? [];
if (host === undefined || !(Number.isInteger(count) && count >= 1) || !(processes >= 1)) {
  console.error(
    "Usage: swarm.ts --minions N --master HOST:PORT [--processes 2] [--mix slow=5] [--jobs 20] [--pillar ROUNDS] [--json]",
  );
  process.exit(64);
}

function tell(event: SwarmEvent): void {
  if (values.json) return console.log(JSON.stringify(event));
  const { event: name, ...fields } = event;
  if (event.event === "summary") {
    console.log(name);
    for (const { behaviour, deed, answers } of event.deeds) {
      const counted = Object.entries(answers).map(([answer, times]) => `${answer} ${times}`);
      console.log(`  ${behaviour.padEnd(10)} ${deed.padEnd(44)} ${counted.join(", ")}`);
    }
    return;
  }
  console.log(
    name,
    ...Object.entries(fields).map(([key, value]) => `${key}=${typeof value === "number" ? Math.round(value) : value}`),
  );
}

/** Calls back for each line on stdin. */
function commands(each: (line: string) => void): void {
  createInterface({ input: process.stdin }).on("line", each);
}

if (processes > 1 && values.part === undefined) runProcesses();
else await runPart();

function runProcesses(): void {
  const parts = new SwarmProcesses(import.meta.filename, process.argv.slice(2), processes, tell);
  commands((line) => parts.tell(line));
}

/** The minions of this process, from the first connection to the last job. */
async function runPart(): Promise<void> {
  const part = await openPart();
  const waiting = new Map<string, () => void>();
  const told = (line: string) => new Promise<void>((resolve) => waiting.set(line, resolve));
  const go = values.part === undefined ? Promise.resolve() : told("go");
  commands((line) => line === "summary" ? tell({ event: "summary", deeds: part.tally.deeds }) : waiting.get(line)?.());
  const minions = part.minions.length;
  tell({ event: "connected", minions, ms: await part.connect() });
  await go;
  const began = performance.now();
  const inRounds = values.pillar !== undefined || values.highstate !== undefined;
  tell({ event: "authenticated", minions, ms: await part.signIn(inRounds) });
  if (inRounds) return await rounds(part);
  let done = 0;
  await part.subscribe((job: JobDone) => {
    tell({ event: "job", ...job });
    if (++done < wanted) return;
    tell({ event: "summary", deeds: part.tally.deeds });
    process.exit(0);
  });
  tell({ event: "listening", minions, ms: performance.now() - began });
}

async function openPart(): Promise<SwarmPart> {
  const [index, parts] = (values.part ?? "0/1").split("/").map(Number);
  const bits = Number(values.bits);
  return await SwarmPart.open(await currentRuntime(), {
    ...{ minions: count, host: host!, port: Number(port), bits },
    mix: parseMix(values.mix),
    seed: Number(values.seed),
    // Long keys take seconds to make: a few of them serve all minions.
    pairs: values.pairs !== undefined ? Number(values.pairs) : bits > 2048 ? 20 : 1000,
    transport: JSON.parse(values.transport),
    held: values.held === undefined ? count : Number(values.held),
    paceMs: Number(values.pace),
    hugeBytes: Number(values.huge),
    ...shareOf(count, index!, parts!),
  }, (line) => console.error(line));
}

async function rounds(part: SwarmPart): Promise<never> {
  const all = new Rounds(part);
  for (let round = 0; round < Number(values.pillar ?? 0); round++) {
    tell({ event: "pillar", ...await all.pillar() });
  }
  const files = values.files.split(",").filter((name) => name !== "");
  for (let round = 0; round < Number(values.pillar === undefined ? values.highstate ?? 0 : 0); round++) {
    tell({ event: "highstate", ...await all.highstate(files, round === 0) });
  }
  process.exit(0);
}
