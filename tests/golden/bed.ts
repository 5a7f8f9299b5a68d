/** What the recorded runs of programs ran against, with daemons of ours: a master, three minions, and a key whose minion is not there. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { callMain } from "../../cli/programs/call.ts";
import { keyMain } from "../../cli/programs/key.ts";
import type { Program } from "../../cli/options/request.ts";
import type { ProgramContext } from "../../cli/program/context.ts";
import { runMain } from "../../cli/programs/run.ts";
import { saltCpMain } from "../../cli/programs/salt_cp.ts";
import { saltMain } from "../../cli/programs/salt.ts";
import { type ProgramRun, runInProcess } from "../support/program.ts";
import { PAIRS } from "../support/start_cluster.ts";
import { ownHost } from "../support/own_host.ts";
import { currentRuntime } from "../../src/runtime/current.ts";

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, "../..");
const FIXTURES = path.join(HERE, "fixtures");
const PROBE = path.join(HERE, "probe");

/** Beside what was recorded: where the probes are, and that published commands have no shell, as in the release recorded. */
const MINION = { module_dirs: [PROBE], cmd_published_shell: false };
export const CASES = path.join(HERE, "cli");

/** One recorded run: `README.md` says what each field is. */
export interface Golden {
  id: string;
  category: string;
  program: Program;
  argv: string[];
  env?: Record<string, string>;
  stdin: string | null;
  requires: string;
  setup?: string[];
  stdout: string;
  stderr: string;
  exit_code: number;
  order?: string;
  files?: Record<string, string | null>;
}

export const goldens: readonly Golden[] = readdirSync(CASES).sort()
  .map((name) => JSON.parse(readFileSync(path.join(CASES, name), "utf8")));

const MAINS: Record<string, (context: ProgramContext) => Promise<number>> = {
  "salt": saltMain,
  "salt-call": callMain,
  "salt-cp": saltCpMain,
  "salt-key": keyMain,
  "salt-run": runMain,
};

/** Words that run a program of ours on the runtime of the test. */
function commandOf(program: string): string[] {
  const deno = process.versions.deno !== undefined && process.versions.bun === undefined;
  const words = deno ? ["run", "-A", "--no-check", "--quiet"] : [];
  return [process.execPath, ...words, path.join(ROOT, "cli", `${program}.ts`)];
}

/** A program of ours in a process of its own. */
export function runProgramOf(program: string, argv: readonly string[], options: {
  cwd: string;
  env?: Record<string, string>;
  stdin?: string | null;
}): Promise<ProgramRun> {
  const [command, ...words] = commandOf(program);
  return new Promise((resolve, reject) => {
    const child = spawn(command!, [...words, ...argv], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const run = { stdout: "", stderr: "", exitCode: 0 };
    child.stdout.setEncoding("utf8").on("data", (text: string) => run.stdout += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => run.stderr += text);
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...run, exitCode: code ?? -1 }));
    child.stdin.on("error", () => {});
    child.stdin.end(options.stdin ?? "");
  });
}

/** Two free ports. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(servers.map((server) =>
    new Promise<number>((resolve) =>
      server.listen({ port: 0, host: "127.0.0.1" }, () => resolve((server.address() as { port: number }).port))
    )
  ));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports as [number, number];
}

const daemons = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of daemons) child.kill("SIGKILL");
});

/** Most of the time goes into waiting for a minion that is not there. */
const QUICK = { timeout: 2, gather_job_timeout: 2 };

const STATUSES = ["minions", "minions_pre", "minions_rejected", "minions_denied"];

export class Bed implements AsyncDisposable {
  readonly root = mkdtempSync(path.join(tmpdir(), "brine-golden-"));
  readonly #daemons: ChildProcess[] = [];
  #ports: [number, number] = [0, 0];

  /** @param minion options of the minions, beside those of {@link MINION} */
  static async start(minion: Record<string, unknown> = {}): Promise<Bed> {
    const bed = new Bed();
    try {
      bed.#ports = await freePorts();
      bed.#prepare({ ...MINION, ...minion });
      bed.#startDaemon("salt-master", "conf");
      for (const id of ["alpha", "beta", "gamma"]) bed.#startDaemon("salt-minion", `conf-${id}`);
      await bed.#signedIn();
      return bed;
    } catch (error) {
      await bed[Symbol.asyncDispose]();
      throw error;
    }
  }

  get work(): string {
    return path.join(this.root, "work");
  }

