/**
 * Real PostgreSQL, Redis, MariaDB, LDAP and NATS servers for tests, where they are installed: each with a directory and a port of its
 * own. `sharedPostgres()`, `sharedRedis()` and `sharedMariadb()` give the one server of the run, for files that ask it for databases of their own.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { pause, until } from "../../bench/bed/until.ts";

export interface TestServer {
  readonly port: number;
  /** Ends the process as if its host lost power: what was not saved is lost. */
  stop(): Promise<void>;
  /** Ends it and its processes with SIGKILL: PostgreSQL's end more gently with {@link TestServer.stop}. */
  kill(): Promise<void>;
  /** Starts it again on the same port and directory. */
  start(): Promise<void>;
  /** A number that nobody else has: of a database of Redis, or for the name of one of PostgreSQL. */
  fresh(): number;
  /** Ends it and removes its directory. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A user without privileges, which PostgreSQL insists on. */
const NOBODY = "postgres";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function found(name: string, folders: string[]): string | undefined {
  return [...folders, ...(process.env.PATH ?? "").split(":")].map((folder) => path.join(folder, name)).find(existsSync);
}

/** True once something answers to a greeting on the port as one that is ready. */
function answers(port: number, greeting: string, ready: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => socket.write(greeting));
    socket.once("data", (chunk) => done(chunk.toString().startsWith(ready)));
    socket.once("error", () => done(false));
    socket.once("close", () => done(false));
  });
}

interface Recipe {
  port: number;
  directory: string;
  command: string;
  words: string[];
  /** What a server that is ready answers to. */
  greeting: string;
  /** What that begins with. */
  ready: string;
  /** Whether the process is run by {@link NOBODY}. */
  lowered: boolean;
}

function ids(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, NOBODY], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** State and parent of a process; undefined if there is none. Linux only. */
function statOf(pid: number | string): { state: string; parent: number } | undefined {
  try {
    // The name before stands in brackets, and may have spaces and brackets.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
    return { state: state!, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && statOf(name)?.parent === pid).map(Number);
}

function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== "Z";
}

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Ends a server that nobody ended and removes its directory, once the process that started it is gone: only then does the guard's standard
 * input end. The event `exit` comes on Node alone, and never after SIGKILL.
 */
