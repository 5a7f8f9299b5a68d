#!/usr/bin/env -S node
/**
 * The quick start: a master, three minions and the HTTP API in a temporary directory, on free ports of the loopback, one
 * minion on each runtime that is present. Keys are accepted, commands are run and shown, and everything is removed again.
 */
import "./daemon/no_inspector.ts";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { leftRunning, saltCommand } from "./demo/advice.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { demoMasterOptions, demoMinionOptions, drift, writeDemoTree } from "./demo/tree.ts";
import { DENO_WORDS, findRuntimes, type RuntimeCommand } from "./demo/runtimes.ts";

const USAGE = `Usage: demo [--keep]

Starts a master, three minions and the HTTP API in a temporary directory, runs
commands against them, and removes everything at the end.

Options:
  -h, --help            Show this text and exit.
  --keep                Keep everything running until Ctrl-C.`;

const here = fileURLToPath(new URL(".", import.meta.url));
const color = process.stdout.isTTY === true;
const paint = (code: string, text: string) => color ? `\u001b[${code}m${text}\u001b[0m` : text;
const say = (text: string) => console.log(paint("1", `\n# ${text}`));

async function freePorts(): Promise<[number, number, number]> {
  const servers = await Promise.all([0, 0, 0].map(() =>
    new Promise<ReturnType<typeof createServer>>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => resolve(server));
    })
  ));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [ports[0]!, ports[1]!, ports[2]!];
}

/** True if the console is built: npm's installation builds it, and so can Deno alone. */
function haveConsole(): boolean {
  const page = join(here, "../dist/console/index.html");
  if (existsSync(page)) return true;
  if (!("Deno" in globalThis)) return false;
  say("The console, built by Deno");
  spawnSync(process.execPath, [...DENO_WORDS, join(here, "../scripts/console.ts"), "--if-possible"], {
    stdio: "inherit",
  });
  return existsSync(page);
}

const words = process.argv.slice(2);
const help = words.includes("--help") || words.includes("-h");
const unknown = words.find((word) => word !== "--keep");
if (help || unknown !== undefined) {
  if (help) console.log(USAGE);
  else console.error(`${USAGE}\n\ndemo: error: no such option: ${unknown}`);
  process.exit(help ? 0 : 64);
}
const keep = words.includes("--keep");

const root = mkdtempSync(join(tmpdir(), "brine-"));
const daemons: ChildProcess[] = [];
let stopping = false;
/** True once the demonstration waits for Ctrl-C. */
let kept = false;

async function stopAll(): Promise<void> {
  stopping = true;
  await Promise.all(daemons.map((child) =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      const force = setTimeout(() => child.kill("SIGKILL"), 5000);
      child.once("exit", () => {
        clearTimeout(force);
        resolve();
      });
      child.kill("SIGTERM");
    })
  ));
  rmSync(root, { recursive: true, force: true });
}