  /** A text with the paths of this bed in place of their names. */
  fill(text: string): string {
    const { root } = this;
    return text
      .replaceAll("34505", String(this.#ports[0]))
      .replaceAll("34506", String(this.#ports[1]))
      .replaceAll(/\{MINION_CONF:(\w+)\}/g, `${root}/conf-$1`)
      .replaceAll(/\{MINION_ROOT:(\w+)\}/g, `${root}/minion-$1`)
      .replaceAll("{CONF}", `${root}/conf`)
      .replaceAll("{LOCALCONF}", `${root}/conf-local`)
      .replaceAll("{KEYCONF}", `${root}/conf-keys`)
      .replaceAll("{WORK}", this.work)
      .replaceAll("{FILE_ROOT}", `${root}/srv`)
      .replaceAll("{PILLAR_ROOT}", path.join(FIXTURES, "pillar"))
      .replaceAll("{MASTER_CACHE}", `${root}/cache/master`)
      .replaceAll("{BIN}", `${root}/bin`)
      .replaceAll("{ROOT}", root);
  }

  #configure(directory: string, from: string, name: string, more: Record<string, unknown>): void {
    mkdirSync(path.join(this.root, directory));
    const recorded = readFileSync(path.join(FIXTURES, "conf", from), "utf8")
      .replace(/^runner_dirs: .*\n/m, "");
    const lines = Object.entries(more).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    writeFileSync(path.join(this.root, directory, name), this.fill(recorded) + lines.join(""));
  }

  #pair(directory: string, name: string, pair: { privatePem: string; publicPem: string }): void {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(directory, `${name}.pem`), pair.privatePem, { mode: 0o400 });
    writeFileSync(path.join(directory, `${name}.pub`), pair.publicPem, { mode: 0o644 });
  }

  #prepare(minion: Record<string, unknown>): void {
    const { root } = this;
    mkdirSync(this.work);
    mkdirSync(path.join(root, "host"));
    // The recorded tree; our probes are elsewhere, so that it lists as it was.
    cpSync(path.join(FIXTURES, "salt"), path.join(root, "srv"), { recursive: true });
    const ok = path.join(root, "srv/ok.sls");
    writeFileSync(ok, this.fill(readFileSync(ok, "utf8")));
    this.#configure("conf", "master", "master", { ...QUICK, runner_dirs: [path.join(PROBE, "runners")] });
    this.#configure("conf-local", "minion-local", "minion", minion);
    this.#configure("conf-keys", "master-keys", "master", {});
    this.#pair(path.join(root, "pki/master"), "master", PAIRS.master);
    const accepted = path.join(root, "pki/master/minions");
    mkdirSync(accepted);
    for (const id of ["alpha", "beta", "gamma"]) {
      this.#configure(`conf-${id}`, `minion-${id}`, "minion", minion);
      this.#pair(path.join(root, `minion-${id}`, "pki"), "minion", PAIRS.minion);
      writeFileSync(path.join(accepted, id), PAIRS.minion.publicPem);
    }
    writeFileSync(path.join(accepted, "ghost"), PAIRS.other.publicPem);
    mkdirSync(path.join(root, "bin"));
    const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    const script = `#!/bin/sh\nexec ${commandOf("salt").map(quoted).join(" ")} "$@"\n`;
    writeFileSync(path.join(root, "bin/salt"), script, { mode: 0o755 });
  }

  #startDaemon(program: string, conf: string): void {
    const output = openSync(path.join(this.root, `${conf}.out`), "a");
    const [command, ...words] = commandOf(program);
    const child = spawn(command!, [...words, "-c", path.join(this.root, conf)], { stdio: ["ignore", output, output] });
    daemons.add(child);
    child.once("exit", () => daemons.delete(child));
    this.#daemons.push(child);
    closeSync(output);
  }

  /** Resolves when all minions answer. */
  async #signedIn(): Promise<void> {
    const limit = performance.now() + 45_000;
    for (;;) {
      const words = ["-c", `${this.root}/conf`, "-L", "alpha,beta,gamma", "-t", "5", "--out=json", "--static"];
      const { stdout } = await runInProcess("salt", saltMain, [...words, "test.ping"]);
      if (stdout.match(/: true/g)?.length === 3) return;
      if (performance.now() > limit) throw new Error(`The minions do not answer: ${stdout}\n${this.logs()}`);
    }
  }

  /** The logs of the daemons. */
  logs(): string {
    const files = readdirSync(this.root).filter((name) => name.endsWith(".out"));
    return files.map((name) => `${name}:\n${readFileSync(path.join(this.root, name), "utf8")}`).join("\n");
  }

  /** Lays the key directories that a run of salt-key was recorded with. */
  #layKeys(layout: string): void {
    const pki = path.join(this.root, "keys/pki");
    rmSync(pki, { recursive: true, force: true });
    for (const status of STATUSES) mkdirSync(path.join(pki, status), { recursive: true });
    const copy = (name: string, to: string) => {
      copyFileSync(path.join(FIXTURES, "keys", `${name}.pub`), path.join(pki, to));
      chmodSync(path.join(pki, to), 0o644);
    };
    if (layout !== "empty") {
      const { std } = JSON.parse(readFileSync(path.join(FIXTURES, "keys/layouts.json"), "utf8"));
      for (const status of STATUSES) for (const id of std[status]) copy(id, `${status}/${id}`);
      copy("master", "master.pub");
    }
    if (layout === "broken") writeFileSync(path.join(pki, "minions_pre/junk"), "not a key\n");
  }

  /** Runs what was run: in this process, or as a program. */
  async run(golden: Golden, how: { asProgram?: boolean } = {}): Promise<ProgramRun> {
    const layout = /key fixture layout: (\w+)/.exec(golden.requires)?.[1];
    if (layout !== undefined) this.#layKeys(layout);
    for (const line of golden.setup ?? []) execFileSync("sh", ["-c", this.fill(line)], { cwd: this.work });
    const argv = golden.argv.map((word) => this.fill(word));
    const env = Object.fromEntries(Object.entries(golden.env ?? {}).map(([name, value]) => [name, this.fill(value)]));
    if (how.asProgram) {
      return await runProgramOf(golden.program, argv, { cwd: this.work, env, stdin: golden.stdin });
    }
    // `--args-stdin` takes the place of all words, those that name the configuration among them.
    const runtime = ownHost(await currentRuntime(), path.join(this.root, "host"));
    return await runInProcess(golden.program, MAINS[golden.program]!, argv, golden.stdin ?? "", { env, runtime });
  }

  /** What a file of the bed holds; null if there is none. */
  read(name: string): string | null {
    const file = this.fill(name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#daemons.map((child) =>
      new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
        child.once("exit", () => {
          clearTimeout(timer);
          resolve();
        });
        child.kill("SIGTERM");
      })
    ));
    rmSync(this.root, { recursive: true, force: true });
  }
}

