/**
 * A peer that misbehaves, for `isolation.ts`: it sends garbage to a request port, a publish port and an event socket, and holds a
 * subscription of events without reading it. It sends as much to the master as to a sink of its own, so that the processor
 * time that it takes itself is the same with and without.
 *
 * Run: node bench/disturber.ts --request PORT --publish PORT --push PATH --events PATH [--rate 200]
 *
 * Lines on stdin: `master` or `sink`: to which from now on; each is answered with `{"to", "sent"}`, the messages sent until then.
 */
import { randomBytes } from "node:crypto";
import net from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { encode } from "../src/protocol/wire/msgpack.ts";
import { encodeReady } from "../src/protocol/zmtp/command.ts";
import { MORE, writeFrame } from "../src/protocol/zmtp/frame.ts";
import { greeting } from "../src/protocol/zmtp/greeting.ts";

const { values } = parseArgs({
  options: {
    request: { type: "string" },
    publish: { type: "string" },
    push: { type: "string" },
    events: { type: "string" },
    rate: { type: "string", default: "200" },
  },
});

const EMPTY = new Uint8Array(0);
const noise = Array.from({ length: 32 }, (_, at) => new Uint8Array(randomBytes(32 + at * 64)));
const HELLO = greeting(1);
const request = (body: Uint8Array) =>
  Buffer.concat([HELLO, encodeReady("REQ", EMPTY), writeFrame(MORE, EMPTY), writeFrame(0, body)]);

/** What is sent in turn, each over a connection of its own. */
type Kind = (at: number) => { to: net.NetConnectOpts; bytes: Uint8Array };

function kinds(
  ports: { request: number; publish: number; push: net.NetConnectOpts; events: net.NetConnectOpts },
): Kind[] {
  const tcp = (port: number) => ({ host: "127.0.0.1", port });
  const body = (at: number) => noise[at % noise.length]!;
  return [
    (at) => ({ to: tcp(ports.request), bytes: body(at) }),
    (at) => ({ to: tcp(ports.request), bytes: request(body(at)) }),
    (at) => ({
      to: tcp(ports.request),
      bytes: request(encode({ enc: "aes", load: body(at), version: 3, id: "swarm00" }, "wire")),
    }),
    (at) => ({
      to: tcp(ports.request),
      bytes: request(encode({ enc: "clear", load: { cmd: "_auth", id: `g${at}`, pub: "no key" }, version: 3 }, "wire")),
    }),
    (at) => ({ to: tcp(ports.publish), bytes: body(at) }),
    (at) => ({ to: tcp(ports.publish), bytes: Buffer.concat([HELLO, encodeReady("SUB", EMPTY), body(at)]) }),
    (at) => ({ to: ports.push, bytes: body(at) }),
    (at) => ({ to: ports.events, bytes: body(at) }),
  ];
}

const sink = net.createServer((socket) => socket.on("error", () => {}).resume().on("end", () => socket.end()));
await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
const { port: sinkPort } = sink.address() as net.AddressInfo;
const local = { host: "127.0.0.1", port: sinkPort };
const GARBAGE = {
  master: kinds({
    request: Number(values.request),
    publish: Number(values.publish),
    push: { path: values.push! },
    events: { path: values.events! },
  }),
  sink: kinds({ request: sinkPort, publish: sinkPort, push: local, events: local }),
};

let to: keyof typeof GARBAGE = "sink";
let sent = 0;
let stuck: net.Socket | undefined;

/** How long a connection of garbage lives, in milliseconds: those of one kind wait for an answer that never comes. */
const LIVES_MS = 500;

function sendOne(): void {
  const all = GARBAGE[to];
  const { to: address, bytes } = all[sent % all.length]!(sent);
  sent++;
  const socket = net.connect(address);
  socket.on("error", () => socket.destroy());
  socket.on("connect", () => socket.write(bytes));
  setTimeout(() => socket.destroy(), LIVES_MS);
}

const TICK_MS = 20;
setInterval(() => {
  for (let due = Number(values.rate) * TICK_MS / 1000; due > 0; due--) sendOne();
}, TICK_MS);

createInterface({ input: process.stdin }).on("line", (line) => {
  if (line !== "master" && line !== "sink") return;
  to = line;
  stuck?.destroy();
  stuck = undefined;
  if (line === "master") {
    // Subscribed by connecting, and never read from.
    stuck = net.connect({ path: values.events! });
    stuck.on("error", () => {});
    stuck.pause();
  }
  console.log(JSON.stringify({ to, sent }));
}).on("close", () => process.exit(0));
console.log(JSON.stringify({ to, sent }));
