/** A minion: whether each of its masters can be reached and lets it in. */
import { loadPair } from "../../../src/channel/key_pair.ts";
import type { MinionOpts } from "../../../src/config/minion_opts.ts";
import { joinPath } from "../../../src/config/paths.ts";
import { fingerprint } from "../../../src/crypto/rsa_key.ts";
import { messageOf } from "../../../src/errors.ts";
import { createLogger } from "../../../src/log.ts";
import { type MasterAddress, MasterConnection, masterPlan, printMaster } from "../../../src/minion/mod.ts";
import { minionId } from "../../../src/minion/id.ts";
import type { Runtime } from "../../../src/runtime/mod.ts";
import { openTransport } from "../../../src/transport/mod.ts";
import { doubtful, wrong } from "../../daemon/check/finding.ts";
import type { ProgramContext } from "../../program/context.ts";
import type { Examination } from "./examination.ts";
import { reach } from "./reach.ts";

const QUIET = createLogger(() => {}, "quiet");

/** The same runtime, whose files cannot be changed: a sign-in would write down the master's key. */
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
  if (!hasKey) all.findings.push(doubtful("it has no key yet", "start it: it makes one, which the master must accept"));
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
  if (opts.proxy_host) return { well: [`${name} is reached through a proxy: not looked at`], findings: [] };
  const problem = await reach(runtime, { ...master, transport: String(opts.transport), timeoutMs });
  if (problem !== undefined) {
    const remedy = "is master right, does it run, and do firewalls let its two ports through (4505, 4506)?";
    return { well: [], findings: [wrong(`master ${name}: ${problem}`, remedy)] };
  }
  const trouble = hasKey ? await signIn(runtime, opts, master, timeoutMs) : undefined;
  if (trouble !== undefined) {
    return { well: [`master ${name} answers`], findings: [wrong(`master ${name} does not let it in: ${trouble}`)] };
  }
  return { well: [hasKey ? `master ${name} lets it in` : `master ${name} answers`], findings: [] };
}

/** Signs in as this minion. @returns why that failed; undefined if it did not */
async function signIn(
  runtime: Runtime,
  opts: MinionOpts,
  master: MasterAddress,
  timeoutMs: number,
): Promise<string | undefined> {
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
  const waited = new AbortController();
  try {
    return await Promise.race([
      connection.signIn().then(() => undefined),
      runtime.clock.sleep(timeoutMs, waited.signal).then(() => connection.trouble ?? "it did not answer in time"),
    ]);
  } catch (error) {
    return messageOf(error);
  } finally {
    waited.abort();
    await connection.close();
  }
}
