/** One run of a simulated world: a fleet, its work, and what befalls it, all of it by a seed. */
import { createLogger, formatText, type Logger, type LogRecord, silentLogger } from "../../src/base/log.ts";
import { messageOf } from "../../src/base/errors.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { MasterNode, MinionNode } from "./fleet.ts";
import { HEALTHY, Host } from "./hosts.ts";
import { FAIR, Network, type Weather } from "./network.ts";
import { Servers } from "./servers.ts";
import { type Finding, Witness } from "./witness.ts";
import { World } from "./world.ts";

/** What came of a run. */
export interface Result {
  seed: number;
  /** Nothing, if all promises were kept. */
  findings: Finding[];
  /** The same for every run of the seed. */
  trace: number;
  steps: number;
  /** Milliseconds of the world. */
  tookMs: number;
  /** How often what happened. */
  counts: { [what: string]: number };
}

export interface SimulateOptions {
  /** The masters are one cluster. @default one master, or two that know nothing of each other */
  cluster?: boolean;
  /** Gets all that masters and minions log. @default nobody */
  onLog?(line: string): void;
}

/** Kinds of trouble: a seed has some of them. */
const TROUBLES = ["kill", "power", "partition", "weather", "clock", "disk"] as const;
/** That of a cluster, too: its masters cannot reach what they share. */
const CLUSTER_TROUBLES = [...TROUBLES, "servers"] as const;
type Trouble = typeof CLUSTER_TROUBLES[number];

/** Milliseconds of trouble. */
const TROUBLED_MS = { least: 20_000, most: 120_000 };
/** Milliseconds after the mending in which everything must have ended. */
const MENDED_MS = 3_600_000;
/** Milliseconds in which everybody notices who is gone, and a client gets its answer. */
const QUIET_MS = 30_000;
/** In which queued jobs run whose minions are there: a master that is gone is replaced in between. */
const RUN_MS = 120_000;
/** The mean pause between two happenings. */
const PAUSE_MS = 2500;

