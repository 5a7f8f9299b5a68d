/** Masters and minions in a simulated world: started, killed and started again, with jobs that are counted where they run. */
import { clusterOf } from "../../src/host/master/cluster/cluster.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import { MASTER_OPTIONS, type MasterOpts } from "../../src/model/config/master_opts.ts";
import { MINION_OPTIONS, type MinionOpts } from "../../src/model/config/minion_opts.ts";
import type { OptionTable } from "../../src/model/config/option.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { BusEvent } from "../../src/model/event/bus.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import type { Logger } from "../../src/base/log.ts";
import { type MasterWithParts, startMaster } from "../../src/host/master/master.ts";
import { type Minion, startMinion } from "../../src/host/minion/minion.ts";
import { localCache } from "../../src/plugins/job_caches/local_cache.ts";
import { notedFiles, syncedJobCache } from "../../src/plugins/job_caches/noted_files.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { WHEELS } from "../../src/plugins/wheel/mod.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { HEALTHY, type Host } from "./hosts.ts";
import type { Servers } from "./servers.ts";
import { SMALL_PAIRS as PAIRS } from "./small_pairs.ts";
import { CLUSTER, type Witness } from "./witness.ts";
import type { Life, World } from "./world.ts";

const ROOT = "/brine";
/** Ports of every master. */
const PORTS = { publish_port: 4505, ret_port: 4506 };
/** A run that has ended, and lived so long afterwards, has left its return where no death reaches it. */
const SAFE_AFTER_MS = 1000;

export function defaults(table: OptionTable): { [name: string]: unknown } {
  // A copy of each, since nodes may write to their options; most are no objects, and copying those takes longest.
  const copy = (value: unknown) => typeof value === "object" ? structuredClone(value) : value;
  return Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, copy(spec.default)]));
}

function writePair({ fs }: Runtime, base: string, pair: (typeof PAIRS)["master"]): void {
  fs.write(`${base}.pem`, pair.privatePem, { mode: 0o400, sync: true });
  fs.write(`${base}.pub`, pair.publicPem, { mode: 0o644, sync: true });
}

/** What all nodes of a fleet share. */
export interface FleetOptions {
  world: World;
  witness: Witness;
  log: Logger;
  /** Options of the masters and of the minions, as in their configuration. */
  master: { [name: string]: unknown };
  minion: { [name: string]: unknown };
  /** What the masters share if they are one cluster. @default they know nothing of each other */
  servers?: Servers;
}

/** A master and its client, on a host of their own. */
export class MasterNode {
  readonly host: Host;
  readonly #options: FleetOptions;
  readonly #minions: readonly string[];
  #life: Life | undefined;
  #clientLife: Life | undefined;
  master: MasterWithParts | undefined;
  client: LocalClient | undefined;
  jobs: JobCache | undefined;
  #starts = 0;

  /** @param minions ids whose keys are accepted */
  constructor(host: Host, minions: readonly string[], options: FleetOptions) {
    this.host = host;
    this.#minions = minions;
    this.#options = options;
    const { runtime } = host.process();
    const { fs } = runtime;
    fs.mkdir(`${ROOT}/pki/minions`, 0o700);
    fs.mkdir(`${ROOT}/srv`);
    writePair(runtime, `${ROOT}/pki/master`, PAIRS.master);
    for (const id of minions) {
      fs.write(`${ROOT}/pki/minions/${id}`, cleanPem(PAIRS.minion.publicPem), { mode: 0o644, sync: true });
    }
  }

  get name(): string {
    return this.host.address;
  }

  get up(): boolean {
    return this.#life?.alive === true;
  }

  /** True once it answers. */
  get ready(): boolean {
    return this.up && this.client !== undefined;
  }

  /** Whose promises it keeps: masters of a cluster keep them together. */
  get keeper(): string {
    return this.#options.servers === undefined ? this.name : CLUSTER;
  }

