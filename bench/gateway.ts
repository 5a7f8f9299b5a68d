/**
 * Question: how many commands a second does the gateway serve, how long does each take, and what do a thousand listeners cost?
 *
 * Control: `salt-api` 3006 with `rest_cherrypy`, its own master and one minion, in the same run, one stack after the other.
 * Each stack is measured with the same client (node:http, connections kept), after a warm-up that is not counted. `ping` is
 * `POST /` with `local` and `test.ping`; `async` the same with `local_async`; all requests share one session, as in a GUI.
 * The listeners have no control: each takes one of the hundred threads of salt-api. Events come from the master's bus,
 * 500 a second, for ten seconds; memory is the proportional set of the gateway's process.
 *
 * Run: node bench/gateway.ts [--runtimes node,bun,deno] [--form source|bundle] [--quick] [--long] [--json]
 * `--long` adds 200,000 webhooks, each an event on the master's bus, and the growth of the process during the second half of them.
 */
import { Agent, request as httpRequest } from "node:http";
import { sendToBus } from "../src/model/event/bus_client.ts";
import { nodeNet } from "../src/runtime/node/net.ts";
import { packEvent } from "../src/protocol/wire/event_frame.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Form, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface GatewayBenchOptions extends BenchOptions {
  runtimes?: readonly RuntimeName[];
  form?: Form;
  /** @default false */
  long?: boolean;
}

const SECRET = "open-sesame";
const PING = [{ client: "local", tgt: "web1", fun: "test.ping" }];
const ASYNC = [{ client: "local_async", tgt: "web1", fun: "test.ping" }];
const LOGIN = { username: "alice", password: SECRET, eauth: "sharedsecret" };
const LISTENERS = 1000;
const EVENTS_PER_SECOND = 500;

interface Load {
  rate: number;
  p50: number;
  p99: number;
  /** Requests that were answered with an error: not counted in the rate and the times. */
  failed: number;
}

/** An HTTP client with persistent connections. */
class Client {
  readonly #port: number;
  readonly #agent: Agent;
  token = "";

  constructor(port: number, connections: number) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  post(path: string, body: unknown): Promise<string> {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        port: this.#port,
        host: "127.0.0.1",
        method: "POST",
        path,
        agent: this.#agent,
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "Content-Length": new TextEncoder().encode(text).length,
          ...(this.token === "" ? {} : { "X-Auth-Token": this.token }),
        },
      }, (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (chunk: string) => answer += chunk);
        response.on("end", () => {
          if (response.statusCode === 200) resolve(answer);
          else reject(new Error(`POST ${path}: ${response.statusCode} ${answer.slice(0, 300)}`));
        });
      });
      sent.on("error", reject);
      sent.end(text);
    });
  }

  async login(): Promise<void> {
    this.token = (JSON.parse(await this.post("/login", LOGIN)) as { return: { token: string }[] }).return[0]!.token;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Sends one request after the other on each of several connections. */
async function load(port: number, connections: number, path: string, body: unknown, ms: number): Promise<Load> {
  const client = new Client(port, connections);
  if (path !== "/login") await client.login();
  const times: number[] = [];
  const failed: unknown[] = [];
  const run = async (until: number, keep: boolean) => {
    while (performance.now() < until) {
      const began = performance.now();
      try {
        const answer = await client.post(path, body);
        if (path === "/" && !answer.includes("web1")) throw new Error(`Not an answer of the minion: ${answer}`);
        if (keep) times.push(performance.now() - began);
      } catch (error) {
        if (keep) failed.push(error);
      }
    }
  };
  const all = (until: number, keep: boolean) =>
    Promise.all(Array.from({ length: connections }, () => run(until, keep)));
  await all(performance.now() + ms / 4, false);
  const began = performance.now();
  await all(began + ms, true);
  const seconds = (performance.now() - began) / 1000;
  client.close();
  times.sort((a, b) => a - b);
  if (times.length === 0) throw new Error(`No request got through: ${failed[0]}`);
  const p99 = times[Math.floor(times.length * 0.99)]!;
  return { rate: times.length / seconds, p50: median(times), p99, failed: failed.length };
}

interface Stack {
  bed: Bed;
  port: number;
  api: Daemon;
}

async function start(side: Side): Promise<Stack> {
  const bed = new Bed();
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const master = await bed.startMaster(side, {
    sharedsecret: SECRET,
    external_auth: { sharedsecret: { alice: [".*", "@runner", "@wheel", "@jobs"] } },
    netapi_enable_clients: ["local", "local_async"],
    rest_cherrypy: { port, host: "127.0.0.1", disable_ssl: true, login_attempts: 0 },
    api_logfile: bed.path("api.log"),
    api_pidfile: bed.path("api.pid"),
    log_level: "error",
    log_level_logfile: "error",
  });
  bed.startMinion(side, "web1");
  const api = bed.run([...side.command("salt-api"), "-c", bed.config("master")], bed.path("api.out"));
  const probe = new Client(port, 1);
  await bed.until(master, "the minion answers over HTTP", async () => {
    try {
      await probe.login();
      return (await probe.post("/", PING)).includes('"web1": true');
    } catch {
      await pause(200);
      return false;
    }
  });
  probe.close();
  return { bed, port, api };
}

interface Measured {
  ping1: Load;
  ping50: Load;
  async1: Load;
  async50: Load;
  login: Load;
}

async function measure({ port }: Stack, ms: number): Promise<Measured> {
  return {
    ping1: await load(port, 1, "/", PING, ms),
    ping50: await load(port, 50, "/", PING, ms),
    async1: await load(port, 1, "/", ASYNC, ms),
    async50: await load(port, 50, "/", ASYNC, ms),
    login: await load(port, 1, "/login", LOGIN, ms),
  };
}

interface Heard {
  delivered: number;
  sent: number;
  idle: number;
  busy: number;
}

/** Opens a thousand streams and counts how many of the fired events arrive. */
async function listeners({ bed, port, api }: Stack, seconds: number): Promise<Heard> {
  const client = new Client(port, 1);
  await client.login();
  const agent = new Agent({ maxSockets: LISTENERS });
  let delivered = 0;
  const before = api.pss() ?? 0;
  await Promise.all(Array.from({ length: LISTENERS }, () =>
    new Promise<void>((resolve, reject) => {
      const sent = httpRequest({
        port,
        host: "127.0.0.1",
        path: "/events",
        agent,
        headers: { "X-Auth-Token": client.token },
      }, (response) => {
        resolve();
        // Each event has this text once. It never spans two chunks: that would count one event less.
        response.on("data", (chunk: Uint8Array) => {
          for (let at = -1; (at = (chunk as Buffer).indexOf("tag: bench/", at + 1)) >= 0;) delivered++;
        });
        response.on("error", () => {});
      });
      sent.on("error", reject);
      sent.end();
    })));
  const idle = (api.pss() ?? 0) - before;
  const sender = await sendToBus(nodeNet(), { kind: "unix", path: bed.path("master", "run", "master_event_pull.ipc") });
  let sent = 0;
  let busy = 0;
  const began = performance.now();
  while (performance.now() - began < seconds * 1000) {
    const due = Math.floor((performance.now() - began) / 1000 * EVENTS_PER_SECOND);
    for (; sent < due; sent++) {
      sender.send(packEvent(`bench/${sent}`, { n: sent, text: "x".repeat(100) }, { now: Date.now() }));
    }
    busy = Math.max(busy, (api.pss() ?? 0) - before);
    await pause(20);
  }
  // Events that are still on their way.
  for (let last = -1; last !== delivered;) {
    last = delivered;
    await pause(500);
  }
  sender.close();
  agent.destroy();
  client.close();
  return { delivered, sent, idle, busy };
}

async function long({ port, api }: Stack, count: number): Promise<{ first: number; last: number; rate: number }> {
  const client = new Client(port, 50);
  await client.login();
  let done = 0;
  let first = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: 50 }, async () => {
    while (done++ < count) {
      if (done === Math.floor(count / 2)) first = api.pss() ?? 0;
      await client.post("/hook/bench", { n: done });
    }
  }));
  const rate = count / ((performance.now() - began) / 1000);
  client.close();
  return { first, last: api.pss() ?? 0, rate };
}