function guarded(pid: number, signal: string, directory: string): ChildProcess {
  const script =
    'cat; kill -s "$1" "$2"; n=0; while kill -0 "$2" && [ $((n += 1)) -lt 100 ]; do sleep 0.1; done; rm -rf "$3"';
  const guard = spawn("sh", ["-c", script, "sh", signal.slice("SIG".length), String(pid), directory], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  for (const part of [guard, guard.stdin]) (part as { unref?(): void }).unref?.();
  return guard;
}

function server({ port, directory, command, words, greeting, ready, lowered }: Recipe): TestServer {
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> | undefined;
  let given = 0;
  let guard: ChildProcess | undefined;
  // PostgreSQL has processes of its own to end; Redis would look at its disk once more, and slapd waits for connections.
  const ending = command.endsWith("postgres") ? "SIGQUIT" : "SIGKILL";
  const own: TestServer = {
    port,
    fresh: () => ++given,
    async start() {
      let said = "";
      const started = child = spawn(command, words, {
        cwd: directory,
        stdio: ["ignore", "pipe", "pipe"],
        ...(lowered ? ids() : {}),
      });
      started.stdout!.on("data", (chunk) => said += chunk);
      started.stderr!.on("data", (chunk) => said += chunk);
      let gone = false;
      ended = new Promise<void>((resolve) => started.once("exit", () => resolve(void (gone = true))));
      guard = guarded(started.pid!, ending, directory);
      while (!await answers(port, greeting, ready)) {
        if (gone) throw new Error(`${command} has ended: ${said}`);
        await pause(20);
      }
      // A server that runs keeps no test process from ending.
      for (const part of [started, started.stdout, started.stderr]) (part as { unref?(): void }).unref?.();
    },
    async stop() {
      guard?.kill("SIGKILL");
      child?.kill(ending);
      const limit = setTimeout(() => child?.kill("SIGKILL"), 20_000);
      await ended;
      clearTimeout(limit);
      child = undefined;
    },
    async kill() {
      const { pid } = child!;
      guard?.kill("SIGKILL");
      // The first one goes first: it would start the others again.
      const pids = [pid!, ...childrenOf(pid!)];
      for (const one of pids) killed(one);
      await ended;
      child = undefined;
      // A server that starts while one of them has its memory refuses to.
      await until("the processes of the server end", () => !pids.some(isAlive));
    },
    async [Symbol.asyncDispose]() {
      await own.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return own;
}

/** Where PostgreSQL's programs are; undefined if it is not installed. */
function postgresBin(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const initdb = found("initdb", versions.map((version) => path.join(root, version, "bin")));
  return initdb === undefined ? undefined : path.dirname(initdb);
}

/** Why there is no PostgreSQL to test with; undefined if there is. */
export function noPostgres(): string | undefined {
  return postgresBin() === undefined ? "PostgreSQL is not installed (apt-get install postgresql)" : undefined;
}

/** Why there is no Redis to test with; undefined if there is. */
export function noRedis(): string | undefined {
  return found("redis-server", []) === undefined ? "Redis is not installed (apt-get install redis-server)" : undefined;
}

/** A PostgreSQL with a user `salt`, who may do everything, and the database `postgres`. */
export async function startPostgres(): Promise<TestServer> {
  const bin = postgresBin()!;
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), "brine-postgres-"));
  const owner = ids();
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  chmodSync(directory, 0o700);
  const data = path.join(directory, "data");
  execFileSync(path.join(bin, "initdb"), ["-D", data, "-U", "salt", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    stdio: "ignore",
    cwd: directory,
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    ...owner,
  });
  // The first message of version 3.0, which is answered by a request for, or word of, authentication; or by an error.
  const body = "\0\x03\0\0user\0salt\0database\0postgres\0\0";
  const greeting = `\0\0\0${String.fromCharCode(body.length + 4)}${body}`;
  const words = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", directory, "-c", "shared_buffers=16MB"];
  // What the process has written survives it: the host keeps running.
  words.push("-c", "fsync=off");
  const own = server({
    port,
    directory,
    command: path.join(bin, "postgres"),
    words,
    greeting,
    ready: "R",
    lowered: owner !== undefined,
  });
  await own.start();
  return own;
}

/**
 * Gives one server to all files of a process, which run one after the other. Whoever needs it first starts it, and the end of the
 * process ends it. A file that stops it starts it again.
 */
function shared(start: () => Promise<TestServer>): () => Promise<TestServer> {
  let server: Promise<TestServer> | undefined;
  return () => server ??= start();
}

/** The PostgreSQL of this run; see {@link startPostgres}. */
export const sharedPostgres = shared(startPostgres);

/** The Redis of this run; see {@link startRedis}. */
export const sharedRedis = shared(startRedis);

/** Why there is no MariaDB to test with; undefined if there is. */
export function noMariadb(): string | undefined {
  const names = ["mariadbd", "mariadb-install-db", "mariadb"];
  const missing = names.find((name) => found(name, ["/usr/sbin", "/usr/bin"]) === undefined);
  return missing === undefined ? undefined : `There is no ${missing} (apt-get install mariadb-server)`;
}

/** A MariaDB with a user `root` without a password. */
export async function startMariadb(): Promise<TestServer> {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), "brine-mariadb-"));
  const owner = ids();
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  const data = path.join(directory, "data");
  const own = ["--no-defaults", `--datadir=${data}`];
  const install = [...own, "--auth-root-authentication-method=normal", "--skip-test-db"];
  execFileSync(found("mariadb-install-db", ["/usr/bin"])!, install, { stdio: "ignore", cwd: directory, ...owner });
  const words = [...own, `--port=${port}`, "--bind-address=127.0.0.1", `--socket=${path.join(directory, "socket")}`];
  // What the process has written survives it: the host keeps running.
  words.push(`--pid-file=${path.join(directory, "pid")}`, "--innodb-flush-log-at-trx-commit=2");
  const running = server({
    port,
    directory,
    command: found("mariadbd", ["/usr/sbin"])!,
    words,
    greeting: "",
    // It speaks first.
    ready: "",
    lowered: owner !== undefined,
  });
  await running.start();
  return running;
}

