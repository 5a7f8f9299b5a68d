/** A master with its minions, each Brine's or real Salt's, on free loopback ports in a temporary directory. */
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { freePort } from "../../bench/bed/ports.ts";
import { type CommandResult, runCommand } from "../../bench/bed/run_command.ts";
import { until } from "../../bench/bed/until.ts";
import { type BusEvent, OWN_BUS } from "../../src/model/event/bus.ts";
import { type BusListener, listenBus } from "../../src/model/event/bus_client.ts";
import { nodeNet } from "../../src/runtime/node/net.ts";
import { commandOf, configureDaemon, Daemon } from "./daemon.ts";
import type { Kind } from "./release.ts";

/** The programs of a fleet. */
export interface FleetPlan {
  master: Kind;
  minions: readonly Kind[];
  /** Further options of the master; the directory is that of the fleet. */
  masterOptions?(directory: string): Record<string, unknown>;
  /** Further options of every minion. */
  minionOptions?(kind: Kind): Record<string, unknown>;
  /** Publications and requests have one port. */
  onePort?: boolean;
}

/** The id of a minion, by its kind. */
export function idOf(kind: Kind): string {
  return kind === "brine" ? kind : `salt${kind}`;
}

/** Timeouts in the master's configuration, in seconds. Beside other work a real minion takes 20 s to say that a module is not there. */
export const TIMEOUT = 30;
export const GATHER_JOB_TIMEOUT = 3;

const MASTER_ID = "interop";
const READY_MS = 90_000;

export class Fleet {
  readonly master: Kind;
  readonly minions: readonly Kind[];
  readonly directory: string;
  readonly #plan: FleetPlan;
  readonly #minions = new Map<Kind, Daemon>();
  readonly #started = new Map<string, number>();
  #master: Daemon | undefined;
  #bus: BusListener | undefined;
  #rotations = 0;
  /** The returns of scheduled jobs that were on the master's bus, with their tags. */
  readonly scheduled: Record<string, unknown>[] = [];
  /** The events of beacons that were on the master's bus, with their tags. */
  readonly beacons: Record<string, unknown>[] = [];
  /** Set by a failure: the directory is kept for inspection. */
  keep = process.env.BRINE_INTEROP_KEEP !== undefined;

  constructor(plan: FleetPlan) {
    const { master, minions } = plan;
    this.#plan = plan;
    this.master = master;
    this.minions = minions;
    this.directory = bedDirectory("interop");
  }

  get ids(): string[] {
    return this.minions.map(idOf);
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  #configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    configureDaemon(this.path(folder), name, more);
  }

