/**
 * The load of `herd.ts`: thousands of minions in one process that behave as real ones without an answer: they give up after
 * five seconds, close the connection, and retry at once over a new one; after seven tries they wait ten seconds.
 *
 * It must cost little, since it shares the machine with the master: requests are built once, with a few key pairs for all
 * ids, a reply is only parsed far enough to see an acceptance, and ZMTP is spoken directly over sockets. The minions use
 * about a hundred addresses of 127/8: one address would not have enough ports.
 *
 * Run: bun bench/herd_minions.ts --minions N --master HOST:PORT --master-key FILE [--in-flight K] [--brine]
 *
 * Each line on stdin is a command, and each event is a line of JSON on stdout:
 *   signin          all sign in, `--in-flight` at once (0 = all); {event: "in", ms, attempts, unanswered, later}
 *   hold            minions that are in keep their connection; when it is lost they sign in again: {event: "lost"} with the first
 *   release         these connections are closed, without a sign-in afterwards
 *   unlock          each minion decrypts its session from its last reply; {event: "unlocked"}
 *   return JID      each minion returns that job over its own connection: {event: "returned", ms, attempts, unanswered, refused}
 */
import { readFileSync } from "node:fs";
import net from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { AuthClient, newNonce } from "../src/protocol/channel/auth_client.ts";
import { Crypticle } from "../src/protocol/crypto/crypticle.ts";
import { rsaDecrypt } from "../src/protocol/crypto/rsa.ts";
import { cleanPem } from "../src/protocol/crypto/rsa_key.ts";
import { x931Sign } from "../src/protocol/crypto/x931.ts";
import { silentLogger } from "../src/base/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { decode, encode } from "../src/protocol/wire/msgpack.ts";
import { bytesOf, packPayload } from "../src/protocol/wire/payload.ts";
import { encodeReady } from "../src/protocol/zmtp/command.ts";
import { LONG_FRAME, MORE, writeFrame } from "../src/protocol/zmtp/frame.ts";
import { greeting, GREETING_SIZE } from "../src/protocol/zmtp/greeting.ts";
import { minionKeys } from "./keys.ts";

/** A line of the output. */
export type HerdEvent =
  | { event: "ready" }
  | { event: "in"; ms: number; attempts: number; unanswered: number; later: number }
  | { event: "lost" }
  | { event: "unlocked" }
  | { event: "returned"; ms: number; attempts: number; unanswered: number; refused: number };

const GIVE_UP_MS = 5000;
const TRIES = 7;
const PAUSE_MS = 10_000;
const PAIRS = 50;
const ADDRESSES = 200;

const { values } = parseArgs({
  options: {
    minions: { type: "string", default: "1000" },
    master: { type: "string", default: "127.0.0.1:4506" },
    "master-key": { type: "string", default: "" },
    "in-flight": { type: "string", default: "0" },
    brine: { type: "boolean", default: false },
  },
});
const count = Number(values.minions);
const inFlight = Number(values["in-flight"]);
const [, host, port] = /^(.*):(\d+)$/.exec(values.master)!;

const { crypto, clock } = await currentRuntime();
const record = values["master-key"] === "" ? undefined : readFileSync(values["master-key"], "utf8");
const width = String(count - 1).length;
const pairs = await minionKeys(crypto, PAIRS, (line) => console.error(line));
const identities = pairs.map((pair) => ({
  key: crypto.loadPrivateKey(pair.privatePem),
  publicPem: cleanPem(pair.publicPem),
}));
const idOf = (index: number) => `herd${String(index).padStart(width, "0")}`;
const clients = Array.from({ length: count }, (_, index) =>
  new AuthClient({
    crypto,
    log: silentLogger,
    identity: { id: idOf(index), ...identities[index % PAIRS]! },
    masterKeyRecord: { place: "minion_master.pub", read: () => record, write: () => {} },
    isBrine: values.brine,
  }));

const tell = (event: HerdEvent) => console.log(JSON.stringify(event));
const HELLO = greeting(1);
const READY = encodeReady("REQ", new Uint8Array(0));
const EMPTY = writeFrame(MORE, new Uint8Array(0));

/** READY and a request, sent together. */
function requestBytes(body: Uint8Array): Uint8Array {
  return Buffer.concat([READY, EMPTY, writeFrame(0, body)]);
}

interface Exchange {
  /** The master's reply; undefined if it has not answered in time or has closed. */
  reply: Uint8Array | undefined;
  socket: net.Socket;
}

/** Sends one request over a new connection and waits for the reply. The socket is left open. */
function exchange(index: number, request: Uint8Array, done: (outcome: Exchange) => void): void {
  const socket = net.connect({ host: host!, port: Number(port), localAddress: `127.0.1.${1 + index % ADDRESSES}` });
  let got: Uint8Array = new Uint8Array(0);
  let at = GREETING_SIZE;
  let over = false;
  const end = (reply: Uint8Array | undefined) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    if (reply === undefined) socket.destroy();
    done({ reply, socket });
  };
  const timer = setTimeout(() => end(undefined), GIVE_UP_MS);
  socket.on("error", () => end(undefined));
  socket.on("close", () => end(undefined));
  socket.on("connect", () => socket.write(HELLO));
  socket.on("data", (chunk: Uint8Array) => {
    if (over) return;
    const greeted = got.length >= GREETING_SIZE;
    got = got.length === 0 ? chunk : Buffer.concat([got, chunk]);
    if (!greeted && got.length >= GREETING_SIZE) socket.write(request);
    while (got.length >= at + 2) {
      const flags = got[at]!;
      const long = (flags & LONG_FRAME) !== 0;
      if (long && got.length < at + 9) return;
      const size = long ? new DataView(got.buffer, got.byteOffset + at + 5).getUint32(0) : got[at + 1]!;
      const body = at + (long ? 9 : 2);
      if (got.length < body + size) return;
      at = body + size;
      // READY has the command flag, the empty frame the flag for more frames.
      if ((flags & ~LONG_FRAME) === 0) return end(got.subarray(body, at));
    }
  });
}

