/** A master of masters, a syndic behind a network that can be cut, a lower master and its minions, as processes. */
import { rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { bedDirectory, daemonDirectory } from "../../bench/bed/daemon_directory.ts";
import { accepts, freePort } from "../../bench/bed/ports.ts";
import { brineCommand, DAEMON_FLAGS } from "../../bench/bed/runtimes.ts";
import { until } from "../../bench/bed/until.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { createLogger } from "../../src/base/log.ts";
import { sqliteJobCache } from "../../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { decode } from "../../src/protocol/wire/msgpack.ts";
import { Program, RUNTIME, SEED } from "./bed.ts";
import { seeded } from "./history.ts";
import { Proxy } from "./proxy.ts";

const IDS = ["low1", "low2"];

export class SyndicBed implements AsyncDisposable {
  readonly directory = bedDirectory("faults");
  readonly proxies: Proxy[] = [];
  top!: Program;
  lower!: Program;
  syndic!: Program;
  client!: LocalClient;
  readonly #minions: Program[] = [];
  readonly #published = new Map<string, string>();
  readonly #ports: Record<string, { publish_port: number; ret_port: number }> = {};

  static async start(): Promise<SyndicBed> {
    const bed = new SyndicBed();
    try {
      await bed.#start();
    } catch (error) {
      const report = bed.report();
      await bed[Symbol.asyncDispose]();
      throw new Error(`${(error as Error).message}\n${report}`);
    }
    return bed;
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  #configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    const settings = {
      ...daemonDirectory(this.path(folder)),
      log_level: "warning",
      log_level_logfile: "info",
      ...more,
    };
    // JSON is YAML.
    writeFileSync(this.path(folder, "etc", name), JSON.stringify(settings, null, 2));
  }

  #program(program: "salt-master" | "salt-minion" | "salt-syndic", folder: string, log = "log"): Program {
    const argv = [...brineCommand(program, RUNTIME, DAEMON_FLAGS[RUNTIME]), "-c", this.path(folder, "etc")];
    return new Program(
      `${program} of ${folder}`,
      argv,
      {},
      this.path(folder, `out-${program}`),
      this.path(folder, log),
    );
  }

  async #master(folder: "top" | "low", more: Record<string, unknown>): Promise<Program> {
    const ports = this.#ports[folder] = { publish_port: await freePort(), ret_port: await freePort() };
    this.#configure("master", folder, {
      id: folder,
      interface: "127.0.0.1",
      ...ports,
      key_logfile: this.path(folder, "key.log"),
      auto_accept: true,
      gather_job_timeout: 3,
      ...more,
    });
    const master = this.#program("salt-master", folder);
    master.start();
    await until(`the master of ${folder} takes requests`, () => accepts(ports.ret_port), { timeoutMs: 60_000 });
    return master;
  }

  #connecting(id: string, port: number): Record<string, unknown> {
    return {
      id,
      master: "127.0.0.1",
      master_port: port,
      recon_default: 100,
      recon_max: 500,
      acceptance_wait_time: 1,
      return_retry_timer: 1,
      return_retry_timer_max: 2,
      enable_gpu_grains: false,
      enable_fqdns_grains: false,
      mine_enabled: false,
      multiprocessing: false,
    };
  }

  async #start(): Promise<void> {
    this.top = await this.#master("top", { order_masters: true, job_delivery_timeout: 120 });
    const { publish_port, ret_port } = this.#ports.top!;
    for (const port of [ret_port, publish_port]) this.proxies.push(await Proxy.open(port, seeded(SEED)));
    this.lower = await this.#master("low", {
      syndic_master: "127.0.0.1",
      syndic_master_port: this.proxies[0]!.port,
      syndic_log_file: this.path("low", "syndic.log"),
      syndic_pidfile: this.path("low", "run", "syndic.pid"),
    });
    for (const id of IDS) {
      this.#configure("minion", id, this.#connecting(id, this.#ports.low!.ret_port));
      const minion = this.#program("salt-minion", id);
      minion.start();
      this.#minions.push(minion);
    }
    this.#configure("minion", "low", {
      ...this.#connecting("synd", this.#ports.low!.ret_port),
      pki_dir: this.path("low", "pki-syndic"),
      publish_port: this.proxies[1]!.port,
    });
    this.syndic = this.#program("salt-syndic", "low", "syndic.log");
    this.syndic.start();
    await until(
      "all are ready",
      () =>
        this.syndic.log.includes("syndic is ready") &&
        this.#minions.every(({ log }) => log.includes("minion is ready")),
      { timeoutMs: 90_000 },
    );
    await this.connect();
  }

  /** A client of the master of masters. */
  async connect(): Promise<void> {
    const { ret_port } = this.#ports.top!;
    this.client = await LocalClient.open({
      runtime: await currentRuntime(),
      log: createLogger(() => {}, "quiet"),
      opts: {
        interface: "127.0.0.1",
        ret_port,
        sock_dir: this.path("top", "run"),
        cachedir: this.path("top", "cache"),
        user: userInfo().username,
      },
    });
  }

  /** Publishes a job on the master of masters for all minions below; each returns `word`. */
  async publish(word: string, sleepSeconds = 0): Promise<string> {
    const command = sleepSeconds > 0 ? `sleep ${sleepSeconds}; echo ${word}` : `echo ${word}`;
    const published = await this.client.publish({ tgt: "*", fun: "cmd.run", arg: [command] });
    this.#published.set(published!.jid, word);
    return published!.jid;
  }

  /** The job cache of one of the masters, as it is on the disk. */
  async jobs(folder: "top" | "low"): Promise<JobCache> {
    const { databases, fs, clock, later } = await currentRuntime();
    return sqliteJobCache({
      databases,
      fs,
      later,
      path: this.path(folder, "cache", "jobs.sqlite"),
      durability: "process",
      now: () => clock.now(),
    });
  }

  /** Resolves once the lower master has a job. What a killed master had not sent yet, it sends when it runs again. */
  async isBelow(jid: string): Promise<void> {
    await until("the job is below", async () => {
      const jobs = await this.jobs("low");
      return await Promise.resolve(jobs.hasLoad(jid)).finally(() => jobs.close());
    });
  }

  /** True once a job cache has the returns of both minions. */
  async returned(folder: "top" | "low", jid: string): Promise<boolean> {
    const jobs = await this.jobs(folder);
    try {
      const returns = await jobs.returns(jid);
      const values = returns.map(({ return: value }) => decode(value.bytes, { mode: "bin" }));
      if (values.some((value) => value !== this.#published.get(jid))) throw new Error(`Another return: ${values}`);
      return returns.length === IDS.length;
    } finally {
      await jobs.close();
    }
  }

  /** Resolves once the master of masters has every return of every job that it has published. */
  async settled(): Promise<void> {
    for (const jid of this.#published.keys()) {
      await until(`the returns of ${jid}`, () => this.returned("top", jid), {
        timeoutMs: 120_000,
      }).catch((error) => {
        throw new Error(`${error.message}\n${this.report()}`);
      });
    }
  }

  report(): string {
    return [this.top, this.lower, this.syndic, ...this.#minions].map((program) => program?.tail(20) ?? "").join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client?.close();
    for (const program of [this.syndic, ...this.#minions, this.lower, this.top]) await program?.stop(3000);
    for (const proxy of this.proxies) await proxy[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
