/** Rounds in which all minions of a process ask for something at once: pillar, or what a highstate needs. */
import { RequestClient } from "../../src/protocol/channel/req_client.ts";
import { messageOf } from "../../src/base/errors.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { SwarmPart } from "./part.ts";
import type { SimulatedMinion } from "./simulated_minion.ts";

const ONCE = { timeoutMs: 600_000, tries: 1 };

/** Kinds of custom modules that real Salt's minion looks for before a highstate. */
const SYNCED = 18;

interface Asking {
  id: string;
  requests: RequestClient;
}

/** How long all took, and for how many it failed. */
export interface RoundTook {
  ms: number;
  failed: number;
}

/** Grains of a minion on a small machine: about forty names. */
function grainsOf(id: string): Record<string, unknown> {
  const plain = Array.from({ length: 30 }, (_, at) => [`grain_${at}`, `value ${at} of a grain of usual length`]);
  return {
    ...Object.fromEntries(plain),
    id,
    os: "Debian",
    os_family: "Debian",
    osrelease: "12",
    kernel: "Linux",
    roles: ["web", "cache"],
    ipv4: ["10.0.0.7", "127.0.0.1"],
    ip4_interfaces: { eth0: ["10.0.0.7"], lo: ["127.0.0.1"] },
  };
}

async function askPillar({ id, requests }: Asking): Promise<Record<string, unknown>> {
  const load = {
    cmd: "_pillar",
    grains: grainsOf(id),
    saltenv: null,
    pillarenv: null,
    pillar_override: {},
    extra_minion_data: {},
    ver: "2",
  };
  return await requests.sendPrivate(load, ONCE) as Record<string, unknown>;
}

/**
 * Sends what real Salt's minion sends during a highstate, in its order: pillar, the master's options, the top file, custom modules of
 * each kind, then each file: its hash and its mode, and its content if that is not cached.
 *
 * @returns the number of requests
 */
async function highstate(minion: Asking, files: readonly string[], withContents: boolean): Promise<number> {
  let sent = 1;
  const ask = async (load: Record<string, unknown>) => {
    sent++;
    return await minion.requests.send({ id: minion.id, ...load }, ONCE) as Record<string, unknown>;
  };
  const file = async (path: string) => {
    const { hsum } = await ask({ cmd: "_file_hash", path, saltenv: "base" });
    if (typeof hsum !== "string") throw new Error(`The master has no ${path}`);
    await ask({ cmd: "_file_find", path, saltenv: "base" });
    if (!withContents) return;
    const { data } = await ask({ cmd: "_serve_file", path, saltenv: "base", loc: 0, gzip: null });
    if (data === undefined) throw new Error(`The master sends nothing of ${path}`);
  };
  await askPillar(minion);
  await ask({ cmd: "_master_opts" });
  await ask({ cmd: "_file_envs" });
  await file("top.sls");
  await ask({ cmd: "_master_tops", opts: { id: minion.id, grains: grainsOf(minion.id) } });
  for (let kind = 0; kind < SYNCED; kind++) await ask({ cmd: "_file_list", saltenv: "base", prefix: "_modules" });
  await ask({ cmd: "_file_list", saltenv: "base", prefix: "" });
  for (const path of files) await file(path);
  return sent;
}

/** Rounds over the minions of a process, which have judged their sign-in. */
export class Rounds {
  readonly #minions: readonly Asking[];

  constructor({ runtime, minions }: SwarmPart) {
    this.#minions = minions.map((minion: SimulatedMinion) => ({
      id: minion.id,
      requests: new RequestClient({
        crypto: runtime.crypto,
        clock: runtime.clock,
        log: silentLogger,
        auth: minion.auth,
        identity: minion.identity,
        exchange: (bytes, { timeoutMs }) => minion.exchange(bytes, timeoutMs),
        signIn: () => Promise.reject(new Error(`The master no longer knows the session of ${minion.id}`)),
      }),
    }));
  }

  async #allAtOnce(work: (minion: Asking) => Promise<void>): Promise<RoundTook> {
    let failed = 0;
    const began = performance.now();
    await Promise.all(this.#minions.map(async (minion) => {
      try {
        await work(minion);
      } catch (error) {
        if (failed++ === 0) console.error(`${minion.id}: ${messageOf(error)}`);
      }
    }));
    return { ms: performance.now() - began, failed };
  }

  /** All ask for their pillar; `keys` is how many names are at the top of the last. */
  async pillar(): Promise<RoundTook & { keys: number }> {
    let keys = 0;
    const took = await this.#allAtOnce(async (minion) => {
      keys = Object.keys(await askPillar(minion)).length;
    });
    return { ...took, keys };
  }

  /** All ask for what a highstate needs; `requests` is how many each of them sent. */
  async highstate(files: readonly string[], withContents: boolean): Promise<RoundTook & { requests: number }> {
    let requests = 0;
    const took = await this.#allAtOnce(async (minion) => {
      requests = await highstate(minion, files, withContents);
    });
    return { ...took, requests };
  }
}