/** Runs one seed to its end. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Result> {
  return await new Simulation(seed, options).run();
}

class Simulation {
  readonly #world: World;
  readonly #network: Network;
  readonly #witness: Witness;
  readonly #log: Logger;
  readonly #options: SimulateOptions;
  readonly #counts: { [what: string]: number } = {};
  #masters: MasterNode[] = [];
  #minions: MinionNode[] = [];
  #hosts: Host[] = [];
  #troubles = new Set<Trouble>();
  #over = false;
  /** Host → the farthest that its clock was ever ahead of the world's. */
  readonly #latestMs = new Map<Host, number>();
  #tokens = 0;
  readonly #servers: Servers | undefined;

  constructor(seed: number, options: SimulateOptions) {
    this.#world = new World(seed);
    this.#network = new Network(this.#world);
    this.#witness = new Witness(() => this.#world.now);
    this.#options = options;
    this.#servers = options.cluster ? new Servers(this.#world) : undefined;
    const { onLog } = options;
    this.#log = onLog === undefined
      ? silentLogger
      : createLogger((record: LogRecord) => onLog(`${this.#world.now} ${formatText(record)}`), "all");
  }

  async run(): Promise<Result> {
    const { seed } = this.#world;
    const began = this.#world.now;
    await this.#build();
    for (const node of [...this.#masters, ...this.#minions]) this.#start(node);
    this.#plan();
    const { least, most } = TROUBLED_MS;
    await this.#world.run(() => false, least + this.#world.below(most - least));
    this.#mend();
    const over = () => this.#ended();
    const ended = await this.#world.run(over, MENDED_MS + this.#setBackMs);
    const findings = ended ? await this.#queueForAll() : [];
    findings.push(...await this.#findings(ended));
    const { trace, steps, now } = this.#world;
    return { seed, findings, trace, steps, tookMs: now - began, counts: this.#counts };
  }

  /** Hosts, masters and minions of this seed. */
  async #build(): Promise<void> {
    const world = this.#world;
    const crypto = {
      ...(await currentRuntime()).crypto,
      randomBytes: (length: number) => Uint8Array.from({ length }, () => world.below(256)),
    };
    const host = (address: string) => {
      const made = new Host(address, world, this.#network, crypto);
      this.#hosts.push(made);
      return made;
    };
    const ids = Array.from({ length: 1 + world.below(4) }, (_, at) => `web${at + 1}`);
    const servers = this.#servers;
    const count = servers === undefined ? world.chance(0.2) ? 2 : 1 : 2 + world.below(2);
    const masters = Array.from({ length: count }, (_, at) => `10.0.0.${at + 1}`);
    const hurried = world.chance(0.5);
    const options = {
      world,
      witness: this.#witness,
      log: this.#log,
      master: hurried ? { job_lost_after: 10, job_delivery_timeout: 15 } : {},
      minion: {
        ...(world.chance(0.3) ? { process_count_max: 1 } : {}),
        // Those that are connected to one master change it whenever that is gone.
        ...(servers !== undefined && world.chance(0.7) ? { master_type: "failover" } : {}),
      },
      ...(servers === undefined ? {} : { servers }),
    };
    this.#masters = masters.map((address) => new MasterNode(host(address), ids, options));
    this.#minions = ids.map((id, at) => new MinionNode(id, host(`10.0.1.${at + 1}`), masters, options));
    for (const trouble of servers === undefined ? TROUBLES : CLUSTER_TROUBLES) {
      if (world.chance(0.5)) this.#troubles.add(trouble);
    }
    this.#say(`masters ${masters.length}, minions ${ids.length}, troubles: ${[...this.#troubles].join(" ")}`);
  }

  #say(what: string): void {
    this.#options.onLog?.(`${this.#world.now} === ${what}`);
  }

  /** How far a master's clock lies behind the latest time that it has shown: queued jobs of before are kept so much longer. */
  get #setBackMs(): number {
    return Math.max(...this.#masters.map(({ host }) => (this.#latestMs.get(host) ?? 0) - host.clockShiftMs), 0);
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }

  /** Starts a node; one that cannot start, on a full disk, is started again as by systemd. */
  #start(node: MasterNode | MinionNode): void {
    node.start().catch((error) => {
      this.#say(`${nameOf(node)} did not start: ${messageOf(error)}`);
      node.kill();
      this.#world.after(1000, undefined, () => {
        if (!node.up) this.#start(node);
      });
    });
  }

  /** Work and trouble, until the world is mended. */
  #plan(): void {
    const world = this.#world;
    const again = (meanMs: number, happen: () => void) => {
      const next = () =>
        world.after(-Math.log(1 - world.random()) * meanMs, undefined, () => {
          if (this.#over) return;
          happen();
          next();
        });
      next();
    };
    again(PAUSE_MS, () => this.#publish(world.pick(this.#masters)));
    for (const trouble of this.#troubles) again(PAUSE_MS * 3, () => this.#trouble(trouble));
  }

  /** A client asks for a job. */
  #publish(node: MasterNode): void {
    const world = this.#world;
    if (!node.ready) return;
    const ids = node.minions;
    const one = world.pick(ids);
    const targets = world.chance(0.5) ? [one] : ids;
    const ms = world.chance(0.5) ? 0 : world.below(8000);
    void this.#ask(node, targets, ms, world.chance(0.4) ? 5 + world.below(world.chance(0.5) ? 40 : 600) : undefined);
  }

  /** @returns its token and jid once it is acknowledged; undefined if that failed */
  async #ask(
    node: MasterNode,
    targets: readonly string[],
    ms: number,
    queue: number | undefined,
  ): Promise<{ token: string; jid: string } | undefined> {
    const token = `t${++this.#tokens}`;
    const acknowledged = this.#witness.ask(node.keeper, token, targets);
    this.#count("jobs asked for");
    const presence = node.master?.services.presence;
    const away = queue === undefined ? [] : targets.filter((id) => presence?.connected(id) === false);
    try {
      const published = await node.client!.publish({
        tgt: targets.length === 1 ? targets[0]! : "*",
        fun: "probe.mark",
        arg: [token, ms],
        ...(queue === undefined ? {} : { queue }),
      });
      if (published === undefined) return undefined;
      const { jid, minions } = published;
      this.#count("jobs acknowledged");
      this.#say(`${token} is ${jid}`);
      acknowledged(jid, minions);
      for (const id of away) if (presence?.connected(id) === false) this.#witness.queued(id, token);
      return { token, jid };
    } catch (error) {
      this.#say(`${token}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /**
   * When all is well: jobs are queued for minions that are away, at any masters. A master of a cluster may end then. The minions come back: each job
   * runs, in order, to its end.
   */
  async #queueForAll(): Promise<Finding[]> {
    const world = this.#world;
    const pass = (ms: number) => world.run(() => false, ms);
    const minions = this.#minions;
    await pass(QUIET_MS);
    for (const minion of minions) minion.kill();
    await pass(QUIET_MS);
    const jobs: { token: string; jid: string; keeper: string }[] = [];
    for (let count = 2 + world.below(3); count > 0; count--) {
      const node = world.pick(this.#masters);
      let over = false;
      const asking = this.#ask(node, node.minions, world.below(1500), 3600);
      void asking.finally(() => over = true);
      await world.run(() => over, QUIET_MS);
      const job = over ? await asking : undefined;
      if (job !== undefined) jobs.push({ ...job, keeper: node.keeper });
    }
    const gone = this.#servers !== undefined && world.chance(0.5) ? world.pick(this.#masters) : undefined;
    if (gone !== undefined) this.#say(`kill: ${gone.name}, for good`);
    gone?.kill();
    for (const minion of minions) world.after(world.random() * 10_000, undefined, () => this.#start(minion));
    this.#say(`${jobs.length} jobs are queued, the minions come back`);
    const missing = () =>
      minions.flatMap(({ id }) =>
        jobs.filter(({ token }) => !this.#witness.hasEnded(id, token)).map((job) => ({ ...job, id }))
      );
    await world.run(() => missing().length === 0, RUN_MS);
    const stuck = missing().map(({ token, jid, id }): Finding => ({
      kind: "stuck",
      token,
      jid,
      minion: id,
      why: "it is queued, its minion is there, and it does not run",
    }));
    this.#count("queued jobs");
    const sorted = jobs.sort((a, b) => a.jid < b.jid ? -1 : 1);
    for (const keeper of new Set(jobs.map(({ keeper }) => keeper))) {
      const tokens = sorted.filter((job) => job.keeper === keeper).map(({ token }) => token);
      // Jobs of a master that is gone come when another has taken them over.
      if (gone === undefined) { for (const { id } of minions) this.#witness.checkOrder(id, tokens); }
    }
    if (gone !== undefined) this.#start(gone);
    if (stuck.length === 0) await world.run(() => this.#ended(), MENDED_MS);
    return stuck;
  }

  #trouble(trouble: Trouble): void {
    const world = this.#world;
    this.#count(trouble);
    const for_ = (ms: number, mend: () => void) => void world.after(world.random() * ms, undefined, mend);
    if (trouble === "kill" || trouble === "power") return this.#fell(trouble);
    if (trouble === "partition") {
      const [a, b] = [world.pick(this.#masters).host.address, world.pick(this.#minions).host.address];
      this.#say(`${a} and ${b} are apart`);
      this.#network.partition(a, b);
      return for_(90_000, () => this.#network.heal(a, b));
    }
    if (trouble === "weather") {
      const bad = (): number => world.chance(0.5) ? 0 : world.random() * 0.2;
      const weather: Weather = {
        delayMs: 1 + world.below(800),
        lose: bad(),
        repeat: bad(),
        swap: bad(),
        reset: bad() / 4,
      };
      this.#say(`weather ${JSON.stringify(weather)}`);
      this.#network.weather = weather;
      return for_(20_000, () => this.#network.weather = FAIR);
    }
    if (trouble === "servers") {
      const server = world.chance(0.5) ? "storage" : "bus";
      const hosts = (world.chance(0.3) ? this.#masters : [world.pick(this.#masters)]).map(({ host }) => host.address);
      this.#say(`${server} is cut off from ${hosts.join(" ")}`);
      for (const host of hosts) this.#servers!.cut(server, host);
      return for_(20_000, () => {
        for (const host of hosts) this.#servers!.cut(server, host, false);
      });
    }
    // What a master has acknowledged is the most that a disk can lose.
    const any = world.chance(0.5) ? world.pick(this.#masters).host : world.pick(this.#hosts);
    // The clocks of a cluster's masters have to be kept together.
    const host = trouble === "clock" && this.#servers !== undefined ? world.pick(this.#minions).host : any;
    if (trouble === "clock") {
      host.clockShiftMs += (world.random() - 0.5) * (world.chance(0.2) ? 7_200_000 : 20_000);
      this.#latestMs.set(host, Math.max(this.#latestMs.get(host) ?? 0, host.clockShiftMs));
      this.#say(`clock of ${host.address} is ${Math.round(host.clockShiftMs)} ms ahead`);
      return;
    }
    host.disk = { syncMs: world.below(2000), full: world.chance(0.3), syncFails: world.chance(0.3) ? 0.3 : 0 };
    this.#say(`disk of ${host.address}: ${JSON.stringify(host.disk)}`);
    for_(40_000, () => host.disk = HEALTHY);
  }

  /** A process or a host ends, and comes back. */
  #fell(how: "kill" | "power"): void {
    const world = this.#world;
    const node = world.pick<MasterNode | MinionNode>([...this.#masters, ...this.#minions]);
    if (!node.up) return;
    this.#say(`${how}: ${nameOf(node)}`);
    if (how === "kill") node.kill();
    else node.cutPower();
    world.after(world.random() * (world.chance(0.2) ? 60_000 : 5000), undefined, () => {
      // Who is not up when the world is mended is started then.
      if (node.up || this.#over) return;
      node.host.light();
      this.#start(node);
    });
  }

  /** From here on all is well. */
  #mend(): void {
    this.#say("mended");
    this.#over = true;
    this.#network.weather = FAIR;
    for (const host of this.#hosts) {
      host.disk = HEALTHY;
      host.light();
    }
    this.#network.healAll();
    this.#servers?.healAll();
    for (const node of [...this.#masters, ...this.#minions]) if (!node.up) this.#start(node);
  }

  #ended(): boolean {
    return this.#masters.every(({ ready, master }) => ready && master!.services.ledger.size === 0);
  }

  async #findings(ended: boolean): Promise<Finding[]> {
    const findings: Finding[] = [];
    // Returns that were being sent when the last job closed arrive still.
    await this.#world.run(() => false, 120_000);
    for (const { name, master } of this.#masters) {
      const size = master?.services.ledger.size;
      if (!ended) {
        findings.push({ kind: "stuck", token: "", jid: undefined, minion: name, why: `${size} jobs are open` });
      }
    }
    const keepers = new Map(this.#masters.map(({ keeper, jobs }) => [keeper, jobs!]));
    for (const [keeper, jobs] of keepers) findings.push(...await this.#witness.check(keeper, jobs));
    return findings;
  }
}

function nameOf(node: MasterNode | MinionNode): string {
  return node instanceof MasterNode ? node.name : node.id;
}
