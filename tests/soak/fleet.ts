/** A master, a gateway and minions as processes, for a soak: started, stopped and killed, and looked at by a {@link Sampler}. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import process from "node:process";
import { bedDirectory, daemonDirectory } from "../../bench/bed/daemon_directory.ts";
import { accepts, freePort } from "../../bench/bed/ports.ts";
import { brineCommand, DAEMON_FLAGS, ROOT, runtimeCommand, type RuntimeName } from "../../bench/bed/runtimes.ts";
import { until } from "../../bench/bed/until.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import { HttpClient } from "../../src/client/http/http_client.ts";
import { silentLogger } from "../../src/base/log.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { Program } from "../faults/bed.ts";
import { processesWith, type Watched } from "./sampler.ts";
import { Witness } from "./witness.ts";

/** The password of everybody at the gateway. */
const SECRET = "open-sesame";

export interface FleetOptions {
  runtime: RuntimeName;
  /** Minions that are processes of their own. */
  real: number;
  /** Minions in one process, see `swarm.ts`. */
  swarm: number;
  /** Seconds after which the next minion of the swarm is closed and started again. */
  renewSeconds: number;
  /** Seconds for which the master keeps jobs. */
  keepSeconds: number;
}

/** One program of the fleet. */
interface Member {
  program: Program;
  /** Resolves once it does its work. */
  ready(): Promise<void>;
  report: string;
  directories: readonly string[];
  life: number;
  startedMs: number;
  running: boolean;
}

/** See the head of this file. */
export class Fleet {
  readonly directory = bedDirectory("soak");
  readonly members = new Map<string, Member>();
  readonly real: readonly string[];
  readonly swarm: readonly string[];
  readonly witness = new Witness((minion) => this.path("runs", minion));
  client!: LocalClient;
  requestPort = 0;
  gatewayPort = 0;
  /** When the master or the gateway was last taken away or came back, by `performance.now()`. */
  disturbedMs = 0;
  readonly #options: FleetOptions;

