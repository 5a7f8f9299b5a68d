/**
 * Question: how fast does a master, Brine's or real Salt's, authenticate minions and take their returns? This is the load:
 * many minions in one process, each with its own key, connections and session, and the wire format of real minions.
 *
 * All minions sign in at once: the authentications are timed from the first request to the last reply. What each minion
 * then does with its reply (three RSA decryptions) is not timed, so that only the master is measured. A publication has the
 * same bytes for all minions and is verified and decrypted once for the process, which saves work here but none on the
 * master. Returns are sealed by each minion with its own session, and every reply is decrypted and its nonce compared.
 *
 * Run: node bench/swarm.ts --minions N --master HOST:PORT [--jobs 20] [--pillar ROUNDS] [--highstate ROUNDS --files a.sls,b.sls] [--json]   (bun, deno run -A alike)
 * It ends when all minions have returned that many jobs, or on SIGTERM. With --pillar, all minions ask for their pillar at
 * once that many times, and there are no jobs. With --highstate, all ask for what a highstate needs at once that many times: the first
 * time with the contents of the files that --files names, from then on for their hashes alone. With --json, each event is a line of JSON.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { systemClock } from "../src/async/mod.ts";
import { AuthClient, type SignedIn } from "../src/channel/auth_client.ts";
import { PublicationReader } from "../src/channel/pub_client.ts";
import { RequestClient } from "../src/channel/req_client.ts";
import { cleanPem } from "../src/crypto/rsa_key.ts";
import { messageOf } from "../src/errors.ts";
import { silentLogger } from "../src/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { openTransport } from "../src/transport/mod.ts";
import type { Req, Sub } from "../src/zmtp/mod.ts";
import { minionKeys } from "./keys.ts";

/** A line of the output with `--json`. */
export type SwarmEvent =
  | { event: "connected"; minions: number; ms: number }
  | { event: "authenticated"; minions: number; ms: number }
  | { event: "listening"; minions: number }
  /** All have their pillar; `keys` is how many names are at the top of the first. */
  | { event: "pillar"; ms: number; failed: number; keys: number }
  /** All have what a highstate needs; `requests` is how many each of them sent. */
  | { event: "highstate"; ms: number; failed: number; requests: number }
  /** `ms` is from the publication's arrival to the last reply of the master to a return. */
  | { event: "job"; jid: string; fun: string; ms: number; failed: number };

interface SimulatedMinion {
  id: string;
  auth: AuthClient;
  req: Req;
  sub: Sub;
  requests: RequestClient;
}

const { values } = parseArgs({
  options: {
    minions: { type: "string", default: "100" },
    master: { type: "string", default: "127.0.0.1:4506" },
    jobs: { type: "string" },
    pillar: { type: "string" },
    highstate: { type: "string" },
    /** SLS files of the highstate and files that it manages, below the roots. */
    files: { type: "string", default: "" },
    /** The options `transport` and `ssl`, as JSON. */
    transport: { type: "string", default: "{}" },
    /** Size of the minions' keys. */
    bits: { type: "string", default: "2048" },
    json: { type: "boolean", default: false },
  },
});
const count = Number(values.minions);
const wanted = values.jobs === undefined ? Infinity : Number(values.jobs);
const [, host, port] = /^(.*):(\d+)$/.exec(values.master) ?? [];
if (host === undefined || !Number.isInteger(count) || count < 1) {
  console.error("Usage: swarm.ts --minions N --master HOST:PORT [--jobs 20] [--pillar ROUNDS] [--json]");
  process.exit(64);
}

const runtime = await currentRuntime();
const { crypto, clock } = runtime;
const sockets = openTransport({ runtime, log: silentLogger, opts: JSON.parse(values.transport) });

function tell(event: SwarmEvent): void {
  if (values.json) return console.log(JSON.stringify(event));
  const { event: name, ...fields } = event;
  console.log(
    name,
    ...Object.entries(fields).map(([key, value]) => `${key}=${typeof value === "number" ? Math.round(value) : value}`),
  );
}

