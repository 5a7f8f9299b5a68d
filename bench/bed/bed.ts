/** Daemons of Brine and of real Salt to measure: in a temporary directory, on free loopback ports, removed at the end. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Daemon } from "./daemon.ts";
import { bedDirectory, daemonDirectory, ownUser } from "./daemon_directory.ts";
import { accepts, freePort } from "./ports.ts";
import type { Side } from "./sides.ts";
import { until } from "./until.ts";

/** A temporary directory with one master and its minions. */
export class Bed {
  readonly directory: string;
  readonly #daemons: Daemon[] = [];
  publishPort = 0;
  requestPort = 0;

  constructor() {
    this.directory = bedDirectory("bench");
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  /** The configuration directory of a daemon. */
  config(folder: string): string {
    return this.path(folder, "etc");
  }

  /** Options for a client of the master. */
  get clientOptions(): { interface: string; ret_port: number; sock_dir: string; cachedir: string; user: string } {
    return {
      interface: "127.0.0.1",
      ret_port: this.requestPort,
      sock_dir: this.path("master", "run"),
      cachedir: this.path("master", "cache"),
      user: ownUser(),
    };
  }

  #write(program: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    const settings = { ...daemonDirectory(this.path(folder)), ...more };
    // In the form that operators write: the client parses it at every start.
    const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    writeFileSync(path.join(this.config(folder), program), `# ${program}\n${lines.join("\n")}\n`);
  }

  /** Runs a program until {@link Bed.stop}. */
  run(argv: readonly string[], output?: string): Daemon {
    const daemon = new Daemon(argv, output);
    this.#daemons.push(daemon);
    return daemon;
  }

  /** Starts a master with Salt's defaults and `auto_accept`; resolves once it takes requests. */
  async startMaster(side: Side, more: Record<string, unknown> = {}): Promise<Daemon> {
    [this.publishPort, this.requestPort] = [await freePort(), await freePort()];
    this.#write("master", "master", {
      interface: "127.0.0.1",
      publish_port: this.publishPort,
      ret_port: this.requestPort,
      auto_accept: true,
      key_logfile: this.path("master", "key.log"),
      ...more,
    });
    const daemon = this.run([...side.command("salt-master"), "-c", this.config("master")], this.path("master", "out"));
    await this.until(
      daemon,
      "the master takes requests",
      async () => await accepts(this.requestPort) && existsSync(this.path("master", "run", "master_event_pub.ipc")),
    );
    return daemon;
  }

  /** Starts a minion; the caller has to wait until it has signed in. */
  startMinion(side: Side, id: string, more: Record<string, unknown> = {}): Daemon {
    this.#write("minion", id, { id, master: "127.0.0.1", master_port: this.requestPort, ...more });
    return this.run([...side.command("salt-minion"), "-c", this.config(id)], this.path(id, "out"));
  }

  /** Waits until a condition holds; fails at once when the daemon ends. */
  async until(daemon: Daemon, what: string, met: () => boolean | Promise<boolean>, timeoutMs = 90_000): Promise<void> {
    await until(what, met, {
      timeoutMs,
      check: () => {
        if (daemon.ended !== undefined) throw new Error(`The daemon ended (${daemon.ended}) before ${what}`);
      },
    }).catch((error) => {
      throw new Error(`${error.message}\n${daemon.tail()}`);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#daemons.splice(0).reverse().map((daemon) => daemon.stop()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
