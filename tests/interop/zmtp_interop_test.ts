/** Our sockets against libzmq, driven through pyzmq in a child process: both directions, tcp and ipc. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { deferred } from "../../src/base/async/deferred.ts";
import type { Connection, ConnectionHandlers, Net } from "../../src/runtime/net.ts";
import { nodeNet } from "../../src/runtime/node/net.ts";
import {
  DealerSocket,
  type Message,
  PubSocket,
  PullSocket,
  PushSocket,
  type Receiver,
  RepSocket,
  ReqSocket,
  RouterSocket,
  SubSocket,
} from "../../src/protocol/zmtp/mod.ts";
import { HandClock, testContext } from "../protocol/zmtp/context.ts";

const python = process.env.BRINE_PYTHON ??
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "brine/salt/3006/bin/python");
const skip = existsSync(python)
  ? undefined
  : `NOT TESTED AGAINST LIBZMQ: no Python with pyzmq at ${python}; set BRINE_PYTHON to one`;

/** One JSON command a line; frames are texts, or [size, seed] for bytes made by the same formula on both sides. */
const PROGRAM = `
import sys, json, zmq, hashlib
ctx = zmq.Context()
socks = {}
def make(f):
    if isinstance(f, str): return f.encode("latin-1")
    size, seed = f
    return bytes((i * 31 + seed) & 255 for i in range(min(size, 256))) * (size // 256 + 1) if size else b""
def frame(f):
    return make(f)[:f[0]] if not isinstance(f, str) else make(f)
def shown(b):
    return b.decode("latin-1") if len(b) < 200 else [len(b), hashlib.sha256(b).hexdigest()]
for line in sys.stdin:
    c = json.loads(line)
    try:
        op = c["op"]
        if op == "open":
            s = ctx.socket(getattr(zmq, c["type"]))
            s.linger = 0
            s.rcvtimeo = 15000
            s.sndtimeo = 15000
            for k, v in c.get("options", {}).items():
                s.setsockopt(getattr(zmq, k), v.encode("latin-1") if isinstance(v, str) else v)
            socks[c["id"]] = s
            r = None
        else:
            s = socks[c["id"]]
            if op == "bind":
                s.bind(c["endpoint"]); r = s.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\\0").decode()
            elif op == "connect": s.connect(c["endpoint"]); r = None
            elif op == "subscribe": s.setsockopt(zmq.SUBSCRIBE, c["topic"].encode()); r = None
            elif op == "unsubscribe": s.setsockopt(zmq.UNSUBSCRIBE, c["topic"].encode()); r = None
            elif op == "send": s.send_multipart([frame(f) for f in c["frames"]]); r = None
            elif op == "recv": r = [shown(b) for b in s.recv_multipart()]
            elif op == "echo":
                for i in range(c["count"]): s.send_multipart(s.recv_multipart())
                r = None
            elif op == "close": s.close(); r = None
        print(json.dumps({"ok": r}), flush=True)
    except Exception as e:
        print(json.dumps({"error": repr(e)}), flush=True)
`;

type Frame = string | [size: number, seed: number];

/** pyzmq in a process of its own; calls are made one after the other. */
class Python {
  readonly child: ChildProcess;
  readonly #answers: ((answer: { ok?: unknown; error?: string }) => void)[] = [];
  #sockets = 0;

