/** Two Brine masters as one over real PostgreSQL and NATS, and minions at both: Brine's and real Salt's. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import process from "node:process";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { freePort } from "../../bench/bed/ports.ts";
import { type CommandResult, runCommand } from "../../bench/bed/run_command.ts";
import { until } from "../../bench/bed/until.ts";
import { startNats, startPostgres, type TestServer } from "../support/servers.ts";
import { runsInFile } from "../faults/history.ts";
import { PAIRS } from "../support/start_cluster.ts";
import { commandOf, configureDaemon, Daemon } from "./daemon.ts";
import type { Kind } from "./release.ts";

/** Real Salt's minions know their masters by address alone, without the port. */
export const HOSTS = ["127.0.0.1", "127.0.0.2"] as const;
const BALANCED = "127.0.0.3";
/** Nothing waits so long but on a machine that is very busy. */
const READY_MS = 300_000;

/** How a minion finds its masters. */
export type Way = "failover" | "list" | "balanced";

export interface PlannedMinion {
  id: string;
  kind: Kind;
  way: Way;
}

/** Gives each connection to the next master in turn. */
class Balancer {
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #next = 0;

  async listen(port: number): Promise<void> {
    const server = createServer((client) => this.#serve(client, port, HOSTS.length));
    await new Promise<void>((resolve) => server.listen(port, BALANCED, resolve));
    this.#servers.push(server);
  }

  #serve(client: Socket, port: number, attempts: number): void {
    this.#sockets.add(client);
    const master = connect(port, HOSTS[this.#next++ % HOSTS.length]!);
    this.#sockets.add(master);
    const end = () => {
      client.destroy();
      master.destroy();
      this.#sockets.delete(client);
      this.#sockets.delete(master);
    };
    let isConnected = false;
    master.once("connect", () => {
      isConnected = true;
      client.pipe(master).pipe(client);
    });
    // One that refuses connections is passed over, as a balancer does.
    master.once("error", () => isConnected || attempts <= 1 ? end() : this.#serve(client, port, attempts - 1));
    master.once("close", () => void (isConnected && end()));
    client.once("error", end);
    client.once("close", end);
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

export class ClusterSite implements AsyncDisposable {
  readonly directory: string = bedDirectory("cluster");
  readonly postgres: TestServer;
  readonly nats: TestServer;
  readonly #minions: readonly PlannedMinion[];
  readonly #daemons: Daemon[] = [];
  readonly #masters: (Daemon | undefined)[] = [undefined, undefined];
  readonly #balancer = new Balancer();
  #ports = { publish_port: 0, ret_port: 0 };
  keep = process.env.BRINE_INTEROP_KEEP !== undefined;

  private constructor(minions: readonly PlannedMinion[], postgres: TestServer, nats: TestServer) {
    this.#minions = minions;
    this.postgres = postgres;
    this.nats = nats;
  }

  static async start(minions: readonly PlannedMinion[]): Promise<ClusterSite> {
    const site = new ClusterSite(minions, await startPostgres(), await startNats());
    mkdirSync(site.path("runs"));
    try {
      site.#ports = { publish_port: await freePort(), ret_port: await freePort() };
      for (const at of HOSTS.keys()) site.startMaster(at);
      if (minions.some(({ way }) => way === "balanced")) {
        for (const port of Object.values(site.#ports)) await site.#balancer.listen(port);
      }
      for (const minion of minions) site.#startMinion(minion);
      await site.#signedIn();
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
    return site;
  }

  /** A key that one master has accepted is accepted on the other. */
  async #signedIn(): Promise<void> {
    const folder = (at: number) => this.path(`master${at}`, "pki", "minions");
    await this.until("the keys of all minions are on all masters", () =>
      [...HOSTS.keys()].every((at) => {
        const found = existsSync(folder(at)) ? readdirSync(folder(at)) : [];
        return this.ids.every((id) => found.includes(id));
      }));
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  get ids(): string[] {
    return this.#minions.map(({ id }) => id);
  }

  #configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    configureDaemon(this.path(folder), name, more);
  }

  #spawn(kind: Kind, program: "salt-master" | "salt-minion", folder: string, env: Record<string, string> = {}): Daemon {
    const argv = [...commandOf(kind, program), "-c", this.path(folder, "etc")];
    const daemon = new Daemon(`${kind} ${program} ${folder}`, argv, [
      this.path(folder, "out"),
      this.path(folder, "log"),
    ], env);
    this.#daemons.push(daemon);
    return daemon;
  }

  startMaster(at: number): void {
    const name = `master${at}`;
    this.#configure("master", name, {
      id: name,
      interface: HOSTS[at],
      ...this.#ports,
      auto_accept: true,
      worker_threads: 0,
      loop_interval: 1,
      timeout: 5,
      gather_job_timeout: 3,
      cluster: {
        postgres: `postgres://salt@127.0.0.1:${this.postgres.port}/postgres`,
        nats: `nats://127.0.0.1:${this.nats.port}`,
        lease_seconds: 3,
      },
    });
    mkdirSync(this.path(name, "pki"), { mode: 0o700, recursive: true });
    writeFileSync(this.path(name, "pki", "master.pem"), PAIRS.master.privatePem, { mode: 0o400 });
    writeFileSync(this.path(name, "pki", "master.pub"), PAIRS.master.publicPem);
    this.#masters[at] = this.#spawn("brine", "salt-master", name);
  }

  /** Kills it as the kernel does when memory is short. */
  async killMaster(at: number): Promise<void> {
    const daemon = this.#masters[at]!;
    this.#masters[at] = undefined;
    daemon.signal("SIGKILL");
    await daemon.exited;
  }

  #startMinion({ id, kind, way }: PlannedMinion): void {
    this.#configure("minion", id, {
      id,
      master: way === "balanced" ? BALANCED : HOSTS,
      ...(way === "failover" ? { master_type: "failover", master_alive_interval: 2, retry_dns: 0 } : {}),
      master_port: this.#ports.ret_port,
      publish_port: this.#ports.publish_port,
      recon_default: 100,
      recon_max: 300,
      auth_timeout: 3,
      acceptance_wait_time: 1,
      random_reauth_delay: 1,
      enable_gpu_grains: false,
      enable_fqdns_grains: false,
      mine_enabled: false,
    });
    // The file to which its jobs append their tokens.
    this.#spawn(kind, "salt-minion", id, { RUNS: this.path("runs", id) });
  }

  /** Runs `salt` on a master's host. */
  salt(at: number, ...words: string[]): Promise<CommandResult> {
    return runCommand([...commandOf("brine", "salt"), "-c", this.path(`master${at}`, "etc"), ...words]);
  }

  /** Publishes a job to all minions that appends its token to {@link ClusterSite.runs}, after so many seconds. */
  async publish(at: number, token: string, seconds = 0): Promise<string> {
    const command = `sleep ${seconds}; echo ${token} >> "$RUNS"; echo ${token}`;
    const { stdout, stderr } = await this.salt(at, "--async", "*", "cmd.run", command);
    const [jid] = /\d{20}/.exec(stdout) ?? [];
    if (jid === undefined) throw new Error(`The job ${token} was not published: ${stdout}${stderr}`);
    return jid;
  }

  /** Token → how often it was left on a minion. */
  runs(id: string): Map<string, number> {
    return runsInFile(this.path("runs", id));
  }

  /** Minion → outcome of a job, as a master knows it; empty before it knows any. */
  async outcomes(at: number, jid: string): Promise<Record<string, string>> {
    const argv = [...commandOf("brine", "salt-run"), "-c", this.path(`master${at}`, "etc"), "--out=json"];
    const { code, stdout } = await runCommand([...argv, "jobs.outcome", jid]);
    if (code !== 0) return {};
    const { Outcomes } = JSON.parse(stdout) as { Outcomes: Record<string, { Outcome: string }> };
    return Object.fromEntries(Object.entries(Outcomes).map(([id, { Outcome }]) => [id, Outcome]));
  }

  /** Problems that `salt-doctor` finds with the cluster, on a master's host. */
  async troubles(at: number): Promise<string[]> {
    const argv = [...commandOf("brine", "salt-doctor"), "-c", this.path(`master${at}`, "etc"), "--as", "master"];
    const { stdout } = await runCommand([...argv, "--out=json"]);
    return (JSON.parse(stdout) as { severity: string; text: string }[])
      .filter(({ severity, text }) => severity !== "ok" && text.startsWith("cluster: ")).map(({ text }) => text);
  }

  /** Pings all minions from a master until all of them answer. Resolves to the milliseconds that it took. */
  async reachesAll(at: number, ids: readonly string[] = this.ids): Promise<number> {
    const began = performance.now();
    await this.until(`master${at} reaches ${ids}`, async () => {
      const { code, stdout } = await this.salt(
        at,
        "-t",
        "3",
        "-L",
        ids.join(","),
        "test.ping",
        "--static",
        "--out=json",
      );
      return code === 0 && ids.every((id) => stdout.includes(`"${id}": true`));
    });
    return performance.now() - began;
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#balancer.close();
    await Promise.all(this.#daemons.map((daemon) => daemon.ended === undefined ? daemon.stop(5000) : undefined));
    await this.postgres[Symbol.asyncDispose]();
    await this.nats[Symbol.asyncDispose]();
    if (!this.keep) rmSync(this.directory, { recursive: true, force: true });
  }
}
