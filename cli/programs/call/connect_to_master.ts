/** Which of its masters `salt-call` asks: the first that lets it in. */
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

/** How long a connection may take while there are other masters to try. */
const REACH_MS = 3000;
/** How long signing in may take while there are other masters to try. */
const NEXT_SECONDS = 15;

/** A master that has let us in. */
export interface CalledMaster {
  connection: MasterConnection;
  pillar: Record<string, unknown>;
}

/**
 * Signs in as this host's minion, to one master after the other until one lets us in, and fetches the pillar. The option
 * `master` names that one from then on.
 *
 * @throws {Exit} or the error of the last one, if none accepted
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
      // Behind a proxy there is nothing to look at.
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

/** @throws {SystemError} if nothing accepts a connection there */
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
  // Before a minion first ran here there are no directories.
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