const width = String(count - 1).length;
const bits = Number(values.bits);
/** Long keys take seconds to make: a few of them serve all minions. */
const few = bits > 2048 ? Math.min(count, 20) : count;
const pairs = await minionKeys(crypto, few, (line) => console.error(line), bits);
const minions = Array.from({ length: count }, (_, index): SimulatedMinion => {
  const pair = pairs[index % few]!;
  const id = `swarm${String(index).padStart(width, "0")}`;
  const identity = { id, key: crypto.loadPrivateKey(pair.privatePem), publicPem: cleanPem(pair.publicPem) };
  let record: string | undefined;
  const auth = new AuthClient({
    crypto,
    log: silentLogger,
    identity,
    isBrine: true,
    masterKeyRecord: { read: () => record, write: (pem) => record = pem },
  });
  const req = sockets.req({ sendHighWaterMark: 0, lingerMs: 0 });
  const requests = new RequestClient({
    crypto,
    clock,
    log: silentLogger,
    auth,
    identity,
    exchange: async (bytes, how) => (await req.request(bytes, how))[0]!,
    signIn: () => Promise.reject(new Error(`The master no longer knows the session of ${id}`)),
  });
  return { id, auth, req, sub: sockets.sub({ receiveHighWaterMark: 0 }), requests };
});

/** Resolves once each of the sockets has a peer. */
function connected(all: readonly (Req | Sub)[], endpoint: string): Promise<void> {
  let left = all.length;
  return new Promise((resolve) => {
    for (const socket of all) {
      let known = false;
      socket.onConnect(() => {
        if (known) return;
        known = true;
        if (--left === 0) resolve();
      });
      socket.connect(endpoint);
    }
  });
}

/** A reply that accepts a minion has several RSA blocks; one that says "later" has a few bytes. */
const SHORT_REPLY = 256;

/** Signs in until the master accepts the minion: under load it replies "later" with a delay. */
async function signIn(index: number): Promise<Uint8Array> {
  const { auth, req } = minions[index]!;
  for (;;) {
    const [reply] = await req.request(sent[index]!.bytes, { timeoutMs: 600_000 });
    const outcome = reply!.length < SHORT_REPLY ? auth.outcome(reply!, sent[index]!) : undefined;
    if (outcome?.state !== "later") return reply!;
    await systemClock.sleep(outcome.afterMs);
    sent[index] = auth.request();
  }
}

let start = performance.now();
await connected(minions.map(({ req }) => req), `tcp://${host}:${port}`);
tell({ event: "connected", minions: count, ms: performance.now() - start });

// Built before the time starts: only the master is measured.
const sent = minions.map(({ auth }) => auth.request());
start = performance.now();
const replies = await Promise.all(minions.map((_, index) => signIn(index)));
const authMs = performance.now() - start;
let signedIn: SignedIn | undefined;
for (const [index, { auth }] of minions.entries()) {
  const outcome = auth.outcome(replies[index]!, sent[index]!);
  if (outcome.state !== "accepted") throw new Error(`The master answers "${outcome.state}": is auto_accept on?`);
  signedIn = outcome.signedIn;
  // The token of every request: one private-key operation, done once as by real minions.
  void auth.proof;
}
tell({ event: "authenticated", minions: count, ms: authMs });

/** Grains of a minion on a small machine: about forty names. */
function grainsOf(id: string): Record<string, unknown> {
  const plain = Array.from({ length: 30 }, (_, at) => [`grain_${at}`, `value ${at} of a grain of usual length`]);
  return {
    ...Object.fromEntries(plain),
    id,
    os: "Debian",
    os_family: "Debian",
    osrelease: "12",
    kernel: "Linux",
    roles: ["web", "cache"],
    ipv4: ["10.0.0.7", "127.0.0.1"],
    ip4_interfaces: { eth0: ["10.0.0.7"], lo: ["127.0.0.1"] },
  };
}

const ONCE = { timeoutMs: 600_000, tries: 1 };

async function askPillar({ id, requests }: SimulatedMinion): Promise<Record<string, unknown>> {
  const load = {
    cmd: "_pillar",
    grains: grainsOf(id),
    saltenv: null,
    pillarenv: null,
    pillar_override: {},
    extra_minion_data: {},
    ver: "2",
  };
  return await requests.sendPrivate(load, ONCE) as Record<string, unknown>;
}

/** Has all minions do something at once. @returns how long it took, and for how many it failed */
async function allAtOnce(work: (minion: SimulatedMinion) => Promise<void>): Promise<{ ms: number; failed: number }> {
  let failed = 0;
  const began = performance.now();
  await Promise.all(minions.map(async (minion) => {
    try {
      await work(minion);
    } catch (error) {
      if (failed++ === 0) console.error(`${minion.id}: ${messageOf(error)}`);
    }
  }));
  return { ms: performance.now() - began, failed };
}

