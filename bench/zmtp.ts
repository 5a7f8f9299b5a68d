/**
 * Question: how many messages a second go through our ZMTP, and how does libzmq do beside it, on this machine, in this
 * run? Control rows: npm's `zeromq` (on Node) and pyzmq (where present), called directly, without our code.
 *
 * PUSH->PULL: two processes over tcp, both ends of the kind named. PUB: one publishing process of the kind named, and
 * one process with all the subscribers, always ours, so that only the publisher differs. Warm-up messages are dropped;
 * each figure is the median of the rounds, and the kinds take turns within a round.
 *
 * Run: node bench/zmtp.ts [--json] [--rounds=3] [--scale=1]   (bun, deno run -A alike)
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cpus, homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setImmediate } from "node:timers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { systemClock } from "../src/base/async/clock.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeNet } from "../src/runtime/node/net.ts";
import { PubSocket, PullSocket, PushSocket, SubSocket, type ZmtpContext } from "../src/protocol/zmtp/mod.ts";

export interface Row {
  name: string;
  value: number;
  unit: string;
  /** Ours divided by this row's own figure. */
  ratio?: number;
  note?: string;
}

export interface BenchOptions {
  /** Measurements per figure, of which the median counts. @default 3 */
  rounds?: number;
  /** Factor for the numbers of messages. @default 1 */
  scale?: number;
}

type Kind = "ours" | "zeromq" | "pyzmq";

const python = process.env.BRINE_PYTHON ??
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "brine/salt/3006/bin/python");
const runtime = process.versions.bun !== undefined ? "bun" : process.versions.deno !== undefined ? "deno" : "node";

const context: ZmtpContext = {
  net: nodeNet(),
  clock: systemClock,
  random: Math.random,
  log: silentLogger,
  later: (callback) => void setImmediate(callback),
};

/** The part of npm's `zeromq` that is used here. */
interface NativeSocket {
  sendHighWaterMark: number;
  receiveHighWaterMark: number;
  lastEndpoint: string | null;
  bind(endpoint: string): Promise<void>;
  connect(endpoint: string): void;
  send(message: Uint8Array): Promise<void>;
  receive(): Promise<Uint8Array[]>;
}
const native = () =>
  import("zeromq") as unknown as Promise<Record<"Push" | "Pull" | "Publisher", new () => NativeSocket>>;

// The roles, each in a process of its own. A first byte of 0 marks a probe, 1 a message that counts.

const WARM = 0.2;
const say = (line: string) => console.log(line);
const forever = () => new Promise<never>(() => setInterval(() => {}, 1 << 30));

async function pull(kind: Kind, count: number): Promise<void> {
  const warm = Math.floor(count * WARM);
  let receive: () => unknown;
  if (kind === "ours") {
    const socket = new PullSocket(context);
    say(await socket.bind("tcp://127.0.0.1:0"));
    receive = () => socket.receive();
  } else {
    const socket = new (await native()).Pull();
    await socket.bind("tcp://127.0.0.1:*");
    say(socket.lastEndpoint!);
    receive = () => socket.receive();
  }
  let start = 0;
  for (let index = 0; index < warm + count; index++) {
    const got = receive();
    if (got instanceof Promise) await got;
    if (index === warm) start = performance.now();
  }
  say(String(count / (performance.now() - start) * 1000));
}

async function push(kind: Kind, endpoint: string, size: number, count: number): Promise<void> {
  const message = new Uint8Array(size).fill(1);
  const total = count + Math.floor(count * WARM) + 1;
  if (kind === "ours") {
    const socket = new PushSocket(context);
    socket.connect(endpoint);
    for (let index = 0; index < total; index++) {
      const wait = socket.send(message);
      if (wait !== undefined) await wait;
    }
  } else {
    const socket = new (await native()).Push();
    socket.connect(endpoint);
    for (let index = 0; index < total; index++) await socket.send(message);
  }
  await forever();
}

/** Says what it needs of memory, as the operating system sees it. */
const rss = () => process.memoryUsage().rss;