/** Starts a daemon; `heard(text)` resolves when its log contains the text. */
function start(runtime: RuntimeCommand, program: string, conf: string) {
  if (stopping) throw new Error("it is stopping");
  const [command = "", ...words] = [...runtime.argv, join(here, `${program}.ts`), "-c", conf, "-l", "info"];
  const child = spawn(command, words, { stdio: ["ignore", "inherit", "pipe"] });
  daemons.push(child);
  let log = "";
  const waiting: { text: string; resolve(): void; reject(error: Error): void }[] = [];
  child.stderr!.setEncoding("utf8");
  child.stderr!.on("data", (chunk: string) => {
    log += chunk;
    for (const wait of [...waiting]) {
      if (!log.includes(wait.text)) continue;
      waiting.splice(waiting.indexOf(wait), 1);
      wait.resolve();
    }
  });
  child.once("exit", (code) => {
    if (stopping) return;
    const error = new Error(`${program} on ${runtime.name} exited with ${code}:\n${log}`);
    for (const wait of waiting) wait.reject(error);
  });
  return {
    heard: (text: string) =>
      new Promise<void>((resolve, reject) => {
        if (log.includes(text)) return resolve();
        const timer = setTimeout(
          () => reject(new Error(`${program} on ${runtime.name} did not print "${text}":\n${log}`)),
          60_000,
        );
        waiting.push({
          text,
          resolve: () => {
            clearTimeout(timer);
            resolve();
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        });
      }),
  };
}

/** Prints a command line, runs it and shows its output. */
function show(runtime: RuntimeCommand, program: string, words: string[], conf: string): void {
  const quoted = words.map((word) => /^[\w./:=@%-]+$/.test(word) ? word : `'${word}'`).join(" ");
  console.log(`\n${paint("36", `$ ${program} ${quoted}`)}`);
  const [command = "", ...before] = runtime.argv;
  const { status } = spawnSync(command, [...before, join(here, `${program}.ts`), "-c", conf, ...words], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`${program} ${quoted} exited with ${status}`);
}

/** Prints a request to the HTTP API, and the response. */
async function request(url: string, body: Record<string, unknown>, token = ""): Promise<Record<string, unknown>[]> {
  console.log(
    `\n${paint("36", `POST ${url} ${JSON.stringify({ ...body, ..."password" in body ? { password: "…" } : {} })}`)}`,
  );
  const { http } = await currentRuntime();
  const response = await http.request(url, {
    method: "POST",
    headers: new Headers({ "Content-Type": "application/json", "X-Auth-Token": token }),
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the HTTP API answered ${response.status}: ${text}`);
  return (JSON.parse(text) as { return: Record<string, unknown>[] }).return;
}

/** The master of the demonstration, and the HTTP API beside it. */
interface Site {
  own: RuntimeCommand;
  /** Directory of the master's configuration. */
  conf: string;
  /** Address of the HTTP API. */
  api: string;
  requestPort: number;
  password: string;
}

async function main(): Promise<void> {
  const runtimes = findRuntimes();
  const own = runtimes[0];
  if (own === undefined) throw new Error("This runtime is too old: install Node 24 or newer, Bun or Deno");
  const site = await configureSite(own);
  const ready = await startMasterAndMinions(site, runtimes);
  say("Their pending keys");
  show(own, "salt-key", ["-L"], site.conf);
  show(own, "salt-key", ["-A", "-y"], site.conf);
  await ready();
  runCommands(site);
  // Check before the gateway starts, because the gateway looks for the console only once.
  const hasConsole = keep && haveConsole();
  await callHttpApi(site);
  if (keep) await keepRunning(site, hasConsole);
}

/** Writes the configuration of the master and the HTTP API, with a user `demo`. */
async function configureSite(own: RuntimeCommand): Promise<Site> {
  const [publishPort, requestPort, httpPort] = await freePorts();
  const password = randomBytes(6).toString("hex");
  writeFileSync(join(root, "users"), `demo:${password}\n`, { mode: 0o600 });
  const conf = join(root, "master.d");
  mkdirSync(conf);
  writeDemoTree(root);
  writeFileSync(
    join(conf, "master"),
    `root_dir: ${root}/m\ninterface: 127.0.0.1\npublish_port: ${publishPort}\nret_port: ${requestPort}\nid: demo\n` +
      `external_auth:\n  file:\n    ^filename: ${root}/users\n    demo: ['.*', '@runner', '@wheel']\n` +
      `netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async]\n` +
      `rest_cherrypy: {host: 127.0.0.1, port: ${httpPort}, disable_ssl: True}\n` +
      `api_pidfile: ${root}/api.pid\napi_logfile: ${root}/api.log\n${demoMasterOptions(root)}`,
  );
  return { own, conf, api: `http://127.0.0.1:${httpPort}`, requestPort, password };
}

/** Starts a master and three minions, and tells the master their keys. @returns waits until the minions are accepted */
async function startMasterAndMinions(
  { own, conf, requestPort }: Site,
  runtimes: readonly RuntimeCommand[],
): Promise<() => Promise<void>> {
  say(`A master on ${own.name} ${own.version}, at 127.0.0.1:${requestPort}, in ${root}`);
  const master = start(own, "salt-master", conf);
  await master.heard("master is running");

  const minions = ["web1", "web2", "db1"].map((id, at) => ({ id, runtime: runtimes[at % runtimes.length]! }));
  say(`Three minions: ${minions.map(({ id, runtime }) => `${id} on ${runtime.name} ${runtime.version}`).join(", ")}`);
  const logs = minions.map(({ id, runtime }, at) => {
    const conf = join(root, `${id}.d`);
    mkdirSync(conf);
    writeFileSync(
      join(conf, "minion"),
      `root_dir: ${root}/${at}\nmaster: 127.0.0.1\nmaster_port: ${requestPort}\nid: ${id}\nacceptance_wait_time: 1\n` +
        demoMinionOptions(root, id),
    );
    return start(runtime, "salt-minion", conf);
  });
  for (const { id } of minions) await master.heard(`new key pending: id=${id}`);
  return async () => void await Promise.all(logs.map((log) => log.heard("minion is ready")));
}

/** Runs `salt` and `salt-run` against the minions. */
function runCommands({ own, conf }: Site): void {
  say("Now the minions answer");
  show(own, "salt", ["*", "test.ping"], conf);
  show(own, "salt", ["*", "grains.item", "id", "role", "brineruntime", "os", "--out=yaml", "--static"], conf);
  show(own, "salt", ["-G", "role:web", "cmd.run", "echo hello from $(uname -sr)"], conf);
  show(own, "salt-run", ["manage.status"], conf);
  say("States: the desired result for each host");
  show(own, "salt", ["web1", "state.apply", "shop"], conf);
  show(own, "salt", ["*", "state.apply", "--state-output=terse"], conf);
  say(`A host drifts: somebody has changed ${drift(root, "web2")}`);
  show(own, "salt", ["*", "state.apply", "test=True", "--state-output=changes", "--state-verbose=False"], conf);
  show(own, "salt-run", ["jobs.last"], conf);
}

/** Starts the HTTP API, logs in and runs a job. */
async function callHttpApi({ own, conf, api, password }: Site): Promise<void> {
  say("The same over HTTP, through salt-api");
  await start(own, "salt-api", conf).heard("connected to the master");
  const [login] = await request(`${api}/login`, { username: "demo", password, eauth: "file" });
  console.log(JSON.stringify({ ...login, token: "…" }));
  const [ping] = await request(api, { client: "local", tgt: "*", fun: "test.ping" }, String(login!.token));
  console.log(JSON.stringify(ping));
}

/** `--keep`: stays up until Ctrl-C. */
async function keepRunning({ own, conf, api, password }: Site, hasConsole: boolean): Promise<void> {
  const launch = { runtime: own.name, userAgent: process.env.npm_config_user_agent, directory: join(here, "..") };
  const console = hasConsole ? `${api}/console` : undefined;
  say(leftRunning({ salt: saltCommand(launch, process.cwd()), conf, console, api, password, root }));
  kept = true;
  await interrupted;
}

/** The exit codes that a shell reports for programs ended by signals. */
const EXIT_CODES: Record<string, number> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
let exitCode = 0;
let interrupt = () => {};
const interrupted = new Promise<void>((resolve) => interrupt = resolve);
for (const [signal, code] of Object.entries(EXIT_CODES)) {
  process.on(signal as "SIGINT", () => {
    // With `--keep`, Ctrl-C is the expected end.
    if (!kept || signal !== "SIGINT") exitCode ||= code;
    interrupt();
  });
}
// If the terminal closes, nothing can be printed, but the directory with keys and a password must still be removed.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  await Promise.race([main(), interrupted]);
} catch (error) {
  exitCode ||= 1;
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
} finally {
  await stopAll();
}
if (exitCode === 0) {
  say("Everything is stopped and removed");
  console.log(`
Next steps:
  keep the demo running               npm run demo -- --keep      (deno run -A cli/demo.ts --keep)
  set up a master and a minion        docs/getting-started.md
  use Brine alongside Salt            docs/from-salt.md
`);
}
process.exit(exitCode);