for (let round = 0; round < Number(values.pillar ?? 0); round++) {
  let keys = 0;
  const took = await allAtOnce(async (minion) => {
    keys = Object.keys(await askPillar(minion)).length;
  });
  tell({ event: "pillar", ...took, keys });
}
if (values.pillar !== undefined) process.exit(0);

/** Kinds of custom modules that real Salt's minion looks for before a highstate. */
const SYNCED = 18;

/**
 * Sends what real Salt's minion sends during a highstate, in its order: pillar, the master's options, the top file, custom modules of
 * each kind, then each file: its hash and its mode, and its content if that is not cached.
 *
 * @returns the number of requests
 */
async function highstate(minion: SimulatedMinion, files: readonly string[], withContents: boolean): Promise<number> {
  let sent = 1;
  const ask = async (load: Record<string, unknown>) => {
    sent++;
    return await minion.requests.send({ id: minion.id, ...load }, ONCE) as Record<string, unknown>;
  };
  const file = async (path: string) => {
    const { hsum } = await ask({ cmd: "_file_hash", path, saltenv: "base" });
    if (typeof hsum !== "string") throw new Error(`The master has no ${path}`);
    await ask({ cmd: "_file_find", path, saltenv: "base" });
    if (!withContents) return;
    const { data } = await ask({ cmd: "_serve_file", path, saltenv: "base", loc: 0, gzip: null });
    if (data === undefined) throw new Error(`The master sends nothing of ${path}`);
  };
  await askPillar(minion);
  await ask({ cmd: "_master_opts" });
  await ask({ cmd: "_file_envs" });
  await file("top.sls");
  await ask({ cmd: "_master_tops", opts: { id: minion.id, grains: grainsOf(minion.id) } });
  for (let kind = 0; kind < SYNCED; kind++) await ask({ cmd: "_file_list", saltenv: "base", prefix: "_modules" });
  await ask({ cmd: "_file_list", saltenv: "base", prefix: "" });
  for (const path of files) await file(path);
  return sent;
}

const highstateFiles = values.files.split(",").filter((name) => name !== "");
for (let round = 0; round < Number(values.highstate ?? 0); round++) {
  let requests = 0;
  const took = await allAtOnce(async (minion) => {
    requests = await highstate(minion, highstateFiles, round === 0);
  });
  tell({ event: "highstate", ...took, requests });
}
if (values.highstate !== undefined) process.exit(0);

const reader = new PublicationReader({
  crypto,
  log: silentLogger,
  signedIn: () => signedIn,
  signIn: () => Promise.reject(new Error("The master has another key now")),
  requireSignature: true,
  topics: new Set(["broadcast"]),
});

interface Job {
  began: number;
  answered: number;
  failed: number;
  load: Promise<Record<string, unknown> | undefined>;
}
const jobs = new Map<string, Job>();
let done = 0;

/** The job of a publication: decrypted once, by the first minion that receives it. */
function jobOf(frames: readonly Uint8Array[]): Job {
  const bytes = frames[frames.length - 1]!;
  // The signature or MAC at either end is different for each publication.
  const key = String.fromCharCode(...bytes.subarray(-64), ...bytes.subarray(16, 80));
  let job = jobs.get(key);
  if (job === undefined) {
    job = { began: performance.now(), answered: 0, failed: 0, load: reader.read(frames) };
    jobs.set(key, job);
  }
  return job;
}

async function answer(minion: SimulatedMinion, frames: readonly Uint8Array[]): Promise<void> {
  const job = jobOf(frames);
  const load = await job.load;
  if (load === undefined) return;
  const ret: Record<string, unknown> = { cmd: "_return", id: minion.id, success: true, return: true, retcode: 0 };
  ret.jid = load.jid;
  ret.fun = load.fun;
  ret.fun_args = load.arg;
  if (load.user !== undefined) ret.user = load.user;
  try {
    await minion.requests.send(ret, { timeoutMs: 600_000, tries: 1 });
  } catch (error) {
    if (job.failed++ === 0) console.error(`${minion.id}: ${messageOf(error)}`);
  }
  if (++job.answered < count) return;
  tell({
    event: "job",
    jid: String(load.jid),
    fun: String(load.fun),
    ms: performance.now() - job.began,
    failed: job.failed,
  });
  if (++done >= wanted) process.exit(0);
}

for (const minion of minions) {
  minion.sub.subscribe("");
  minion.sub.onMessage((frames) => void answer(minion, frames));
}
await connected(minions.map(({ sub }) => sub), `tcp://${host}:${signedIn!.publishPort}`);
tell({ event: "listening", minions: count });