  get #opts(): MasterOpts {
    return {
      ...defaults(MASTER_OPTIONS),
      id: this.#options.servers === undefined ? "salt_master" : this.name,
      interface: "0.0.0.0",
      user: "root",
      pki_dir: `${ROOT}/pki`,
      cachedir: `${ROOT}/cache`,
      sock_dir: `${ROOT}/sock`,
      file_roots: { base: [`${ROOT}/srv`] },
      ...PORTS,
      ...this.#options.master,
    } as unknown as MasterOpts;
  }

  async start(): Promise<void> {
    const { log, witness, servers } = this.#options;
    const { life, runtime } = this.host.process();
    this.#life = life;
    this.master = undefined;
    this.client = undefined;
    const listener = `${this.name} ${++this.#starts}`;
    const parts = servers === undefined ? { jobs: this.#openCache(runtime) } : clusterParts(servers, life);
    this.jobs = servers?.jobs ?? parts.jobs;
    const master = await startMaster({
      runtime,
      opts: this.#opts,
      log: log.child(this.name),
      ...parts,
      wheels: WHEELS,
    });
    this.master = master;
    master.services.bus.on(({ bytes }) => {
      const { tag, data } = BusEvent.fromBytes(bytes);
      if (life.alive) witness.event(this.keeper, listener, tag, data);
    });
    await this.#openClient();
  }

  #openCache(runtime: Runtime): JobCache {
    const files = notedFiles(runtime.fs);
    return syncedJobCache(
      localCache({
        fs: files.fs,
        note: files.note,
        crypto: runtime.crypto,
        clock: runtime.clock,
        later: runtime.later,
        cacheDir: `${ROOT}/cache`,
        hashName: "sha256",
      }),
      files,
    );
  }

  async #openClient(): Promise<void> {
    const { life, runtime } = this.host.process();
    this.#clientLife = life;
    const log = this.#options.log.child(`${this.name}.client`);
    this.client = await LocalClient.open({ runtime, log, opts: this.#opts, requestTimeoutMs: 20_000 });
  }

  get #lives(): Life[] {
    return [this.#life, this.#clientLife].filter((life) => life?.alive === true) as Life[];
  }

  kill(): void {
    for (const life of this.#lives) this.host.kill(life);
  }

  cutPower(): void {
    this.host.cutPower(this.#lives);
  }

  get minions(): readonly string[] {
    return this.#minions;
  }
}

function clusterParts(servers: Servers, life: Life) {
  const storage = servers.storage(life);
  const openWire = () => Promise.resolve(servers.wire(life));
  return { jobs: storage.jobs, cluster: clusterOf({ storage, openWire, name: "simulated", leaseSeconds: 5 }) };
}

/** A minion on a host of its own. */
export class MinionNode {
  readonly id: string;
  readonly host: Host;
  readonly #masters: readonly string[];
  readonly #options: FleetOptions;
  #life: Life | undefined;
  minion: Minion | undefined;

  constructor(id: string, host: Host, masters: readonly string[], options: FleetOptions) {
    this.id = id;
    this.host = host;
    this.#masters = masters;
    this.#options = options;
    const { runtime } = host.process();
    runtime.fs.mkdir(`${ROOT}/pki`, 0o700);
    writePair(runtime, `${ROOT}/pki/minion`, PAIRS.minion);
  }

  get up(): boolean {
    return this.#life?.alive === true;
  }

  async start(): Promise<void> {
    const { life, runtime } = this.host.process();
    this.#life = life;
    this.minion = undefined;
    const given: { [name: string]: unknown } = {
      id: this.id,
      master: this.#masters.length === 1 ? this.#masters[0] : this.#masters,
      master_port: PORTS.ret_port,
      pki_dir: `${ROOT}/pki`,
      cachedir: `${ROOT}/cache`,
      sock_dir: `${ROOT}/sock`,
      conf_file: `${ROOT}/minion`,
      random_reauth_delay: 3,
      ...this.#options.minion,
    };
    this.minion = await startMinion({
      runtime,
      opts: { ...defaults(MINION_OPTIONS), ...given } as MinionOpts,
      given: new Set(Object.keys(given)),
      log: this.#options.log.child(this.id),
      modules: { ...MODULES, probe: () => Promise.resolve({ module: this.#probe(life, runtime) }) },
      grains: () => Promise.resolve({ id: this.id, os: "Test" }),
    });
  }

  /** The function whose runs are counted. */
  #probe(life: Life, { clock }: Runtime): ExecutionModule {
    const { world, witness } = this.#options;
    return {
      functions: {
        mark: {
          signature: "token, ms",
          doc: "",
          run: async (_context, { token, ms }) => {
            const ended = witness.ran(this.id, String(token), life);
            await clock.sleep(Number(ms));
            ended();
            const { disk } = this.host;
            world.after(SAFE_AFTER_MS, life, () => {
              // A return that the disk does not take is in memory alone, and the log says so.
              if (disk === HEALTHY && this.host.disk === HEALTHY) witness.finished(this.id, String(token));
            });
            return token;
          },
        },
      },
    };
  }

  kill(): void {
    if (this.#life?.alive) this.host.kill(this.#life);
  }

  cutPower(): void {
    this.host.cutPower(this.#life?.alive ? [this.#life] : []);
  }

  /** Bytes of returns that its master does not have, by its disk. */
  get spooled(): number {
    const { fs } = this.host;
    let bytes = 0;
    for (const directory of spools(fs)) {
      for (const name of fs.list(directory)) bytes += fs.stat(`${directory}/${name}`)?.size ?? 0;
    }
    return bytes;
  }
}

function spools(fs: Host["fs"]): string[] {
  const found = `${ROOT}/cache/returns`;
  return fs.stat(found) === undefined ? [] : [found];
}