  private constructor(options: FleetOptions) {
    this.#options = options;
    this.real = Array.from({ length: options.real }, (_, at) => `m${at + 1}`);
    this.swarm = Array.from({ length: options.swarm }, (_, at) => `s${String(at).padStart(3, "0")}`);
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    try {
      await fleet.#prepare();
      for (const name of fleet.members.keys()) await fleet.begin(name);
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  async #prepare(): Promise<void> {
    const publishPort = await freePort();
    [this.requestPort, this.gatewayPort] = [await freePort(), await freePort()];
    for (const name of ["runs", "states", "pillar", "swarm", "made"]) mkdirSync(this.path(name));
    this.#writeStates();
    this.#configure("master", "master", {
      id: "soak",
      interface: "127.0.0.1",
      publish_port: publishPort,
      ret_port: this.requestPort,
      key_logfile: this.path("master", "key.log"),
      auto_accept: true,
      gather_job_timeout: 5,
      keep_jobs_seconds: this.#options.keepSeconds,
      file_roots: { base: [this.path("states")] },
      pillar_roots: { base: [this.path("pillar")] },
      sharedsecret: SECRET,
      external_auth: { sharedsecret: { alice: [".*", "@runner", "@wheel", "@jobs"] } },
      netapi_enable_clients: ["local", "local_async", "runner", "wheel"],
      rest_cherrypy: { port: this.gatewayPort, host: "127.0.0.1", disable_ssl: true, login_attempts: 0 },
      api_logfile: this.path("master", "api.log"),
      api_pidfile: this.path("master", "api.pid"),
    });
    this.#member("master", "salt-master", "master", async () => {
      await until("the master takes requests", () => accepts(this.requestPort));
      await this.#listen();
    });
    this.#member("gateway", "salt-api", "master", () => until("the gateway listens", () => accepts(this.gatewayPort)));
    for (const id of this.real) {
      this.#configure("minion", id, {
        id,
        master: "127.0.0.1",
        master_port: this.requestPort,
        recon_default: 100,
        recon_max: 1000,
        acceptance_wait_time: 1,
        random_reauth_delay: 1,
        return_retry_timer: 1,
        return_retry_timer_max: 3,
        mine_enabled: false,
      });
      this.#member(id, "salt-minion", id);
    }
    if (this.swarm.length > 0) this.#swarmMember();
  }

  #writeStates(): void {
    const made = this.path("made");
    writeFileSync(
      this.path("states", "web.sls"),
      `{% for n in range(5) %}\n${made}/{{ grains.id }}.{{ n }}:\n  file.managed:\n    - source: salt://page.html\n` +
        `    - template: jinja\n{% endfor %}\nsay:\n  cmd.run:\n    - name: echo {{ pillar.get('colour') }}\n`,
    );
    writeFileSync(this.path("states", "page.html"), "{{ grains.id }} {{ pillar.get('colour') }}\n");
    writeFileSync(this.path("states", "large.bin"), "0123456789abcdef".repeat(65_536));
    writeFileSync(this.path("pillar", "top.sls"), "base:\n  '*':\n    - colours\n");
    this.writePillar(0);
  }

  /** Gives the pillar another content. */
  writePillar(turn: number): void {
    writeFileSync(this.path("pillar", "colours.sls"), `colour: colour-${turn % 7}\nturn: {{ grains.id }}-${turn}\n`);
  }

  #configure(name: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    const settings = { ...daemonDirectory(this.path(folder)), log_level: "error", log_level_logfile: "info", ...more };
    // JSON is YAML.
    writeFileSync(this.path(folder, "etc", name), JSON.stringify(settings, null, 2));
  }

  #member(name: string, program: string, folder: string, ready?: () => Promise<void>): void {
    const { runtime } = this.#options;
    const argv = [...brineCommand(program, runtime, DAEMON_FLAGS[runtime]), "-c", this.path(folder, "etc")];
    const log = this.path(folder, program === "salt-api" ? "api.log" : "log");
    const started = new Program(name, argv, this.#mark(name), this.path(folder, `${program}.out`), log);
    const run = this.path(folder, "run");
    // Salt's names: what a directory of sockets and one of caches may not gather.
    const directories = program === "salt-api" ? [] : [run, this.path(folder, "cache")];
    const report = this.path(folder, "cache", `${program}.status.json`);
    this.#add(name, started, report, directories, ready ?? (() => this.#saysReady(name)));
  }

  #swarmMember(): void {
    const { runtime, renewSeconds } = this.#options;
    const words = [path.join(ROOT, "tests/soak/swarm.ts"), this.swarm.length, this.requestPort, this.directory];
    const argv = [...runtimeCommand(runtime, DAEMON_FLAGS[runtime])!, ...words.map(String), String(renewSeconds)];
    // One file for both, so that what it prints stands behind the end of the process before it.
    const log = this.path("swarm.log");
    const program = new Program("swarm", argv, this.#mark("swarm"), log, log);
    const ready = () => this.#saysReady("swarm");
    this.#add("swarm", program, this.path("swarm.status.json"), [this.path("swarm")], ready);
  }

  #mark(name: string): Record<string, string> {
    return { BRINE_SOAK: this.directory, RUNS: this.path("runs", name) };
  }

  #add(
    name: string,
    program: Program,
    report: string,
    directories: readonly string[],
    ready: () => Promise<void>,
  ): void {
    this.members.set(name, { program, report, directories, ready, life: 0, startedMs: 0, running: false });
  }

  async #saysReady(name: string): Promise<void> {
    const { program } = this.members.get(name)!;
    const { life } = this.members.get(name)!;
    await until(
      `${name} is ready`,
      () => program.log.slice(Math.max(0, program.log.lastIndexOf("--- ended"))).includes("minion is ready"),
      {
        timeoutMs: 180_000,
        check: () => {
          if (this.members.get(name)!.life !== life) throw new Error(`${name} was taken away before it was ready`);
        },
      },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${program.tail()}`);
    });
  }

  /** Starts a program; resolves once it does its work. */
  async begin(name: string): Promise<void> {
    const member = this.members.get(name)!;
    this.#disturb(name);
    member.program.start();
    member.life++;
    member.startedMs = performance.now();
    member.running = true;
    await member.ready();
    this.#disturb(name);
  }

  /** Ends a program: as an operator does, or as the kernel does when memory is short. */
  async end(name: string, how: "kill" | "stop"): Promise<void> {
    const member = this.members.get(name)!;
    this.#disturb(name);
    member.running = false;
    if (how === "kill") await member.program.kill();
    else await member.program.stop();
    this.#disturb(name);
  }

  #disturb(name: string): void {
    if (name === "master" || name === "gateway") this.disturbedMs = performance.now();
  }

  /** Opens a client of the master's sockets. */
  async open(): Promise<LocalClient> {
    return await LocalClient.open({
      runtime: await currentRuntime(),
      log: silentLogger,
      opts: {
        interface: "127.0.0.1",
        ret_port: this.requestPort,
        sock_dir: this.path("master", "run"),
        cachedir: this.path("master", "cache"),
        user: userInfo().username,
      },
      lanes: 4,
      requestTimeoutMs: 20_000,
    });
  }

  async http(): Promise<HttpClient> {
    return await HttpClient.open(`http://127.0.0.1:${this.gatewayPort}`, {
      login: { username: "alice", password: SECRET, eauth: "sharedsecret" },
      timeoutMs: 30_000,
    });
  }

  /** Hears of every job and every return from now on. */
  async #listen(): Promise<void> {
    await this.client?.close().catch(() => {});
    await until("the master's event bus is there", async () => {
      const client = await this.open().catch(() => undefined);
      if (client !== undefined) this.client = client;
      return client !== undefined;
    });
    this.client.onEvent((event) => {
      const [, jid, part] = /^salt\/job\/(\d{20}\w*)\/(new$|ret\/.+)/.exec(event.tag) ?? [];
      if (jid === undefined) return;
      if (part !== "new") return this.witness.heard(jid, part!.slice(4), event.data.replayed === true);
      const { minions } = event.data as { minions?: unknown };
      if (Array.isArray(minions)) this.witness.published(jid, minions.map(String));
    });
  }

  /** What a sampler is to look at. */
  watched(): Watched[] {
    return [...this.members].map(([name, member]): Watched => ({
      name,
      pid: () => member.running ? member.program.pid : undefined,
      life: () => member.life,
      settled: () => performance.now() - member.startedMs > 15_000,
      report: member.report,
      directories: member.directories,
    }));
  }

  /** Ends everything. @returns processes that are left, which is none */
  async stop({ keep = false } = {}): Promise<string[]> {
    await this.client?.close().catch(() => {});
    const all = [...this.members.values()].reverse();
    await Promise.all(all.map(({ program }) => program.stop(20_000)));
    const left = processesWith(`BRINE_SOAK=${this.directory}`);
    for (const line of left) {
      try {
        process.kill(Number(line.split(" ")[0]), "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    }
    if (!keep) rmSync(this.directory, { recursive: true, force: true });
    return left;
  }
}