let attempts = 0;
let unanswered = 0;
let later = 0;
let hold = false;
let missing = 0;
let began = 0;
let lost = false;
const replies: (Uint8Array | undefined)[] = Array(count).fill(undefined);
const sent = clients.map((client) => client.request());
const requests = sent.map(({ bytes }) => requestBytes(bytes));
const line: number[] = [];

function arrived(index: number, reply: Uint8Array, socket: net.Socket): void {
  replies[index] = reply;
  if (hold) {
    held.add(socket);
    socket.resume();
    socket.on("close", () => {
      held.delete(socket);
      if (!hold) return;
      if (!lost) tell({ event: "lost" });
      if (!lost) start();
      lost = true;
      missing++;
      setTimeout(() => signIn(index, 1), Math.random() * 100);
    });
  } else socket.destroy();
  if (--missing === 0) {
    tell({ event: "in", ms: performance.now() - began, attempts, unanswered, later });
    lost = false;
  } else {
    const next = line.shift();
    if (next !== undefined) signIn(next, 1);
  }
}

const held = new Set<net.Socket>();

/** Closes the connections of the minions that are in. */
function release(): void {
  hold = false;
  for (const socket of held) socket.destroy();
}

function start(): void {
  [attempts, unanswered, later, began] = [0, 0, 0, performance.now()];
}

function signIn(index: number, attempt: number): void {
  attempts++;
  const asked = performance.now();
  exchange(index, requests[index]!, ({ reply, socket }) => {
    if (reply !== undefined && Buffer.from(reply.buffer, reply.byteOffset, reply.length).includes("pub_key")) {
      return arrived(index, reply, socket);
    }
    const again = (ms: number) => void setTimeout(() => signIn(index, attempt % TRIES + 1), ms);
    if (reply === undefined) {
      unanswered++;
      // The port is not open yet: libzmq reconnects by itself.
      if (performance.now() - asked < 1000) return again(100 + Math.random() * 400);
      return again(attempt % TRIES === 0 ? PAUSE_MS : 0);
    }
    socket.destroy();
    const load = (decode(reply, { mode: "wire" }) as { load?: { ret?: unknown; after?: unknown } }).load;
    if (load?.ret !== "later") throw new Error(`The master answers ${JSON.stringify(decode(reply, { mode: "wire" }))}`);
    later++;
    again(Number(load.after));
  });
}

/** The session of each minion. It takes a private-key operation each and is not timed. */
const sessions: Crypticle[] = [];
const proofs = identities.map(({ key }) => x931Sign(crypto, key, new TextEncoder().encode("salt")));

function unlock(): void {
  for (let index = 0; index < count; index++) {
    const signed = bytesOf((decode(replies[index]!, { mode: "wire" }) as { load: unknown }).load);
    const { session } = decode(signed, { mode: "wire" }) as { session: unknown };
    const opened = rsaDecrypt(crypto, "OAEP-SHA1", identities[index % PAIRS]!.key, bytesOf(session));
    sessions[index] = new Crypticle(crypto, new TextDecoder().decode(opened));
  }
  tell({ event: "unlocked" });
}

/** A sealed return; each retry is sealed again, as by real minions. */
function sealedReturn(index: number, jid: string): Uint8Array {
  const id = idOf(index);
  const ret = { cmd: "_return", id, jid, fun: "test.ping", fun_args: [], return: true, retcode: 0, success: true };
  const load = { ...ret, nonce: newNonce(crypto), ts: Math.floor(clock.now() / 1000), tok: proofs[index % PAIRS] };
  return requestBytes(encode({ enc: "aes", load: sessions[index]!.seal(packPayload(load)), version: 3, id }, "wire"));
}

/** Connections for returns at once: both ends need a file descriptor for each, besides the held ones. */
const MOST_CONNECTIONS = 8000;
let connections = 0;
const waiting: (() => void)[] = [];

function returnAll(jid: string): void {
  const began = performance.now();
  let [open, attempts, unanswered, refused] = [count, 0, 0, 0];
  const one = (index: number, attempt: number): void => {
    if (connections >= MOST_CONNECTIONS) return void waiting.push(() => one(index, attempt));
    connections++;
    attempts++;
    exchange(index, sealedReturn(index, jid), ({ reply, socket }) => {
      socket.destroy();
      connections--;
      waiting.shift()?.();
      // Three tries, the default of return_retry_tries.
      if (reply === undefined && attempt < 3) return one(index, attempt + 1);
      if (reply === undefined) unanswered++;
      else if (bytesOf(decode(reply, { mode: "wire" })).length < 64) refused++;
      if (--open === 0) tell({ event: "returned", ms: performance.now() - began, attempts, unanswered, refused });
    });
  };
  for (let index = 0; index < count; index++) one(index, 1);
}

createInterface({ input: process.stdin }).on("line", (text) => {
  const [command, word] = text.split(" ");
  if (command === "hold") hold = true;
  else if (command === "release") release();
  else if (command === "unlock") unlock();
  else if (command === "return") returnAll(word!);
  else if (command === "signin") {
    missing = count;
    start();
    for (let index = 0; index < count; index++) {
      if (inFlight === 0 || index < inFlight) signIn(index, 1);
      else line.push(index);
    }
  }
}).on("close", () => process.exit(0));
tell({ event: "ready" });