  #spawn(kind: Kind, program: "salt-master" | "salt-minion", folder: string): Daemon {
    const argv = [...commandOf(kind, program), "-c", this.path(folder, "etc")];
    return new Daemon(`${kind} ${program}`, argv, [this.path(folder, "out"), this.path(folder, "log")]);
  }

  /** Starts the fleet; resolves once every minion's start event was on the master's bus. */
  async start(): Promise<void> {
    const requestPort = await freePort();
    const publishPort = this.#plan.onePort === true ? requestPort : await freePort();
    this.#configure("master", "master", {
      id: MASTER_ID,
      interface: "127.0.0.1",
      publish_port: publishPort,
      ret_port: requestPort,
      key_logfile: this.path("master", "key.log"),
      auto_accept: true,
      worker_threads: 3,
      loop_interval: 1,
      timeout: TIMEOUT,
      gather_job_timeout: GATHER_JOB_TIMEOUT,
      nodegroups: { everyone: "G@role:web", first: ["brine"] },
      ...this.#plan.masterOptions?.(this.directory),
    });
    await this.#startMaster();
    for (const kind of this.minions) {
      this.#configure("minion", idOf(kind), {
        id: idOf(kind),
        master: "127.0.0.1",
        master_port: requestPort,
        grains: { role: "web", kind: idOf(kind), tags: ["a", `tag-${kind}`], deep: { er: 1.5 } },
        recon_default: 100,
        recon_max: 200,
        acceptance_wait_time: 1,
        random_reauth_delay: 1,
        enable_gpu_grains: false,
        enable_fqdns_grains: false,
        mine_enabled: false,
        // Ours takes it from the master. So does Salt's, but 3007, once it has lost its master, asks the host for connections
        // to this port, and signs in anew every second for as long as it finds none.
        ...(kind === "brine" ? {} : { publish_port: publishPort }),
        ...this.#plan.minionOptions?.(kind),
      });
      this.#minions.set(kind, this.#spawn(kind, "salt-minion", idOf(kind)));
    }
    await this.until("every minion has started", () => this.ids.every((id) => this.#started.has(id)));
  }

  async #startMaster(): Promise<void> {
    const master = this.#spawn(this.master, "salt-master", "master");
    this.#master = master;
    const net = nodeNet();
    const socket = this.master === "brine" ? OWN_BUS : "master_event_pub.ipc";
    await this.until("the master's event bus is there", async () => {
      this.#bus = await listenBus(
        net,
        { kind: "unix", path: this.path("master", "run", socket) },
        (event) => this.#hear(event),
      ).catch(() => undefined);
      return this.#bus !== undefined;
    });
    // They appear one after the other.
    const sockets = ["master_event_pub.ipc", "master_event_pull.ipc"].map((name) => this.path("master", "run", name));
    await this.until("the master's sockets of events are there", () => sockets.every((path) => existsSync(path)));
  }

  #hear({ tag, data }: BusEvent): void {
    const start = /^salt\/minion\/([^/]+)\/start$/.exec(tag);
    if (start !== null) this.#started.set(start[1]!, (this.#started.get(start[1]!) ?? 0) + 1);
    if (data.schedule !== undefined && tag.startsWith("salt/job/")) this.scheduled.push({ tag, ...data });
    if (tag.startsWith("salt/beacon/")) this.beacons.push({ tag, ...data });
    if (tag === "key" && data.rotate_aes_key === true) this.#rotations++;
  }

  /** How often the master has announced a new AES key. */
  get rotations(): number {
    return this.#rotations;
  }

  /** Waits until a condition holds; fails at once when a daemon ends. */
  async until(what: string, met: () => boolean | Promise<boolean>, timeoutMs = READY_MS): Promise<void> {
    const check = () => {
      const gone = [this.#master, ...this.#minions.values()].find((daemon) => daemon?.ended !== undefined);
      if (gone !== undefined) throw new Error(`${gone.name} ended (${gone.ended}) before ${what}`);
    };
    try {
      await until(what, met, { timeoutMs, check });
    } catch (error) {
      throw new Error(this.report((error as Error).message));
    }
  }

  /** Runs `salt` of a kind against the master. */
  salt(cli: Kind, words: readonly string[], options: { timeoutMs?: number } = {}): Promise<CommandResult> {
    return runCommand([...commandOf(cli, "salt"), "-c", this.path("master", "etc"), ...words], options);
  }

  /** Runs `salt-call` of a minion. */
  call(kind: Kind, words: readonly string[]): Promise<CommandResult> {
    return runCommand([...commandOf(kind, "salt-call"), "-c", this.path(idOf(kind), "etc"), ...words]);
  }

  /** Runs another program against the master's directories. */
  program(kind: Kind, program: string, words: readonly string[]): Promise<CommandResult> {
    return runCommand([...commandOf(kind, program), "-c", this.path("master", "etc"), ...words]);
  }

  /**
   * Asks the master for a new key, as `salt-key` does when a key is deleted. Releases since 3007 want the id of the master
   * in the file, older ones nothing; ours takes either.
   */
  rotateKey(): void {
    const next = this.path("master", "cache", ".dfn-next");
    writeFileSync(next, this.master === "3006" ? "" : MASTER_ID);
    chmodSync(next, 0o400);
    renameSync(next, this.path("master", "cache", ".dfn"));
  }

  /** Restarts the master in the same directory. */
  async restartMaster(): Promise<void> {
    this.#bus?.close();
    const master = this.#master!;
    this.#master = undefined;
    await master.stop();
    await this.#startMaster();
  }

  signalMinion(kind: Kind, signal: NodeJS.Signals): void {
    this.#minions.get(kind)!.signal(signal);
  }

  /** Repeats a ping until every minion answers. */
  async settle(cli: Kind, what: string): Promise<void> {
    await this.until(what, async () => {
      const { code, stdout } = await this.salt(cli, ["-t", "1", "*", "test.ping", "--static", "--out=json"]);
      return code === 0 && this.ids.every((id) => stdout.includes(`"${id}": true`));
    });
  }

  /** The message of a failure with the last lines of all logs. */
  report(message: string): string {
    this.keep = true;
    const logs = [this.#master, ...this.#minions.values()].map((daemon) => daemon?.tail() ?? "").join("");
    return `${message}\n${logs}(the directory ${this.directory} is kept)`;
  }

  async stop(): Promise<void> {
    this.#bus?.close();
    await Promise.all([...this.#minions.values()].map((minion) => minion.stop(3000)));
    await this.#master?.stop(5000);
    if (!this.keep) rmSync(this.directory, { recursive: true, force: true });
  }
}
