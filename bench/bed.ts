/** Programs of Brine and of real Salt's to measure: in a temporary directory, on free loopback ports, gone at the end. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { homedir, tmpdir, userInfo } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";

export const ROOT = path.resolve(import.meta.dirname, "..");

export type RuntimeName = "node" | "bun" | "deno";
export const RUNTIMES: readonly RuntimeName[] = ["node", "bun", "deno"];

/** `source`: the TypeScript of the tree; `bundle`: what `npm run build:bundle` makes of it, as releases ship it. */
export type Form = "source" | "bundle";

/** One kind of the programs that are compared. */
export interface Side {
  name: string;
  /** Words that start a program: `side.command("salt-master")`. */
  command(program: string): string[];
  runtime?: RuntimeName;
}

/**
 * Flags that the daemons are started with, the ones of their first lines: the young generation of V8 grows to 16 MB thrice
 * under a burst of requests, and never gets smaller again.
 */
export const DAEMON_FLAGS: Record<RuntimeName, readonly string[]> = {
  node: ["--max-semi-space-size=1"],
  bun: [],
  deno: ["--v8-flags=--max-semi-space-size=1"],
};

/**
 * The same from a copy of the runtime's file in `folder`: pages of a file are shared by all that map it, and a copy of its
 * own is what a daemon has on a machine where nothing else runs on that runtime.
 */
export function fromCopy(side: Side, folder: string): Side {
  if (side.runtime === undefined) return side;
  return {
    ...side,
    command(program) {
      const [runtime, ...words] = side.command(program);
      const copy = path.join(folder, `${side.runtime}-${program}`);
      mkdirSync(folder, { recursive: true });
      if (!existsSync(copy)) copyFileSync(runtime!, copy);
      return [copy, ...words];
    },
  };
}

/** The same, started with flags of its runtime. */
export function withFlags(side: Side, flags: readonly string[]): Side {
  const { runtime } = side;
  if (runtime === undefined || flags.length === 0) return side;
  const words = runtimeCommand(runtime)!;
  const flagged = runtimeCommand(runtime, flags)!;
  const own = DAEMON_FLAGS[runtime];
  return {
    ...side,
    command: (program) => [...flagged, ...own, ...side.command(program).slice(words.length + own.length)],
  };
}

const environment: Record<string, string | undefined> = { ...process.env, PYTHONWARNINGS: "ignore" };

function which(name: string): string | undefined {
  const own = path.join(ROOT, "node_modules/.bin", name);
  if (existsSync(own)) return own;
  return (process.env.PATH ?? "").split(":").map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** Words that run a file on a runtime; undefined if it is not installed. */
export function runtimeCommand(runtime: RuntimeName, flags: readonly string[] = []): string[] | undefined {
  const program = which(runtime);
  if (program === undefined) return undefined;
  return runtime === "deno" ? [program, "run", "-A", "--no-check", "--quiet", ...flags] : [program, ...flags];
}

/** The runtimes that are here. */
export function installed(only?: readonly RuntimeName[]): RuntimeName[] {
  return RUNTIMES.filter((runtime) => (only?.includes(runtime) ?? true) && runtimeCommand(runtime) !== undefined);
}

/** Ours on a runtime. */
export function brine(runtime: RuntimeName, form: Form): Side {
  const words = runtimeCommand(runtime);
  if (words === undefined) throw new Error(`${runtime} is not installed`);
  const file = (program: string) =>
    form === "source" ? path.join(ROOT, "cli", `${program}.ts`) : path.join(ROOT, "dist/bin", `${program}.mjs`);
  const flagged = runtimeCommand(runtime, DAEMON_FLAGS[runtime])!;
  return {
    name: `${runtime}, ${form}`,
    runtime,
    command: (program) => [...program === "salt" ? words : flagged, file(program)],
  };
}

const saltHome = process.env.BRINE_SALT_HOME ??
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "brine", "salt");

/** The interpreter of a real release. */
export function saltPython(release = "3006"): string {
  return path.join(saltHome, release, "bin", "python");
}

