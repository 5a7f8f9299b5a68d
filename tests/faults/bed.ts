/** A master and minions as processes that are killed and restarted, in a temporary directory. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import process from "node:process";
import { bedDirectory, daemonDirectory } from "../../bench/bed/daemon_directory.ts";
import { accepts, freePort } from "../../bench/bed/ports.ts";
import { ProcessGroup } from "../../bench/bed/process_group.ts";
import { brineCommand, DAEMON_FLAGS, OWN_RUNTIME, type RuntimeName, runtimeNamed } from "../../bench/bed/runtimes.ts";
import { pause, until } from "../../bench/bed/until.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import type { Published, PublishRequest } from "../../src/client/publish_request.ts";
import { messageOf } from "../../src/base/errors.ts";
import { createLogger } from "../../src/base/log.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { sqliteJobCache } from "../../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { PAIRS } from "../support/start_cluster.ts";
import { History, type Part, type Random, runsInFile, seeded, told, type Violation } from "./history.ts";
import { Proxy } from "./proxy.ts";

/** `quick`, `full`, or empty: not at all. */
export const mode = process.env.BRINE_FAULTS ?? "";
export const FULL = mode === "full";

/** Why these tests are not run; false if they are. */
export function whyNot(): string | false {
  if (mode !== "quick" && mode !== "full") return "set BRINE_FAULTS to quick or full";
  if (process.platform === "win32") return "signals are not available on Windows";
  return false;
}

/** The seed of the random numbers: `BRINE_FAULTS_SEED`, or the time. */
export const SEED = Number(process.env.BRINE_FAULTS_SEED ?? Date.now() % 1_000_000);

/** The runtime of the daemons. @default the one that runs the test */
export const RUNTIME = runtimeNamed(process.env.BRINE_RUNTIME ?? OWN_RUNTIME);

/** A program that can be killed and restarted. */
export class Program {
  readonly name: string;
  readonly #argv: readonly string[];
  readonly #env: Record<string, string>;
  readonly #output: string;
  readonly #log: string;
  #group: ProcessGroup | undefined;
  /** How often it was killed. */
  kills = 0;

  /** @param output a file for what it prints; its log is another */
  constructor(name: string, argv: readonly string[], env: Record<string, string>, output: string, log: string) {
    this.name = name;
    this.#argv = argv;
    this.#env = env;
    this.#output = output;
    this.#log = log;
  }

  get pid(): number | undefined {
    return this.#group?.pid;
  }

