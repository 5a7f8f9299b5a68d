/** Two masters on addresses of their own, and minions that serve both of them or one: each Brine's or real Salt's. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { freePort } from "../../bench/bed/ports.ts";
import { type CommandResult, runCommand } from "../../bench/bed/run_command.ts";
import { until } from "../../bench/bed/until.ts";
import { OWN_BUS } from "../../src/model/event/bus.ts";
import { type BusListener, listenBus } from "../../src/model/event/bus_client.ts";
import { nodeNet } from "../../src/runtime/node/net.ts";
import { commandOf, configureDaemon, Daemon } from "./daemon.ts";
import type { Kind } from "./release.ts";

/** Real Salt's minions know their masters by address alone, without the port. */
const HOSTS = ["127.0.0.1", "127.0.0.2"] as const;
const READY_MS = 90_000;

/** One of the masters: its process, and which minions have told it that they started. */
class Master {
  readonly name: string;
  readonly #site: TwoMasters;
  #daemon: Daemon | undefined;
  #bus: BusListener | undefined;
  readonly #starts = new Map<string, number>();

  constructor(site: TwoMasters, name: string) {
    this.#site = site;
    this.name = name;
  }

  async start(): Promise<void> {
    const { masters: kind } = this.#site.plan;
    const { name } = this;
    this.#daemon = this.#site.spawn(kind, "salt-master", name);
    const socket = kind === "brine" ? OWN_BUS : "master_event_pub.ipc";
    await this.#site.until(`the event bus of ${name} is there`, async () => {
      this.#bus = await listenBus(
        nodeNet(),
        { kind: "unix", path: this.#site.path(name, "run", socket) },
        ({ tag }) => {
          const [, id] = /^salt\/minion\/([^/]+)\/start$/.exec(tag) ?? [];
          if (id !== undefined) this.#starts.set(id, this.starts(id) + 1);
        },
      ).catch(() => undefined);
      return this.#bus !== undefined;
    });
  }

  /** How often a minion has told it that it started. */
  starts(id: string): number {
    return this.#starts.get(id) ?? 0;
  }

  /** Kills it as the kernel does when memory is short. */
  async kill(): Promise<void> {
    this.#bus?.close();
    const daemon = this.#daemon!;
    this.#daemon = undefined;
    daemon.signal("SIGKILL");
    await daemon.exited;
  }

  /** Runs `salt` of its own kind against it. */
  salt(...words: string[]): Promise<CommandResult> {
    return runCommand([
      ...commandOf(this.#site.plan.masters, "salt"),
      "-c",
      this.#site.path(this.name, "etc"),
      ...words,
    ]);
  }

  /** Repeats a ping of some minions until all of them answer, and no other. */
  async reaches(...ids: string[]): Promise<void> {
    let last: CommandResult | undefined;
    await this.#site.until(`${this.name} reaches ${ids}`, async () => {
      last = await this.salt("-t", "3", "-L", ids.join(","), "test.ping", "--static", "--out=json");
      return last.code === 0 && ids.every((id) => last!.stdout.includes(`"${id}": true`));
    });
  }

  /**
   * Repeats a ping of a minion until nobody answers. A minion that fails over may have been here while the other master was too
   * busy to sign it in; it goes back by itself.
   */
  async misses(id: string): Promise<void> {
    await this.#site.until(`${this.name} does not reach ${id}`, async () => {
      const { stdout } = await this.salt("-t", "3", "-L", id, "test.ping", "--static", "--out=json");
      return !stdout.includes(`"${id}": true`);
    });
  }

  async stop(): Promise<void> {
    this.#bus?.close();
    await this.#daemon?.stop(3000);
  }
}

export interface TwoMastersPlan {
  masters: Kind;
  minion: Kind;
}

export class TwoMasters {
  readonly plan: TwoMastersPlan;
  readonly directory: string = bedDirectory("masters");
  readonly first: Master;
  readonly second: Master;
  readonly #daemons: Daemon[] = [];
  keep = process.env.BRINE_INTEROP_KEEP !== undefined;
  #ports = { publish_port: 0, ret_port: 0 };

  constructor(plan: TwoMastersPlan) {
    this.plan = plan;
    this.first = new Master(this, "first");
    this.second = new Master(this, "second");
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    configureDaemon(this.path(folder), name, more);
  }

  spawn(kind: Kind, program: "salt-master" | "salt-minion", folder: string): Daemon {
    const argv = [...commandOf(kind, program), "-c", this.path(folder, "etc")];
    const daemon = new Daemon(`${kind} ${program} ${folder}`, argv, [
      this.path(folder, "out"),
      this.path(folder, "log"),
    ]);
    this.#daemons.push(daemon);
    return daemon;
  }

  /** Starts both masters, with one key, and two minions: `both` serves both masters, `one` fails over between them. */
  async start(): Promise<void> {
    this.#ports = { publish_port: await freePort(), ret_port: await freePort() };
    for (const [at, { name }] of [this.first, this.second].entries()) {
      this.configure("master", name, {
        id: name,
        interface: HOSTS[at],
        ...this.#ports,
        key_logfile: this.path(name, "key.log"),
        auto_accept: true,
        worker_threads: 3,
        loop_interval: 1,
        timeout: 3,
        gather_job_timeout: 3,
      });
    }
    await this.first.start();
    await this.until("the first master has a key", () => existsSync(this.path("first", "pki", "master.pub")));
    mkdirSync(this.path("second", "pki"), { mode: 0o700, recursive: true });
    for (const file of ["master.pem", "master.pub"]) {
      copyFileSync(this.path("first", "pki", file), this.path("second", "pki", file));
    }
    await this.second.start();
    this.#startMinion("both", {});
    this.#startMinion("one", {
      master_type: "failover",
      master_alive_interval: 2,
      master_failback: true,
      master_failback_interval: 2,
      retry_dns: 0,
    });
    const { first, second } = this;
    await this.until(
      "the minions have started",
      () => first.starts("both") > 0 && second.starts("both") > 0 && first.starts("one") > 0,
    );
  }

  #startMinion(id: string, more: Record<string, unknown>): void {
    const { publish_port, ret_port } = this.#ports;
    this.configure("minion", id, {
      id,
      master: HOSTS,
      master_port: ret_port,
      publish_port,
      recon_default: 100,
      recon_max: 200,
      auth_timeout: 3,
      acceptance_wait_time: 1,
      random_reauth_delay: 1,
      enable_gpu_grains: false,
      enable_fqdns_grains: false,
      mine_enabled: false,
      ...more,
    });
    this.spawn(this.plan.minion, "salt-minion", id);
  }

  async until(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
    try {
      await until(what, met, { timeoutMs: READY_MS });
    } catch (error) {
      this.keep = true;
      const logs = this.#daemons.map((daemon) => daemon.tail()).join("");
      throw new Error(`${(error as Error).message}\n${logs}(the directory ${this.directory} is kept)`);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.first.stop(), this.second.stop()]);
    await Promise.all(this.#daemons.map((daemon) => daemon.ended === undefined ? daemon.stop(3000) : undefined));
    if (!this.keep) rmSync(this.directory, { recursive: true, force: true });
  }
}