/** Real Salt, from a virtual environment outside the tree; undefined if it is not there. */
export function realSalt(release = "3006"): Side | undefined {
  const program = (name: string) => path.join(saltHome, release, "bin", name);
  if (!existsSync(program("salt-minion"))) return undefined;
  return { name: `real Salt ${release}`, command: (name) => [program(name)] };
}

/** What a table says where real Salt would be. */
export const NO_SALT =
  `real Salt 3006 is not installed in ${saltHome}/3006 (python3 -m venv, pip install salt==3006.*)`;

/** Builds the bundle that releases ship. */
export function buildBundle(): void {
  const node = which("node") ?? process.execPath;
  const { status, stderr } = spawnSync(node, [path.join(ROOT, "scripts/bundle.ts")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The bundle could not be built: ${stderr}`);
}

// Processes

const groups = new Set<number>();

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All gone, which is what we want.
  }
}

process.on("exit", () => {
  for (const pid of groups) killGroup(pid, "SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const FILES = 8192;

/** A thousand minions are two thousand connections: raises the limit of open files where it is below that. */
function withFiles(argv: readonly string[]): string[] {
  const { stdout } = spawnSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" });
  const limit = stdout.trim();
  if (limit === "unlimited" || Number(limit) >= FILES) return [...argv];
  return ["sh", "-c", `ulimit -n ${FILES}; exec "$@"`, "sh", ...argv];
}

/** A process in a group of its own: real Salt's have children that outlive a parent. */
export class Daemon {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #lines: string[] = [];
  readonly #wanted: ((line: string) => void)[] = [];
  readonly #output: string | undefined;
  ended: string | undefined;

  /** @param output a file for what it prints; without one, its lines are read by {@link Daemon.line} */
  constructor(argv: readonly string[], output?: string) {
    const [program, ...rest] = withFiles(argv);
    this.#output = output;
    const out = output === undefined ? "pipe" : openSync(output, "a");
    const errors = output === undefined ? "inherit" : out;
    this.#child = spawn(program!, rest, { detached: true, env: environment, stdio: ["pipe", out, errors] });
    if (this.#child.pid !== undefined) groups.add(this.#child.pid);
    this.#exited = new Promise((resolve) => {
      const end = (how: string) => {
        this.ended = how;
        for (const wanted of this.#wanted.splice(0)) wanted("");
        resolve();
      };
      this.#child.once("error", (error) => end(error.message));
      this.#child.once("exit", (code, signal) => end(`exit ${code ?? signal}`));
    });
    if (output === undefined) {
      createInterface({ input: this.#child.stdout! }).on("line", (line) => {
        const wanted = this.#wanted.shift();
        if (wanted === undefined) this.#lines.push(line);
        else wanted(line);
      });
    }
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The next line it prints. */
  async line(): Promise<string> {
    const line = this.#lines.shift() ?? await new Promise<string>((resolve) => {
      if (this.ended !== undefined) resolve("");
      else this.#wanted.push(resolve);
    });
    if (line === "" && this.ended !== undefined) throw new Error(`The process has ended (${this.ended})`);
    return line;
  }

  tell(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  async stop(graceMs = 5000): Promise<void> {
    if (this.#child.pid === undefined) return;
    if (this.ended === undefined) this.#child.kill("SIGTERM");
    const timer = setTimeout(() => killGroup(this.#child.pid!, "SIGKILL"), graceMs);
    await this.#exited;
    clearTimeout(timer);
    killGroup(this.#child.pid, "SIGKILL");
    groups.delete(this.#child.pid);
  }

  /** The end of what it printed. */
  tail(): string {
    return this.#output === undefined
      ? ""
      : readFileSync(this.#output, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  }

  /** Its processes: `/proc/PID/stat` from the state on, and the pid. */
  #processes(): { pid: string; stat: string[] }[] {
    const found: { pid: string; stat: string[] }[] = [];
    for (const pid of existsSync("/proc/self/stat") ? readdirSync("/proc") : []) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const text = readFileSync(`/proc/${pid}/stat`, "utf8");
        // pid (comm) state ppid pgrp: a comm may have blanks and brackets.
        const stat = text.slice(text.lastIndexOf(")") + 2).split(" ");
        if (Number(stat[2]) === this.pid) found.push({ pid, stat });
      } catch {
        // Gone since the directory was read.
      }
    }
    return found;
  }

  /** Proportional set size of all its processes, in bytes; undefined where the system does not tell. */
  pss(): number | undefined {
    let total: number | undefined;
    for (const { pid } of this.#processes()) {
      try {
        const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))!;
        total = (total ?? 0) + Number(kilobytes) * 1024;
      } catch {
        // Gone since the directory was read.
      }
    }
    return total;
  }

  /** Processor time of all its processes that still run, in milliseconds; undefined where the system does not tell. */
  cpuMs(): number | undefined {
    // In ticks of which Linux has a hundred a second, whatever its kernel's own rate: user, then system.
    const times = this.#processes().map(({ stat }) => (Number(stat[11]) + Number(stat[12])) * 10);
    return times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0);
  }
}

/** How a command ended. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** Runs a command to its end and times the whole process. */
export function time(argv: readonly string[]): Promise<Run> {
  const began = performance.now();
  const child = spawn(argv[0]!, argv.slice(1), { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  return new Promise((resolve, reject) => {
    let ms = 0;
    child.once("error", reject);
    child.once("exit", () => ms = performance.now() - began);
    child.once("close", (code) => resolve({ code, stdout, stderr, ms }));
  });
}

// Ports

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
  });
}

const given = new Set<number>();

/** A port below those that the system gives to outgoing connections. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port) || !await isFree(port)) continue;
    given.add(port);
    return port;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** A directory with one master and what belongs to it. */
export class Bed {
  readonly directory: string;
  readonly #daemons: Daemon[] = [];
  publishPort = 0;
  requestPort = 0;

  constructor() {
    // Paths of local sockets have 107 characters at most.
    this.directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-bench-"));
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  /** The configuration directory of a daemon. */
  config(folder: string): string {
    return this.path(folder, "etc");
  }

  /** What a client of the master needs to know. */
  get clientOptions(): { interface: string; ret_port: number; sock_dir: string; cachedir: string; user: string } {
    return {
      interface: "127.0.0.1",
      ret_port: this.requestPort,
      sock_dir: this.path("master", "run"),
      cachedir: this.path("master", "cache"),
      user: userInfo().username,
    };
  }

  #write(program: "master" | "minion", folder: string, more: Record<string, unknown>): void {
    mkdirSync(this.config(folder), { recursive: true });
    mkdirSync(this.path(folder, "run"), { recursive: true });
    const settings: Record<string, unknown> = {
      user: userInfo().username,
      root_dir: this.path(folder),
      pki_dir: this.path(folder, "pki"),
      cachedir: this.path(folder, "cache"),
      sock_dir: this.path(folder, "run"),
      pidfile: this.path(folder, "run", "pid"),
      log_file: this.path(folder, "log"),
      ...more,
    };
    // As an operator writes it, for the client reads it at every start.
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
      async () => await answers(this.requestPort) && existsSync(this.path("master", "run", "master_event_pub.ipc")),
    );
    return daemon;
  }

  /** Starts a minion; whoever asks must wait for it to have signed in. */
  startMinion(side: Side, id: string, more: Record<string, unknown> = {}): Daemon {
    this.#write("minion", id, { id, master: "127.0.0.1", master_port: this.requestPort, ...more });
    return this.run([...side.command("salt-minion"), "-c", this.config(id)], this.path(id, "out"));
  }

  /** Waits for something to become true; fails at once when that daemon has ended. */
  async until(daemon: Daemon, what: string, met: () => boolean | Promise<boolean>, timeoutMs = 90_000): Promise<void> {
    const limit = performance.now() + timeoutMs;
    while (!await met()) {
      if (daemon.ended !== undefined) throw new Error(`Ended (${daemon.ended}) before ${what}:\n${daemon.tail()}`);
      if (performance.now() > limit) {
        throw new Error(`After ${timeoutMs} ms it is not so that ${what}:\n${daemon.tail()}`);
      }
      await pause(50);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#daemons.splice(0).reverse().map((daemon) => daemon.stop()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