async function pub(kind: Kind, size: number, count: number): Promise<void> {
  const message = new Uint8Array(size).fill(1);
  const probe = new Uint8Array(size);
  let send: (message: Uint8Array) => unknown;
  const before = rss();
  if (kind === "ours") {
    const socket = new PubSocket(context, { sendHighWaterMark: 0, sendHighWaterBytes: 0 });
    say(await socket.bind("tcp://127.0.0.1:0", { backlog: 4096 }));
    send = (bytes) => socket.send(bytes);
  } else {
    const socket = new (await native()).Publisher();
    socket.sendHighWaterMark = 0;
    await socket.bind("tcp://127.0.0.1:*");
    say(socket.lastEndpoint!);
    send = (bytes) => socket.send(bytes);
  }
  let go = false;
  createInterface({ input: process.stdin }).once("line", () => go = true);
  while (!go) {
    await send(probe);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  say(String(rss() - before));
  for (let index = 0; index < count; index++) {
    const wait = send(message);
    if (wait !== undefined) await wait;
    if (index % 50 === 49) await nextTurn();
  }
  await forever();
}

async function subs(endpoint: string, subscribers: number, count: number): Promise<void> {
  const warm = Math.floor(count * WARM) * subscribers;
  let ready = 0;
  let got = 0;
  let start = 0;
  const done = Promise.withResolvers<void>();
  for (let index = 0; index < subscribers; index++) {
    const socket = new SubSocket(context);
    let probed = false;
    socket.onMessage(([frame]) => {
      if (frame![0] === 0) {
        if (!probed && ++ready === subscribers) say("ready");
        probed = true;
        return;
      }
      if (++got === warm) start = performance.now();
      if (got === count * subscribers) done.resolve();
    });
    socket.subscribe("");
    socket.connect(endpoint);
  }
  await done.promise;
  say(String((count * subscribers - warm) / (performance.now() - start) * 1000));
}

const PYTHON = `
import sys, zmq, time, threading
role, a, b, c = sys.argv[1:5]
ctx = zmq.Context()
if role == "pull":
    s = ctx.socket(zmq.PULL); s.bind("tcp://127.0.0.1:*")
    print(s.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\\0").decode(), flush=True)
    count = int(a); warm = int(count * 0.2)
    for i in range(warm + 1): s.recv()
    t = time.perf_counter()
    for i in range(count - 1): s.recv()
    print(count / (time.perf_counter() - t), flush=True)
elif role == "push":
    s = ctx.socket(zmq.PUSH); s.connect(a); m = b"\\1" * int(b)
    for i in range(int(int(c) * 1.2) + 1): s.send(m)
    time.sleep(1000)
else:
    s = ctx.socket(zmq.PUB); s.sndhwm = 0; s.bind("tcp://127.0.0.1:*"); m = b"\\1" * int(a); go = []
    print(s.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\\0").decode(), flush=True)
    threading.Thread(target=lambda: go.append(sys.stdin.readline()), daemon=True).start()
    while not go:
        s.send(b"\\0" * int(a)); time.sleep(0.02)
    print(0, flush=True)
    for i in range(int(b)): s.send(m)
    time.sleep(1000)
`;

// The conductor.

/** A role in its own process, spoken to by lines. */
class Player {
  readonly #lines: string[] = [];
  readonly #wanted: ((line: string) => void)[] = [];
  readonly #child: ReturnType<typeof spawn>;

  constructor(kind: Kind, role: string, ...args: (string | number)[]) {
    const words = args.map(String);
    const self = [...(runtime === "deno" ? ["run", "-A", "--no-check"] : []), fileURLToPath(import.meta.url)];
    this.#child = kind === "pyzmq"
      ? spawn(python, ["-c", PYTHON, role, ...words, "", "", ""], { stdio: ["pipe", "pipe", "inherit"] })
      : spawn(process.execPath, [...self, "--role", role, kind, ...words], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => {
      const wanted = this.#wanted.shift();
      if (wanted === undefined) this.#lines.push(line);
      else wanted(line);
    });
  }

  line(): Promise<string> {
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    return new Promise((resolve) => this.#wanted.push(resolve));
  }

  tell(line: string): void {
    this.#child.stdin!.write(line + "\n");
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}

async function playPush(kind: Kind, size: number, count: number): Promise<number> {
  const receiver = new Player(kind, "pull", count);
  const sender = new Player(kind, "push", await receiver.line(), size, count);
  const rate = Number(await receiver.line());
  sender.stop();
  receiver.stop();
  return rate;
}

async function playPub(
  kind: Kind,
  size: number,
  subscribers: number,
  count: number,
): Promise<{ rate: number; bytes: number }> {
  const publisher = new Player(kind, "pub", size, count);
  const receivers = new Player("ours", "subs", await publisher.line(), subscribers, count);
  await receivers.line();
  publisher.tell("go");
  const bytes = Number(await publisher.line()) / subscribers;
  const rate = Number(await receivers.line());
  publisher.stop();
  receivers.stop();
  return { rate, bytes };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

/** Measures everything; the rows of one figure follow each other, ours first. */
export async function run(options: BenchOptions = {}): Promise<Row[]> {
  const { rounds = 3, scale = 1 } = options;
  const kinds: Kind[] = ["ours"];
  if (runtime === "node") kinds.push("zeromq");
  if (existsSync(python)) kinds.push("pyzmq");
  const rows: Row[] = [];
  const measure = async (name: string, unit: string, once: (kind: Kind) => Promise<number>) => {
    const found = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
    for (let round = 0; round < rounds; round++) for (const kind of kinds) found.get(kind)!.push(await once(kind));
    const ours = median(found.get("ours")!);
    for (const kind of kinds) {
      const value = Math.round(median(found.get(kind)!));
      const note = kind === "ours" ? runtime : kind;
      rows.push({ name, value, unit, note, ...(kind === "ours" ? {} : { ratio: Number((ours / value).toFixed(2)) }) });
    }
  };
  const at = (count: number) => Math.max(100, Math.round(count * scale));
  await measure("PUSH->PULL 100 B", "msg/s", (kind) => playPush(kind, 100, at(kind === "zeromq" ? 100_000 : 600_000)));
  await measure("PUSH->PULL 1 KB", "msg/s", (kind) => playPush(kind, 1024, at(kind === "zeromq" ? 80_000 : 300_000)));
  for (const [subscribers, count] of [[1, 400_000], [100, 15_000], [1000, 2000]] as const) {
    const memory: number[] = [];
    await measure(`PUB to ${subscribers}, 100 B`, "deliveries/s", async (kind) => {
      const { rate, bytes } = await playPub(kind, 100, subscribers, at(count));
      if (kind === "ours") memory.push(bytes);
      return rate;
    });
    if (subscribers === 1000) {
      rows.push({
        name: "PUB with 1000 subscribers, memory",
        value: Math.round(median(memory)),
        unit: "bytes/connection",
        note: `${runtime}, RSS, warm-up of the heap included`,
      });
    }
  }
  return rows;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      role: { type: "string" },
      json: { type: "boolean" },
      rounds: { type: "string" },
      scale: { type: "string" },
    },
  });
  const [kind, ...rest] = positionals as [Kind, ...string[]];
  switch (values.role) {
    case "pull":
      return await pull(kind, Number(rest[0]));
    case "push":
      return await push(kind, rest[0]!, Number(rest[1]), Number(rest[2]));
    case "pub":
      return await pub(kind, Number(rest[0]), Number(rest[1]));
    case "subs":
      return await subs(rest[0]!, Number(rest[1]), Number(rest[2]));
  }
  const rows = await run({ rounds: Number(values.rounds ?? 3), scale: Number(values.scale ?? 1) });
  if (values.json) return say(JSON.stringify(rows));
  const version = process.versions[runtime];
  say(`${runtime} ${version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}, ${process.platform}`);
  for (const { name, value, unit, note, ratio } of rows) {
    const beside = ratio === undefined ? "" : `   ours is ${ratio} x`;
    say(`${name.padEnd(36)} ${(note ?? "").padEnd(22)} ${String(value).padStart(10)} ${unit}${beside}`);
  }
}

if (import.meta.main) await main();
