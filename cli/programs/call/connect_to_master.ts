/** Chooses the master for `salt-call`: the first that accepts this host. */
import { within } from "../../../src/base/async/within.ts";
import { loadPair } from "../../../src/protocol/channel/key_pair.ts";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { type MasterAddress, printMaster } from "../../../src/host/minion/master_address.ts";
import { MasterConnection } from "../../../src/host/minion/connection.ts";
import { masterPlan } from "../../../src/host/minion/master_plan.ts";
import { pillarOf, pillarRecord, pillarRequest } from "../../../src/host/minion/pillar.ts";
import { openTransport } from "../../../src/protocol/transport/open_transport.ts";
import { Exit } from "../../program/exit.ts";
import type { CallProgram } from "../../program/context.ts";

/** Milliseconds that a connection may take if there are other masters to try. */
const REACH_MS = 3000;
/** Seconds that authentication may take if there are other masters to try. */
const NEXT_SECONDS = 15;

export interface CalledMaster {
  connection: MasterConnection;
  pillar: Record<string, unknown>;
}

/**
 * Authenticates as this host's minion with one master after another until one accepts it, and fetches the pillar. The option
 * `master` is then set to that master.
 *
 * @throws {Exit}, or the error of the last master, if none has accepted this host
 * @see salt/minion.py MinionBase.eval_master
 */
export async function connectToMaster(
  context: CallProgram,
  opts: MinionOpts,
  grains: Record<string, unknown>,
): Promise<CalledMaster> {
  const { runtime, log, options } = context;
  const { masters } = masterPlan(opts, runtime.random);
  const most = Number(options.auth_timeout ?? 60);
  for (const [index, master] of masters.entries()) {
    const isLast = index === masters.length - 1;
    try {
      // Behind a proxy the master's port cannot be tested.
      if (!isLast && !opts.proxy_host) await reach(context, master);
      const found = await signIn(context, opts, grains, master, isLast ? most : Math.min(most, NEXT_SECONDS));
      if (masters.length > 1) opts.master = printMaster(master);
      return found;
    } catch (error) {
      if (isLast) throw error;
      log.warning("cannot sign in to the master: trying the next one", {
        master: printMaster(master),
        reason: messageOf(error),
      });
    }
  }
  throw new Exit(1, "No master is configured: set the option master, or give --master");
}

/** @throws {SystemError} if nothing accepts a connection at the address */
async function reach({ runtime }: CallProgram, { host, port }: MasterAddress): Promise<void> {
  (await runtime.net.dial({ kind: "tcp", host, port }, { timeoutMs: REACH_MS })).destroy();
}

async function signIn(
  { runtime, log }: CallProgram,
  opts: MinionOpts,
  grains: Record<string, unknown>,
  master: MasterAddress,
  seconds: number,
): Promise<CalledMaster> {
  // Before the first start of a minion the directory is missing.
  runtime.fs.mkdir(opts.pki_dir, 0o700);
  const pair = await loadPair(runtime, log, { pkiDir: opts.pki_dir, name: "minion", keySize: opts.keysize });
  const connection = new MasterConnection({
    runtime,
    opts,
    log,
    identity: { id: opts.id, ...pair },
    sockets: openTransport({ runtime, log, opts }),
    master,
    onPublication: () => {},
  });
  try {
    await within(runtime.clock, seconds * 1000, undefined, connection.signIn(), () => {
      const why = connection.trouble ?? `${connection.address} did not answer`;
      throw new Exit(1, `Could not sign in to the master within ${seconds} seconds: ${why}`);
    });
    const pillar = pillarRecord(pillarOf(await connection.requests.sendPrivate(pillarRequest(grains, opts))));
    return { connection, pillar };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
