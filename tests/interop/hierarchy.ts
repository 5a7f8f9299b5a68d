/** A master of masters, a syndic and a master below it with minions, each Brine's or real Salt's, on free loopback ports. */
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { accepts, freePort } from "../../bench/bed/ports.ts";
import { type CommandResult, runCommand } from "../../bench/bed/run_command.ts";
import { until } from "../../bench/bed/until.ts";
import { commandOf, configureDaemon, Daemon } from "./daemon.ts";
import type { Kind } from "./release.ts";

export interface HierarchyPlan {
  /** The master of masters. */
  top: Kind;
  /** The syndic, and the master beside it. */
  syndic: Kind;
  lower: Kind;
  /** Minions of the lower master, by their ids. */
  minions: Readonly<Record<string, Kind>>;
}

export const SYNDIC_ID = "synd";
const READY_MS = 90_000;

export class Hierarchy {
  readonly plan: HierarchyPlan;
  readonly directory = bedDirectory("interop");
  readonly #daemons: Daemon[] = [];
  /** Set by a failure: the directory is kept for inspection. */
  keep = process.env.BRINE_INTEROP_KEEP !== undefined;

  constructor(plan: HierarchyPlan) {
    this.plan = plan;
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  #configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    configureDaemon(this.path(folder), name, more);
  }

  #spawn(kind: Kind, program: string, folder: string, log = "log"): Daemon {
    const argv = [...commandOf(kind, program), "-c", this.path(folder, "etc")];
    const logs = [this.path(folder, `out-${program}`), this.path(folder, log)];
    const daemon = new Daemon(`${kind} ${program} (${folder})`, argv, logs);
    this.#daemons.push(daemon);
    return daemon;
  }

  async #startMaster(
    kind: Kind,
    folder: string,
    more: Record<string, unknown>,
  ): Promise<{ publishPort: number; requestPort: number }> {
    const [publishPort, requestPort] = [await freePort(), await freePort()];
    this.#configure("master", folder, {
      id: folder,
      interface: "127.0.0.1",
      publish_port: publishPort,
      ret_port: requestPort,
      key_logfile: this.path(folder, "key.log"),
      auto_accept: true,
      worker_threads: 3,
      loop_interval: 1,
      timeout: 10,
      gather_job_timeout: 3,
      ...more,
    });
    this.#spawn(kind, "salt-master", folder);
    // A real syndic that finds no bus when it starts never looks again.
    const sockets = ["master_event_pub.ipc", "master_event_pull.ipc"].map((name) => this.path(folder, "run", name));
    await this.until(
      `the master of ${folder} takes requests and events`,
      async () => sockets.every((socket) => existsSync(socket)) && await accepts(requestPort),
    );
    return { publishPort, requestPort };
  }

  #minionOptions(id: string, requestPort: number): Record<string, unknown> {
    return {
      id,
      master: "127.0.0.1",
      master_port: requestPort,
      grains: { role: "low" },
      recon_default: 100,
      recon_max: 200,
      acceptance_wait_time: 1,
      random_reauth_delay: 1,
      enable_gpu_grains: false,
      enable_fqdns_grains: false,
      mine_enabled: false,
    };
  }

  /** Starts all of it; resolves once the minions answer through both masters. */
  async start(): Promise<void> {
    const { top, lower, syndic, minions } = this.plan;
    const above = await this.#startMaster(top, "top", { order_masters: true, syndic_wait: 3 });
    const { requestPort } = await this.#startMaster(lower, "low", {
      syndic_master: "127.0.0.1",
      syndic_master_port: above.requestPort,
      syndic_log_file: this.path("low", "syndic.log"),
      syndic_pidfile: this.path("low", "run", "syndic.pid"),
    });
    for (const [id, kind] of Object.entries(minions)) {
      this.#configure("minion", id, this.#minionOptions(id, requestPort));
      this.#spawn(kind, "salt-minion", id);
    }
    // Of the host of the lower master: its syndic signs in with these keys.
    this.#configure("minion", "low", {
      ...this.#minionOptions(SYNDIC_ID, requestPort),
      // A real syndic takes the local master's otherwise.
      ...(syndic === "brine" ? {} : { publish_port: above.publishPort }),
      pki_dir: this.path("low", "pki-syndic"),
    });
    this.#spawn(syndic, "salt-syndic", "low", "syndic.log");
    await this.until("every minion answers through both masters", async () => {
      const { stdout } = await this.salt(["-t", "3", "--static", "--out=json", "*", "test.ping"]);
      return Object.keys(minions).every((id) => stdout.includes(`"${id}": true`));
    });
  }

  /** Runs `salt` of the top against it. */
  salt(words: readonly string[]): Promise<CommandResult> {
    return this.program("salt", words);
  }

  program(program: string, words: readonly string[]): Promise<CommandResult> {
    return runCommand([...commandOf(this.plan.top, program), "-c", this.path("top", "etc"), ...words]);
  }

  /** Waits until a condition holds; fails at once when a daemon ends. */
  async until(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
    const check = () => {
      const gone = this.#daemons.find((daemon) => daemon.ended !== undefined);
      if (gone !== undefined) throw new Error(`${gone.name} ended (${gone.ended}) before ${what}`);
    };
    try {
      await until(what, met, { timeoutMs: READY_MS, check });
    } catch (error) {
      this.keep = true;
      const logs = this.#daemons.map((daemon) => daemon.tail()).join("");
      throw new Error(`${(error as Error).message}\n${logs}(the directory ${this.directory} is kept)`);
    }
  }

  async stop(): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) await daemon.stop(3000);
    if (!this.keep) rmSync(this.directory, { recursive: true, force: true });
  }
}
