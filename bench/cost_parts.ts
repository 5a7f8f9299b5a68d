/**
 * What nobody who serves returns can do without, each alone: part of `cost.ts`, which runs it on each runtime. Processor time of this
 * process, in microseconds for a return, as JSON.
 *
 * - `sockets`: a publication to each of many connections, a request from each of them, a reply to it; bytes without a protocol;
 * - `crypto`: AES-192-CBC and HMAC-SHA256 of the request and of the reply;
 * - `msgpack`: the envelope and the load read, the reply written;
 * - `sqlite`: a thousand returns that arrive together into the job cache, and their share of its syncs;
 * - `events`: one event made and written to one subscriber.
 *
 * Run: node bench/cost_parts.ts   (bun, deno run -A alike)
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { until } from "./bed/until.ts";
import { Crypticle, newKeyString } from "../src/protocol/crypto/crypticle.ts";
import { silentLogger } from "../src/base/log.ts";
import { JobStore } from "../src/host/master/jobs/durable_saves.ts";
import { sqliteJobCache } from "../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import type { Connection } from "../src/runtime/net.ts";
import { packEvent } from "../src/protocol/wire/event_frame.ts";
import { packIpcFrame } from "../src/protocol/wire/ipc_frame.ts";
import { decode, encode, Packed } from "../src/protocol/wire/msgpack.ts";
import { packPayload, unpackPayload } from "../src/protocol/wire/payload.ts";
import { runtimeCommand } from "./bed/runtimes.ts";

/** Connections of each kind. */
const CONNECTIONS = 500;
const JID = "20261121000128725059";
const NONCE = "4c96565085c441dfa5ed33b1807323ed";

const runtime = await currentRuntime();
const { crypto, net } = runtime;

/** Processor time of all threads of this process so far, in microseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const session = new Crypticle(crypto, newKeyString(crypto));
const RETURN = { cmd: "_return", id: "swarm0001", success: true, return: true, retcode: 0, jid: JID, fun: "test.ping" };
const LOAD = packPayload({
  ...RETURN,
  fun_args: [],
  user: "root",
  nonce: NONCE,
  ts: 1_795_219_288,
  tok: crypto.randomBytes(256),
});
const SEALED = session.seal(LOAD);
const ENVELOPE = {
  enc: "aes",
  load: SEALED,
  version: 3,
  id: "swarm0001",
  enc_algo: "OAEP-SHA1",
  sig_algo: "PKCS1v15-SHA1",
};
const REQUEST = encode(ENVELOPE, "wire");
const PLAIN_REPLY = packPayload(null, NONCE);
const REPLY = encode(session.seal(PLAIN_REPLY), "wire");
/** A publication of `'*' test.ping` with its signature. */
const PUBLICATION = crypto.randomBytes(700);

/** Does it often, after a warm-up. @returns microseconds of processor time each */
function each(count: number, work: () => unknown): number {
  let kept: unknown;
  for (let at = 0; at < count / 2; at++) kept = work();
  const before = cpu();
  for (let at = 0; at < count; at++) kept = work();
  const took = cpu() - before;
  if (kept === process) throw new Error("never: it keeps the work from being left out");
  return took / count;
}

function cryptoPart(): number {
  return each(30_000, () => {
    const [opened, sealed] = [session.open(SEALED), session.seal(PLAIN_REPLY)];
    return opened.length + sealed.length;
  });
}

function msgpackPart(): number {
  return each(30_000, () => {
    const envelope = decode(REQUEST, { mode: "wire" }) as { load: Uint8Array };
    const load = unpackPayload(LOAD, { keep: ["return"] });
    const reply = encode(packPayload(null, NONCE), "wire");
    return [envelope, load, reply];
  });
}

async function sqlitePart(folder: string): Promise<number> {
  const { databases, fs, later, clock } = runtime;
  const now = () => clock.now();
  const jobs = sqliteJobCache({ databases, fs, later, now, path: path.join(folder, "jobs.sqlite") });
  const store = new JobStore({ jobs, later, now, log: silentLogger });
  const value = new Packed(encode(true, "bin"));
  const rounds = 20;
  let before = 0;
  for (let round = -5; round < rounds; round++) {
    if (round === 0) before = cpu();
    const jid = `202611210001${String(100 + round).padStart(8, "0")}`;
    const saving: Promise<unknown>[] = [];
    for (let at = 0; at < 1000; at++) {
      const saved = jobs.saveReturn(jid, {
        minion: `m${at}`,
        return: value,
        retcode: 0,
        success: true,
        storedMs: now(),
      });
      saving.push(Promise.resolve(saved).then(() => store.durable()));
      if (at % 20 === 19) await new Promise<void>(later);
    }
    await Promise.all(saving);
  }
  const took = cpu() - before;
  await jobs.close();
  return took / (rounds * 1000);
}

