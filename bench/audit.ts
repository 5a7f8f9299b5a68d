/**
 * Question: what does the audit log cost a master that is under load?
 *
 * Control row: the same master without it. Both take turns within a round, in one process, with their clients over the
 * loopback; their disks are the same. `alone` waits for each publication before the next; `at once` is a number of them in
 * flight together. Nobody has to return: the target is a minion that is away.
 *
 * Run: node bench/audit.ts [--runtimes node,bun,deno] [--json] [--quick]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startMaster } from "../cli/embed/master.ts";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import type { Master } from "../src/host/master/master.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { runOn } from "./bed/run_on.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface AuditBenchOptions extends BenchOptions {
  runtimes?: readonly RuntimeName[];
}

const ALONE = 100;
const TOGETHER = 400;
const IN_FLIGHT = 16;

interface Side {
  audited: boolean;
  master: Master;
  /** Each has one request under way at a time. */
  clients: LocalClient[];
}

type Measured = Record<string, { off: number; on: number }>;

async function openSide(folder: string, audited: boolean): Promise<Side> {
  const runtime = await currentRuntime();
  const rootDir = path.join(folder, audited ? "on" : "off");
  mkdirSync(path.join(rootDir, "etc/salt/pki/master/minions"), { recursive: true });
  const { publicPem } = await runtime.crypto.generateKeyPair(2048);
  writeFileSync(path.join(rootDir, "etc/salt/pki/master/minions/web1"), publicPem);
  const user = runtime.host.user().name;
  const opts = { interface: "127.0.0.1", publish_port: 0, ret_port: 0, user, audit_log: audited };
  const master = await startMaster({ rootDir, opts, log: silentLogger });
  const open = () => LocalClient.open({ runtime, log: silentLogger, opts: master.opts });
  const clients = await Promise.all(Array.from({ length: IN_FLIGHT }, open));
  return { audited, master, clients };
}

const publish = (client: LocalClient) => client.publish({ tgt: "web1", tgt_type: "list", fun: "test.ping", arg: [] });

async function alone(side: Side): Promise<void> {
  for (let at = 0; at < ALONE; at++) await publish(side.clients[0]!);
}

async function together(side: Side): Promise<void> {
  let left = TOGETHER;
  await Promise.all(side.clients.map(async (client) => {
    while (left-- > 0) await publish(client);
  }));
}

/** Measures on the runtime of this process: milliseconds for each publication. */
async function measure(rounds: number): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-audit-"));
  const times: Record<string, { off: number[]; on: number[] }> = {};
  const sides = [await openSide(folder, false), await openSide(folder, true)];
  const actions = [
    { name: "a publication, alone", count: ALONE, act: alone },
    { name: `a publication, ${IN_FLIGHT} at once`, count: TOGETHER, act: together },
  ];
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const { name, count, act } of actions) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const before = performance.now();
          await act(side);
          // The first round is warm-up.
          if (round === 0) continue;
          (times[name] ??= { off: [], on: [] })[side.audited ? "on" : "off"].push((performance.now() - before) / count);
        }
      }
    }
    return Object.fromEntries(
      Object.entries(times).map(([name, { off, on }]) => [name, { off: median(off), on: median(on) }]),
    );
  } finally {
    for (const { clients, master } of sides) {
      for (const client of clients) await client.close();
      await master.close();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

export function run(options: AuditBenchOptions = {}): Row[] {
  const { quick = false, say = () => {} } = options;
  return installed(options.runtimes).flatMap((runtime): Row[] => {
    say(`audit: ${runtime}`);
    const words = ["--here", ...(quick ? ["--quick"] : [])];
    const measured = runOn(runtime, import.meta.filename, words) as Measured;
    return Object.entries(measured).flatMap(([name, { off, on }]): Row[] => [
      { name, value: rounded(off * 1000), unit: "us", note: `${runtime}, audit_log off` },
      { name, value: rounded(on * 1000), unit: "us", note: `${runtime}, audit_log on`, ratio: rounded(off / on) },
    ]);
  }).sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { here: { type: "boolean" }, quick: { type: "boolean" } }, strict: false });
  if (values.here) console.log(JSON.stringify(await measure(values.quick ? 2 : 9)));
  else await runProgram({}, run);
}