const MB = 1024 * 1024;

export async function run(options: GatewayBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, form = "source", runtimes = ["node"] } = options;
  const ms = quick ? 2000 : 8000;
  if (form === "bundle") buildBundle();
  const rows: Row[] = [];
  const real = realSalt();
  let control: Measured | undefined;
  if (real === undefined) say(NO_SALT);
  else {
    say(real.name);
    const stack = await start(real);
    try {
      control = await measure(stack, ms);
    } finally {
      await stack.bed.stop();
    }
  }
  const names: [keyof Measured, string][] = [
    ["ping1", "test.ping, 1 connection"],
    ["ping50", "test.ping, 50 connections"],
    ["async1", "local_async, 1 connection"],
    ["async50", "local_async, 50 connections"],
    ["login", "login"],
  ];
  for (const runtime of installed(runtimes)) {
    const side = brine(runtime, form);
    say(side.name);
    const stack = await start(side);
    try {
      const ours = await measure(stack, ms);
      for (const [key, name] of names) {
        const theirs = control?.[key];
        for (const [part, unit] of [["rate", "req/s"], ["p50", "ms"], ["p99", "ms"]] as const) {
          const label = part === "rate" ? name : `${name}, ${part}`;
          if (theirs !== undefined) {
            const errors = part === "rate" && theirs.failed > 0 ? `, ${theirs.failed} failed` : "";
            rows.push({ name: label, value: rounded(theirs[part]), unit, note: real!.name + errors });
          }
          const ratio = theirs === undefined
            ? {}
            : { ratio: part === "rate" ? ours[key][part] / theirs[part] : theirs[part] / ours[key][part] };
          const errors = part === "rate" && ours[key].failed > 0 ? `, ${ours[key].failed} failed` : "";
          rows.push({ name: label, value: rounded(ours[key][part]), unit, note: side.name + errors, ...ratio });
        }
      }
      const heard = await listeners(stack, quick ? 3 : 10);
      const name = `${LISTENERS} listeners, ${EVENTS_PER_SECOND} events/s`;
      rows.push({
        name,
        value: rounded(heard.delivered / (heard.sent * LISTENERS) * 100),
        unit: "%",
        note: "delivered",
      });
      rows.push({ name, value: rounded(heard.idle / MB), unit: "MB", note: "more, silent" });
      rows.push({ name, value: rounded(heard.busy / MB), unit: "MB", note: "more, at most" });
      if (options.long) {
        const { first, last, rate } = await long(stack, 200_000);
        rows.push({ name: "200,000 requests", value: rounded(rate), unit: "req/s", note: side.name });
        rows.push({
          name: "200,000 requests",
          value: rounded((last - first) / MB),
          unit: "MB",
          note: "growth, second half",
        });
      }
    } finally {
      await stack.bed.stop();
    }
  }
  return rows;
}

if (import.meta.main) {
  await runProgram(
    { form: "text", long: "flag" },
    ({ form, ...options }) => run({ ...options, form: form === "bundle" ? "bundle" : "source" }),
  );
}