/** Serves connections; every chunk is handed on. @returns the port, and the connections */
async function serve(
  onBytes: (connection: Connection, bytes: number) => void,
): Promise<{ port: number; all: Connection[] }> {
  const all: Connection[] = [];
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
    all.push(connection);
    connection.start({ onData: (chunk) => onBytes(connection, chunk.length), onClose: () => {} });
  });
  return { port: (listener.address as { port: number }).port, all };
}

/** Runs {@link drive} in a process of its own. */
function driver(words: readonly string[]): Disposable {
  const [program, ...runtimeWords] = runtimeCommand("bun") ?? runtimeCommand("node") ?? [process.execPath];
  const child = spawn(program!, [...runtimeWords, import.meta.filename, ...words], { stdio: "inherit" });
  return { [Symbol.dispose]: () => void child.kill() };
}

async function socketsPart(): Promise<number> {
  const got = new Map<Connection, number>();
  let answered = 0;
  const requests = await serve((connection, bytes) => {
    const have = (got.get(connection) ?? 0) + bytes;
    if (have < REQUEST.length) return void got.set(connection, have);
    got.set(connection, 0);
    answered++;
    connection.write(REPLY);
  });
  const publications = await serve(() => {});
  using _driver = driver(["--drive", String(requests.port), String(publications.port)]);
  await until(() => requests.all.length === CONNECTIONS && publications.all.length === CONNECTIONS);
  const rounds = 60;
  let before = 0;
  for (let round = -20; round < rounds; round++) {
    if (round === 0) before = cpu();
    answered = 0;
    for (const connection of publications.all) connection.write(PUBLICATION);
    await until(() => answered >= CONNECTIONS);
  }
  return (cpu() - before) / (rounds * CONNECTIONS);
}

async function eventsPart(): Promise<number> {
  const { port: _unused, all } = await serve(() => {});
  using _driver = driver(["--listen", String(_unused)]);
  await until(() => all.length >= 1);
  const data = { ...RETURN, fun_args: [], user: "root" };
  const rounds = 300;
  let before = 0;
  for (let round = -100; round < rounds; round++) {
    if (round === 0) before = cpu();
    // As many as come in a turn of the loop go in one write.
    const frames: Uint8Array[] = [];
    for (let at = 0; at < 20; at++) {
      frames.push(packIpcFrame(packEvent(`salt/job/${JID}/ret/swarm0001`, data, { now: Date.now() })));
    }
    const whole = new Uint8Array(frames.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const frame of frames) {
      whole.set(frame, at);
      at += frame.length;
    }
    all[0]!.write(whole);
    if (round % 10 === 0) await new Promise<void>(runtime.later);
  }
  return (cpu() - before) / (rounds * 20);
}

/** The other side: answers each publication with a request. */
async function drive(requestPort: number, publicationPort: number): Promise<void> {
  const dial = (port: number) => net.dial({ kind: "tcp", host: "127.0.0.1", port });
  for (let at = 0; at < CONNECTIONS; at++) {
    const requests = await dial(requestPort);
    requests.start({ onData: () => {}, onClose: () => process.exit(0) });
    let have = 0;
    (await dial(publicationPort)).start({
      onData(chunk) {
        have += chunk.length;
        if (have < PUBLICATION.length) return;
        have = 0;
        requests.write(REQUEST);
      },
      onClose: () => process.exit(0),
    });
  }
}

const [mode, first, second] = process.argv.slice(2);
if (mode === "--drive") await drive(Number(first), Number(second));
else if (mode === "--listen") {
  const connection = await net.dial({ kind: "tcp", host: "127.0.0.1", port: Number(first) });
  connection.start({ onData: () => {}, onClose: () => process.exit(0) });
} else {
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-"));
  try {
    const parts = {
      sockets: await socketsPart(),
      crypto: cryptoPart(),
      msgpack: msgpackPart(),
      sqlite: await sqlitePart(folder),
      events: await eventsPart(),
    };
    console.log(JSON.stringify({ ...parts, bytes: { request: REQUEST.length, reply: REPLY.length } }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(0);
}