  constructor() {
    this.child = spawn(python, ["-c", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.child.stdout! }).on("line", (line) => this.#answers.shift()?.(JSON.parse(line)));
  }

  async call(command: Record<string, unknown>): Promise<unknown> {
    const answered = new Promise<{ ok?: unknown; error?: string }>((resolve) => this.#answers.push(resolve));
    this.child.stdin!.write(JSON.stringify(command) + "\n");
    const { ok, error } = await answered;
    if (error !== undefined) throw new Error(`pyzmq: ${error}, asked for ${JSON.stringify(command).slice(0, 200)}`);
    return ok;
  }

  async open(type: string, options: Record<string, unknown> = {}): Promise<PySocket> {
    const id = this.#sockets++;
    await this.call({ op: "open", id, type, options });
    return new PySocket(this, id);
  }

  stop(): Promise<void> {
    const exited = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    // child.kill() sends no second signal on Deno once it has sent a first one.
    process.kill(this.child.pid!, "SIGKILL");
    return exited;
  }
}

class PySocket {
  readonly #python: Python;
  readonly #id: number;

  constructor(owner: Python, id: number) {
    this.#python = owner;
    this.#id = id;
  }

  #call(op: string, rest: Record<string, unknown> = {}): Promise<unknown> {
    return this.#python.call({ op, id: this.#id, ...rest });
  }
  bind = (endpoint: string) => this.#call("bind", { endpoint }) as Promise<string>;
  connect = (endpoint: string) => this.#call("connect", { endpoint });
  subscribe = (topic: string) => this.#call("subscribe", { topic });
  unsubscribe = (topic: string) => this.#call("unsubscribe", { topic });
  send = (...frames: Frame[]) => this.#call("send", { frames });
  recv = () => this.#call("recv") as Promise<unknown[]>;
  echo = (count: number) => this.#call("echo", { count });
  close = () => this.#call("close");
}

function made(frame: Frame): Uint8Array {
  if (typeof frame === "string") return Uint8Array.from(frame, (character) => character.charCodeAt(0));
  const [size, seed] = frame;
  // The formula of the Python side, which repeats every 256 bytes.
  return Uint8Array.from({ length: size }, (_, at) => (at & 255) * 31 + seed & 255);
}

function shown(frame: Uint8Array): unknown {
  if (frame.length < 200) return String.fromCharCode(...frame);
  return [frame.length, createHash("sha256").update(frame).digest("hex")];
}

const taken = async (from: Receiver) => (await from.receive())!.map(shown);
const message = (...frames: Frame[]): Message => frames.map(made);

/** Counts what passes over a Net, by text. */
function spyNet(): { net: Net; heard: string[] } {
  const heard: string[] = [];
  const spy = (connection: Connection) => {
    const start = connection.start.bind(connection);
    connection.start = (handlers: ConnectionHandlers) =>
      start({
        onData: (chunk) => {
          heard.push(new TextDecoder("latin1").decode(chunk));
          handlers.onData(chunk);
        },
        onDrain: () => handlers.onDrain?.(),
        onClose: (error) => handlers.onClose(error),
      });
    return connection;
  };
  const net = nodeNet();
  return {
    heard,
    net: {
      ...net,
      dial: async (to, options) => spy(await net.dial(to, options)),
      listen: (at, accept, options) => net.listen(at, (connection) => accept(spy(connection)), options),
    },
  };
}

const PARTS: Frame[] = [[0, 0], [255, 1], [256, 2], [70_000, 3], "x", [10_000_000, 4], [0, 5]];
const fast = { reconnectInitialMs: 5, reconnectMaxMs: 50, lingerMs: 500 };

describe("libzmq through pyzmq", { skip, timeout: 120_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "interop-"));
  let py: Python;
  before(() => {
    if (skip === undefined) py = new Python();
  });
  after(async () => {
    await py?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const context = testContext({ net: nodeNet() });
  let paths = 0;
  const it = (title: string, body: () => Promise<void>) => test(title, { timeout: 120_000, skip }, body);

  for (
    const { kind, place } of [
      { kind: "tcp", place: () => "tcp://127.0.0.1:0" },
      { kind: "ipc", place: () => `ipc://${path.join(folder, `${paths++}.ipc`)}` },
    ]
  ) {
    // libzmq says `*`, where ours take 0 as well.
    const pyPlace = () => place().replace(/:0$/, ":*");

    for (const minor of [1, 0] as const) {
      it(`${kind}, ZMTP 3.${minor}: seven frames up to 10 MB, PUSH to PULL, both ways`, async () => {
        await using pull = new PullSocket(context, { ...fast, minor });
        const push = await py.open("PUSH");
        await push.connect(await pull.bind(place()));
        await push.send(...PARTS);
        assert.deepEqual(await taken(pull), PARTS.map(made).map(shown));

        await using ours = new PushSocket(context, { ...fast, minor });
        const theirs = await py.open("PULL");
        ours.connect(await theirs.bind(pyPlace()));
        await ours.send(message(...PARTS));
        assert.deepEqual(await theirs.recv(), PARTS.map(made).map(shown));
        await push.close();
        await theirs.close();
      });

      it(`${kind}, ZMTP 3.${minor}: our SUB's topics as their XPUB sees them, prefix filter, unsubscribe`, async () => {
        const xpub = await py.open("XPUB");
        await using sub = new SubSocket(context, { ...fast, minor });
        sub.subscribe("ab");
        sub.connect(await xpub.bind(pyPlace()));
        assert.deepEqual(await xpub.recv(), ["\x01ab"]);
        sub.subscribe("c");
        assert.deepEqual(await xpub.recv(), ["\x01c"]);
        for (const topic of ["abc", "a", "x", "c1"]) await xpub.send(topic, "body");
        assert.deepEqual(await taken(sub), ["abc", "body"]);
        assert.deepEqual(await taken(sub), ["c1", "body"]);
        sub.unsubscribe("ab");
        assert.deepEqual(await xpub.recv(), ["\x00ab"]);
        await xpub.send("abc", "body");
        await xpub.send("c2");
        assert.deepEqual(await taken(sub), ["c2"]);
        await xpub.close();
      });

      it(`${kind}, ZMTP 3.${minor}: our PUB to their SUB, prefix filter, unsubscribe`, async () => {
        await using pub = new PubSocket(context, { ...fast, minor });
        const changes: string[] = [];
        pub.onSubscribe((_peer, topic, on) => changes.push(`${on ? "+" : "-"}${shown(topic)}`));
        const sub = await py.open("SUB");
        await sub.connect(await pub.bind(place()));
        await sub.subscribe("ab");
        await sub.subscribe("c");
        await until(() => changes.length >= 2);
        for (const topic of ["abc", "a", "x", "c1"]) pub.send(message(topic, [70_000, 1]));
        assert.deepEqual(await sub.recv(), ["abc", shown(made([70_000, 1]))]);
        assert.deepEqual(await sub.recv(), ["c1", shown(made([70_000, 1]))]);
        await sub.unsubscribe("ab");
        await until(() => changes.length >= 3);
        pub.send(message("abc"));
        pub.send(message("c2"));
        assert.deepEqual(await sub.recv(), ["c2"]);
        await sub.close();
        await until(() => pub.subscribers === 0);
        assert.deepEqual(changes.slice(0, 3), ["+ab", "+c", "-ab"]);
      });
    }

    it(`${kind}: REQ and REP, both ways`, async () => {
      await using rep = new RepSocket(context, fast);
      rep.serve((request) => [...request, made("ok")]);
      const req = await py.open("REQ");
      await req.connect(await rep.bind(place()));
      for (const size of [0, 300, 200_000]) {
        await req.send([size, 1], "q");
        assert.deepEqual(await req.recv(), [shown(made([size, 1])), "q", "ok"]);
      }
      const theirs = await py.open("REP");
      await using ours = new ReqSocket(context, fast);
      ours.connect(await theirs.bind(pyPlace()));
      const asked = Promise.all(["1", "2", "3"].map((word) => ours.request(message(word, [300_000, 2]))));
      await theirs.echo(3);
      const want = shown(made([300_000, 2]));
      assert.deepEqual((await asked).map((reply) => reply.map(shown)), [["1", want], ["2", want], ["3", want]]);
      await req.close();
      await theirs.close();
    });

    it(`${kind}: ROUTER and DEALER with given and made-up identities, both ways`, async () => {
      await using router = new RouterSocket(context, fast);
      router.onMessage((peer, frames) => router.send(peer, [peer.identity, ...frames]));
      const at = await router.bind(place());
      const named = await py.open("DEALER", { IDENTITY: "web1" });
      await named.connect(at);
      await named.send("hi", "");
      assert.deepEqual(await named.recv(), ["web1", "hi", ""]);
      const unnamed = await py.open("DEALER");
      await unnamed.connect(at);
      await unnamed.send("hi");
      const [identity] = await unnamed.recv() as string[];
      assert.equal(identity!.length, 5);
      assert.equal(identity![0], "\0");

      const theirs = await py.open("ROUTER");
      await using ours = new DealerSocket(context, { ...fast, identity: made("web2") });
      ours.connect(await theirs.bind(pyPlace()));
      await ours.send(message("a", "b"));
      assert.deepEqual(await theirs.recv(), ["web2", "a", "b"]);
      await theirs.send("web2", "back", [70_000, 1]);
      assert.deepEqual(await taken(ours), ["back", shown(made([70_000, 1]))]);
      for (const socket of [named, unnamed, theirs]) await socket.close();
    });

    it(`${kind}: a restarted peer is found again, both ways`, async () => {
      const back = deferred<void>();
      await using sub = new SubSocket(context, fast);
      sub.subscribe("");
      let xpub = await py.open("XPUB");
      const at = await xpub.bind(pyPlace());
      sub.connect(at);
      assert.deepEqual(await xpub.recv(), ["\x01"]);
      sub.onDisconnect(() => back.resolve());
      await xpub.close();
      await back.promise;
      xpub = await py.open("XPUB");
      await xpub.bind(at);
      assert.deepEqual(await xpub.recv(), ["\x01"]);
      await xpub.send("again");
      assert.deepEqual(await taken(sub), ["again"]);
      await xpub.close();

      const theirs = await py.open("SUB", { RECONNECT_IVL: 5 });
      await theirs.subscribe("");
      let ourPlace = place();
      for (const word of ["one", "two"]) {
        await using pub = new PubSocket(context, { ...fast, lingerMs: 0 });
        const bound = await pub.bind(ourPlace);
        if (word === "one") await theirs.connect(bound);
        ourPlace = bound;
        // libzmq tells its topics to a new connection only when its owner calls it: so receive first, then publish.
        const received = theirs.recv();
        await until(() => pub.subscribers === 1);
        pub.send(message(word));
        assert.deepEqual(await received, [word]);
      }
      await theirs.close();
    });
  }

  it("libzmq answers our PINGs", async () => {
    const clock = new HandClock();
    const { net, heard } = spyNet();
    await using pull = new PullSocket(testContext({ net, clock }), {
      heartbeatIntervalMs: 1000,
      heartbeatTimeoutMs: 500,
      heartbeatTtlMs: 60_000,
      lingerMs: 0,
    });
    const push = await py.open("PUSH");
    await push.connect(await pull.bind("tcp://127.0.0.1:0"));
    await until(() => [...pull.peers()].length === 1);
    // The handshake counts as heard in the first interval.
    clock.pass(1000);
    for (let round = 1; round <= 3; round++) {
      clock.pass(1000);
      await until(() => heard.filter((text) => text.includes("PONG")).length >= round);
      clock.pass(500);
    }
    assert.equal([...pull.peers()].length, 1);
    await push.close();
  });

  it("libzmq's PINGs are answered to its satisfaction", async () => {
    const { net, heard } = spyNet();
    await using pull = new PullSocket(testContext({ net }), fast);
    let went = 0;
    pull.onDisconnect(() => went++);
    const push = await py.open("PUSH", { HEARTBEAT_IVL: 30, HEARTBEAT_TIMEOUT: 500, HEARTBEAT_TTL: 1000 });
    await push.connect(await pull.bind("tcp://127.0.0.1:0"));
    await until(() => heard.filter((text) => text.includes("PING")).length > 30);
    assert.equal(went, 0);
    await push.send("still here");
    assert.deepEqual(await taken(pull), ["still here"]);
    await push.close();
  });

  it("a libzmq peer that is stopped is noticed", async () => {
    const other = new Python();
    await using pull = new PullSocket(context, { heartbeatIntervalMs: 50, heartbeatTimeoutMs: 100, lingerMs: 0 });
    const gone = deferred<Error | undefined>();
    pull.onDisconnect((_peer, error) => gone.resolve(error));
    const push = await other.open("PUSH");
    await push.connect(await pull.bind("tcp://127.0.0.1:0"));
    await push.send("x");
    await pull.receive();
    other.child.kill("SIGSTOP");
    assert.match(String((await gone.promise)?.message), /Nothing received within/);
    await other.stop();
  });
});