/** The MariaDB of this run; see {@link startMariadb}. */
export const sharedMariadb = shared(startMariadb);

/** A Redis that writes everything down. */
export async function startRedis(): Promise<TestServer> {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), "brine-redis-"));
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--databases", "500"];
  words.push("--appendonly", "yes", "--appendfsync", "no");
  const own = server({
    port,
    directory,
    command: found("redis-server", [])!,
    words,
    greeting: "PING\r\n",
    ready: "+PONG",
    lowered: false,
  });
  await own.start();
  return own;
}

/** Why there is no LDAP server to test with; undefined if there is. */
export function noLdap(): string | undefined {
  return found("slapd", ["/usr/sbin"]) === undefined ? "OpenLDAP is not installed (apt-get install slapd)" : undefined;
}

/** The password of the account that the server's configuration knows, `cn=admin,dc=example,dc=com`. */
export const LDAP_PASSWORD = "administrator";

/** An OpenLDAP server over `dc=example,dc=com`, with what an LDIF text has. */
export async function startLdap(ldif: string): Promise<TestServer> {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), "brine-ldap-"));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(directory, name), text);
    return path.join(directory, name);
  };
  mkdirSync(path.join(directory, "data"));
  const schemas = ["core", "cosine", "inetorgperson", "nis"].map((name) => `include /etc/ldap/schema/${name}.schema`);
  const configuration = file(
    "slapd.conf",
    [
      ...schemas,
      "modulepath /usr/lib/ldap",
      "moduleload back_mdb",
      "database mdb",
      'suffix "dc=example,dc=com"',
      'rootdn "cn=admin,dc=example,dc=com"',
      `rootpw ${LDAP_PASSWORD}`,
      `directory ${path.join(directory, "data")}`,
      "access to attrs=userPassword by anonymous auth by * none",
      "access to * by * read",
      "",
    ].join("\n"),
  );
  execFileSync(found("slapadd", ["/usr/sbin"])!, ["-f", configuration, "-l", file("content.ldif", ldif)], {
    stdio: "pipe",
  });
  const own = server({
    port,
    directory,
    command: found("slapd", ["/usr/sbin"])!,
    words: ["-f", configuration, "-h", `ldap://127.0.0.1:${port}`, "-d", "0"],
    // Binds as nobody.
    greeting: "0\x0c\x02\x01\x01`\x07\x02\x01\x03\x04\0\x80\0",
    ready: "0",
    lowered: false,
  });
  await own.start();
  return own;
}

/** Why there is no NATS to test with; undefined if there is. */
export function noNats(): string | undefined {
  if (found("nats-server", ["/usr/sbin"]) === undefined) return "NATS is not installed (apt-get install nats-server)";
  const packages = ["@nats-io/transport-node", "@nats-io/jetstream"];
  const missing = packages.filter((name) => !existsSync(new URL(`../../node_modules/${name}`, import.meta.url)));
  return missing.length > 0 ? `The packages are not installed (npm install ${missing.join(" ")})` : undefined;
}

/** A NATS server with JetStream. @param words further arguments */
export async function startNats(words: string[] = []): Promise<TestServer> {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), "brine-nats-"));
  const own = server({
    port,
    directory,
    command: found("nats-server", ["/usr/sbin"])!,
    words: ["-js", "-a", "127.0.0.1", "-p", String(port), "-sd", directory, ...words],
    // It speaks first.
    greeting: "",
    ready: "INFO",
    lowered: false,
  });
  await own.start();
  return own;
}