  start(): void {
    const output = openSync(this.#output, "a");
    const group = new ProcessGroup(this.#argv, {
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    group.child.once("exit", (code, signal) => appendFileSync(this.#log, `--- ended: ${signal ?? code}\n`));
    this.#group = group;
  }

  /** Kills the process alone, as the kernel does when memory is short. */
  async kill(): Promise<void> {
    this.kills++;
    this.#group!.child.kill("SIGKILL");
    await this.#group!.exited;
  }

  /** Sends a signal that does not end the process. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#group!.child.kill(signal);
  }

  /** Stops it as an operator does, with SIGTERM. */
  async stop(graceMs = 10_000): Promise<void> {
    await this.#group?.stop(graceMs);
  }

  /** Its output and log, of all its runs. */
  get log(): string {
    return [this.#output, this.#log].map((file) => existsSync(file) ? readFileSync(file, "utf8") : "").join("");
  }

  /** The last lines of {@link Program.log}. */
  tail(lines = 15): string {
    return `--- ${this.name}\n${this.log.trimEnd().split("\n").slice(-lines).join("\n")}\n`;
  }
}

export interface BedOptions {
  minions: number;
  /** Runtime of the daemons. @default {@link RUNTIME} */
  runtime?: RuntimeName;
  /** Seed of the random numbers. @default {@link SEED} */
  seed?: number;
  master?: Record<string, unknown>;
  minion?: Record<string, unknown> | ((id: string) => Record<string, unknown>);
  /** The first minion is behind {@link Bed.proxies}: that of its requests, that of publications. @default false */
  proxied?: boolean;
  /** How long a request of {@link Bed.client} waits for the master. @default 5000 */
  requestTimeoutMs?: number;
  /** Files and connections that the master may have open at once. @default the limit of the test */
  openFiles?: number;
  /** The ports of the master. @default free ones */
  ports?: { publish: number; request: number };
  /** The bed whose minions this master has, too: it starts none of its own. */
  home?: Bed;
  /** Called when the directories are there, before anything runs. */
  prepare?(bed: Bed): void;
}

/** All masters of a minion have one key: for {@link BedOptions.prepare}. */
export function giveKey(bed: Bed): void {
  mkdirSync(bed.path("master", "pki"), { recursive: true, mode: 0o700 });
  writeFileSync(bed.path("master", "pki", "master.pem"), PAIRS.master.privatePem, { mode: 0o400 });
  writeFileSync(bed.path("master", "pki", "master.pub"), PAIRS.master.publicPem);
}

/** The result of {@link Bed.counters}. */
export interface Counters {
  open: number;
  refused: Record<string, number>;
}

/** See the head of this file. */
export class Bed implements AsyncDisposable {
  readonly directory: string;
  readonly ids: readonly string[];
  readonly #own: readonly string[];
  readonly history: History;
  readonly random: Random;
  readonly seed: number;
  readonly minions = new Map<string, Program>();
  readonly proxies: Proxy[] = [];
  master!: Program;
  client!: LocalClient;
  readonly #options: BedOptions;
  readonly #opened: LocalClient[] = [];
  requestPort = 0;
  #publishPort = 0;
  #tokens = 0;

  private constructor(options: BedOptions) {
    this.#options = options;
    this.seed = options.seed ?? SEED;
    this.random = seeded(this.seed);
    this.directory = bedDirectory("faults");
    const { home = this } = options;
    this.#own = Array.from({ length: options.minions }, (_, at) => `m${at + 1}`);
    this.ids = options.home?.ids ?? this.#own;
    mkdirSync(this.path("runs"));
    this.history = new History((minion) => runsInFile(home.path("runs", minion)));
  }

  /** Starts all of it; resolves once every minion is ready. */
  static async start(options: BedOptions): Promise<Bed> {
    const bed = new Bed(options);
    try {
      await bed.#start();
    } catch (error) {
      const report = bed.report();
      await bed.stop();
      throw new Error(`${(error as Error).message}\n${report}`);
    }
    return bed;
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  async #start(): Promise<void> {
    const { publish, request } = this.#options.ports ?? { publish: await freePort(), request: await freePort() };
    [this.#publishPort, this.requestPort] = [publish, request];
    this.#configure("master", "master", {
      id: "faults",
      interface: "127.0.0.1",
      publish_port: this.#publishPort,
      ret_port: this.requestPort,
      key_logfile: this.path("master", "key.log"),
      auto_accept: true,
      gather_job_timeout: 3,
      ...this.#options.master,
    });
    this.master = this.#program("salt-master", "master");
    for (const id of this.#own) await this.#prepareMinion(id);
    this.#options.prepare?.(this);
    await this.startMaster();
    for (const minion of this.minions.values()) minion.start();
    await this.ready();
  }

  #configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    const settings = {
      ...daemonDirectory(this.path(folder)),
      log_level: "warning",
      log_level_logfile: process.env.BRINE_FAULTS_LOG ?? "info",
      ...more,
    };
    // JSON is YAML.
    writeFileSync(this.path(folder, "etc", name), JSON.stringify(settings, null, 2));
  }

  #program(program: "salt-master" | "salt-minion", folder: string, env: Record<string, string> = {}): Program {
    const runtime = this.#options.runtime ?? RUNTIME;
    const { openFiles } = this.#options;
    const limit = program === "salt-master" && openFiles !== undefined
      ? ["sh", "-c", `ulimit -n ${openFiles} && exec "$0" "$@"`]
      : [];
    const argv = [...limit, ...brineCommand(program, runtime, DAEMON_FLAGS[runtime]), "-c", this.path(folder, "etc")];
    return new Program(folder, argv, env, this.path(folder, "out"), this.path(folder, "log"));
  }

  async #prepareMinion(id: string): Promise<void> {
    const { minion } = this.#options;
    let ports: Record<string, unknown> = { master_port: this.requestPort };
    if (this.#options.proxied && id === this.ids[0]) {
      for (const port of [this.requestPort, this.#publishPort]) {
        this.proxies.push(await Proxy.open(port, this.random));
      }
      ports = { master_port: this.proxies[0]!.port, publish_port: this.proxies[1]!.port };
    }
    this.#configure("minion", id, {
      id,
      master: "127.0.0.1",
      ...ports,
      recon_default: 100,
      recon_max: 500,
      acceptance_wait_time: 1,
      random_reauth_delay: 1,
      return_retry_timer: 1,
      return_retry_timer_max: 2,
      enable_gpu_grains: false,
      enable_fqdns_grains: false,
      mine_enabled: false,
      ...(typeof minion === "function" ? minion(id) : minion),
    });
    // The file to which its jobs append their tokens.
    this.minions.set(id, this.#program("salt-minion", id, { RUNS: this.path("runs", id) }));
  }

  /** Resolves when all minions are ready by their logs, those that were killed since then. */
  async ready(ids: readonly string[] = this.#own): Promise<void> {
    await until(`${ids} are ready`, () => ids.every((id) => this.#isReady(id)), { timeoutMs: 90_000 });
  }

  #isReady(id: string): boolean {
    const { log } = this.minions.get(id)!;
    return log.slice(Math.max(0, log.lastIndexOf("--- ended"))).includes("minion is ready");
  }

  /** Starts the master; resolves once it takes requests and events arrive. */
  async startMaster(): Promise<void> {
    this.master.start();
    await until("the master takes requests", () => accepts(this.requestPort));
    const client = await this.#open();
    client.onEvent(({ tag, data }) => {
      const found = /^salt\/job\/(\d{20}\w*)\/ret\/([^/]+)$/.exec(tag);
      if (found !== null) this.history.hear(found[1]!, found[2]!, data.replayed === true);
    });
    this.client = client;
  }

  async #open(): Promise<LocalClient> {
    const runtime = await currentRuntime();
    let client: LocalClient | undefined;
    await until("the master's event bus is there", async () => {
      client = await LocalClient.open({
        runtime,
        log: createLogger(() => {}, "quiet"),
        opts: {
          interface: "127.0.0.1",
          ret_port: this.requestPort,
          sock_dir: this.path("master", "run"),
          cachedir: this.path("master", "cache"),
          user: userInfo().username,
        },
        requestTimeoutMs: this.#options.requestTimeoutMs ?? 5000,
      }).catch(() => undefined);
      return client !== undefined;
    });
    this.#opened.push(client!);
    return client!;
  }

  /** Kills the master and starts it again. */
  async restartMaster(awayMs = 0): Promise<void> {
    await this.master.kill();
    await pause(awayMs);
    await this.startMaster();
  }

  async killMinion(id: string, awayMs = 0): Promise<void> {
    const minion = this.minions.get(id)!;
    await minion.kill();
    await pause(awayMs);
    minion.start();
  }

  token(): string {
    // Several masters have the same minions.
    return `t${this.#options.ports?.request ?? ""}-${++this.#tokens}`;
  }

  /** Why the last job that was not acknowledged was refused. */
  refusal = "";

  /**
   * Asks for a job that leaves its token where {@link History} counts, and prints it last. Undefined if the master did not
   * acknowledge it. The shell commands `before` and `after` come before and after the token is left.
   */
  async publish(
    request: Partial<PublishRequest> & { before?: string; after?: string; minions?: readonly string[] } = {},
  ): Promise<(Published & { token: string }) | undefined> {
    const { before = "", after = "", minions = this.ids, ...rest } = request;
    const token = this.token();
    const acknowledged = this.history.ask(token, minions);
    const command = `${before} echo ${token} >> "$RUNS"; ${after} echo ${token}`;
    try {
      const published = await this.client.publish({
        tgt: [...minions],
        tgt_type: "list",
        fun: "cmd.run",
        arg: [command],
        ...rest,
      });
      if (published === undefined) return undefined;
      acknowledged(published.jid, published.minions);
      return { ...published, token };
    } catch (error) {
      this.refusal = messageOf(error);
      return undefined;
    }
  }

  async counters(): Promise<Counters> {
    return await this.client.ask("job_counters", {}) as Counters;
  }

  /** Resolves when no job is open. */
  async settled(timeoutMs = 120_000): Promise<void> {
    await until("every job has finished", async () => {
      const counters = await this.counters().catch(() => undefined);
      return counters?.open === 0;
    }, { timeoutMs });
  }

  /** Opens the master's job cache. */
  async cache<T>(use: (jobs: JobCache) => Promise<T>): Promise<T> {
    const { databases, fs, later, clock } = await currentRuntime();
    const path = this.path("master", "cache", "jobs.sqlite");
    const jobs = sqliteJobCache({ databases, fs, later, path, now: () => clock.now() });
    try {
      return await use(jobs);
    } finally {
      await jobs.close();
    }
  }

  /** Compares the record with what was done. */
  check(): Promise<{ parts: Part[]; violations: Violation[] }> {
    return this.cache((jobs) => this.history.check(jobs));
  }

  /** Returns the parts; throws with details if there are violations. */
  async verify(): Promise<Part[]> {
    const { parts, violations } = await this.check();
    if (violations.length > 0) {
      this.keep = true;
      const jids = new Set(violations.slice(0, 3).map(({ jid }) => jid ?? "-"));
      const lines = ["master", ...this.ids].flatMap((name) =>
        this.log(name).split("\n").filter((line) => [...jids].some((j) => line.includes(j)))
          .slice(0, 12).map((line) => `${name}: ${line}`)
      );
      throw new Error(`Seed ${this.seed}: ${told(violations)}\n${lines.join("\n")}\n(${this.directory} is kept)`);
    }
    return parts;
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /** Throws if a part ended in anything but a return with code 0. */
  assertReturned(parts: readonly Part[]): void {
    const others = parts.filter(({ state }) => state !== "returned");
    if (others.length === 0) return;
    const lines = others.slice(0, 20).map(({ jid, minion, state, note, value }) =>
      `${jid} on ${minion}: ${state}, ${note ?? String(value).slice(0, 200)}`
    );
    throw new Error(`${others.length} parts have not returned:\n${lines.join("\n")}\n${this.report()}`);
  }

  /** The outcomes of a job's targets, as the master reports them. */
  async outcomes(jid: string): Promise<Record<string, string>> {
    const { outcomes } = await this.client.ask("job_outcomes", { jid }) as {
      outcomes: Record<string, { outcome: string }>;
    };
    return Object.fromEntries(Object.entries(outcomes).map(([id, { outcome }]) => [id, outcome]));
  }

  /** Text of a daemon's log. */
  log(name: string): string {
    return name === "master" ? this.master.log : (this.#options.home ?? this).minions.get(name)!.log;
  }

  /** Processes that belong to this bed, by what their environment or command line names. */
  processes(id = ""): number[] {
    if (!existsSync("/proc/self/environ")) return [];
    const name = this.path("runs", id);
    const ours = new Set([this.master, ...this.minions.values()].map(({ pid }) => pid));
    return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => {
      if (ours.has(pid)) return false;
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        return environment.some((line) => id === "" ? line.startsWith(`RUNS=${name}`) : line === `RUNS=${name}`);
      } catch {
        return false;
      }
    });
  }

  commandLine(pid: number): string {
    try {
      return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`;
    } catch {
      return `${pid} gone`;
    }
  }

  /** Registers a cleanup that is called when all processes have ended. */
  onStop(call: () => void): void {
    this.#cleanups.push(call);
  }
  readonly #cleanups: (() => void)[] = [];

  /** Set by a failure: the directory is kept for inspection. */
  keep = process.env.BRINE_FAULTS_KEEP !== undefined;

  report(): string {
    this.keep = true;
    return `Seed ${this.seed}\n${[this.master, ...this.minions.values()].map((one) => one?.tail() ?? "").join("")}` +
      `(${this.directory} is kept)`;
  }

  async stop(): Promise<void> {
    for (const client of this.#opened.splice(0)) await client.close().catch(() => {});
    await Promise.all([...this.minions.values()].map((minion) => minion.stop()));
    await this.master?.stop();
    for (const proxy of this.proxies.splice(0)) await proxy[Symbol.asyncDispose]();
    // Processes that outlived their minion.
    for (const pid of this.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Ended meanwhile.
      }
    }
    for (const call of this.#cleanups.splice(0)) call();
    if (!this.keep) rmSync(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
