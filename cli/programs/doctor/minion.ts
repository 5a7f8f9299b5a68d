/** Checks a minion: whether each of its masters can be reached and accepts it. */
import { within } from "../../../src/base/async/within.ts";
import { loadPair } from "../../../src/protocol/channel/key_pair.ts";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { joinPath } from "../../../src/base/paths.ts";
import { fingerprint } from "../../../src/protocol/crypto/rsa_key.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { createLogger } from "../../../src/base/log.ts";
import { type MasterAddress, printMaster } from "../../../src/host/minion/master_address.ts";
import { MasterConnection } from "../../../src/host/minion/connection.ts";
import { masterPlan } from "../../../src/host/minion/master_plan.ts";
import { openTransport } from "../../../src/protocol/transport/open_transport.ts";
import { minionId } from "../../../src/host/minion/id.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, wrong } from "../../daemon/check/finding.ts";
import type { ProgramContext } from "../../program/context.ts";
import type { Examination } from "./examination.ts";
import { reach } from "./reach.ts";

const QUIET = createLogger(() => {}, "quiet");

/** A runtime that does not write files: authentication would store the master's key. */
function readOnly(runtime: Runtime): Runtime {
  const nothing = () => {};
  return { ...runtime, fs: { ...runtime.fs, write: nothing, mkdir: nothing, append: nothing, remove: nothing } };
}

export async function examineMinion(context: ProgramContext, values: Record<string, unknown>): Promise<Examination> {
  const runtime = readOnly(context.runtime);
  const opts = values as MinionOpts;
  opts.id = await minionId(runtime, opts, QUIET);
  const plan = masterPlan(opts, () => 0);
  const all: Examination = { well: [`id: ${opts.id}`], findings: [] };
  const own = joinPath(opts.pki_dir, "minion.pub");
  const hasKey = runtime.fs.stat(joinPath(opts.pki_dir, "minion.pem")) !== undefined;
  if (runtime.fs.stat(own) !== undefined) {
    all.well.push(`fingerprint of its key: ${fingerprint(runtime.crypto, runtime.fs.readText(own))}`);
  }
  if (!hasKey) {
    all.findings.push(doubtful("it has no key yet", "start the minion: it makes a key, which the master must accept"));
  }
  for (const master of plan.masters) {
    const { well, findings } = await examineOne({ ...context, runtime }, opts, master, hasKey);
    all.well.push(...well);
    all.findings.push(...findings);
  }
  return all;
}

async function examineOne(
  context: ProgramContext,
  opts: MinionOpts,
  master: MasterAddress,
  hasKey: boolean,
): Promise<Examination> {
  const { runtime, options } = context;
  const timeoutMs = Number(options.timeout) * 1000;
  const name = printMaster(master);
  if (opts.proxy_host) return { well: [`${name} is reached through a proxy: not checked`], findings: [] };
  const at = { ...master, transport: String(opts.transport), serves: "requests", timeoutMs } as const;
  const problem = await reach(runtime, at);
  if (problem !== undefined) {
    const remedy = problem.includes("must be the ret_port")
      ? "set master_port to the ret_port of the master, usually 4506"
      : `check the address in master, that salt-master is running there, and that port ${master.port} and ` +
        "the master's publish_port are open";
    return { well: [], findings: [wrong(`master: ${problem}`, remedy)] };
  }
  if (!hasKey) return { well: [`master ${name} answers`, notCompared(name)], findings: [] };
  const { trouble, masterNow } = await signIn(runtime, opts, master, timeoutMs);
  if (trouble !== undefined) {
    return {
      well: [`master ${name} answers`, notCompared(name)],
      findings: [wrong(`master ${name} refuses this minion: ${trouble}`)],
    };
  }
  const clock = compareClocks(name, runtime.clock.now(), masterNow);
  return { well: [`master ${name} accepts this minion`, ...clock.well], findings: clock.findings };
}

const notCompared = (master: string) => `clock: not compared with the clock of master ${master}`;

/** Clock differences in seconds: the first causes a warning, with the second messages are refused. */
const [APART, FAR_APART] = [5, 60];

/** @internal */
export function compareClocks(master: string, nowMs: number, masterMs: number | undefined): Examination {
  if (masterMs === undefined) return { well: [`${notCompared(master)}, which does not send its time`], findings: [] };
  const seconds = Math.round((nowMs - masterMs) / 1000);
  const amount = Math.abs(seconds);
  const text = `the clock is ${amount} s ${seconds < 0 ? "behind" : "ahead of"} the clock of master ${master}`;
  const remedy = "start a time service on both hosts: systemctl enable --now systemd-timesyncd";
  if (amount > FAR_APART) return { well: [], findings: [wrong(text, remedy)] };
  if (amount > APART) return { well: [], findings: [doubtful(text, remedy)] };
  return { well: [`clock: within ${APART} s of the clock of master ${master}`], findings: [] };
}

/** Authenticates as this minion. @returns the reason if that failed; otherwise the master's time, if it sends it */
async function signIn(
  runtime: Runtime,
  opts: MinionOpts,
  master: MasterAddress,
  timeoutMs: number,
): Promise<{ trouble?: string; masterNow?: number | undefined }> {
  const pair = await loadPair(runtime, QUIET, { pkiDir: opts.pki_dir, name: "minion", keySize: opts.keysize });
  const connection = new MasterConnection({
    runtime,
    opts,
    log: QUIET,
    identity: { id: opts.id, ...pair },
    sockets: openTransport({ runtime, log: QUIET, opts }),
    master,
    onPublication: () => {},
  });
  try {
    const signedIn = connection.signIn().then(({ masterNow }) => ({ masterNow }));
    const late = () => ({ trouble: connection.trouble ?? "it did not answer in time" });
    return await within(runtime.clock, timeoutMs, undefined, signedIn, late);
  } catch (error) {
    return { trouble: messageOf(error) };
  } finally {
    await connection.close();
  }
}
