/** Sockets of systemd's socket units: what a daemon is given, and that it listens there. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, describe, test } from "node:test";
import { takePassedSockets } from "../../../cli/daemon/passed_sockets.ts";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import type { Net, SocketAddress } from "../../../src/runtime/net.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { freePort, RunningProgram } from "../../support/running_program.ts";

const PID = 4711;
const LOCAL =
  "   0: 0100007F:1199 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 900 1 0 100 0 0 10 0";
const ANY = "   0: 00000000000000000000000000000000:119A 00000000000000000000000000000000:0000 0A 00000000:00000000 " +
  "00:00000000 00000000     0        0 901 1 0 100 0 0 10 0";
const CONNECTED = LOCAL.replace(" 0A ", " 01 ").replace(" 900 ", " 902 ");
const FILES: Record<string, string> = {
  "/proc/self/net/tcp": `  sl  local_address rem_address   st\n${LOCAL}\n${CONNECTED}\n`,
  "/proc/self/net/tcp6": `  sl  local_address rem_address   st\n${ANY}\n`,
  "/proc/self/fd/3": "socket:[900]",
  "/proc/self/fd/4": "socket:[901]",
  "/proc/self/fd/5": "socket:[902]",
  "/proc/self/fd/6": "/dev/null",
};

/** A process with these variables, and what listens in it: each address with its descriptor. */
function given(env: Record<string, string>, used = true) {
  const left = new Map(Object.entries(env));
  const listens: [string, number | undefined][] = [];
  const said: LogRecord[] = [];
  const read = (name: string) => {
    if (FILES[name] === undefined) throw new Error(`ENOENT ${name}`);
    return FILES[name];
  };
  const runtime = {
    process: {
      pid: PID,
      env: (name: string) => left.get(name),
      setEnv: (name: string, _value: undefined) => void left.delete(name),
    },
    fs: { readText: read, readlink: read },
  } as unknown as Runtime;
  const passed = takePassedSockets(runtime, createLogger((record) => void said.push(record), { level: "info" }), used);
  const net = passed.net({
    listen: (at: SocketAddress, _accept: unknown, options?: { descriptor?: number }) => {
      listens.push([at.kind === "tcp" ? `${at.host} ${at.port}` : at.path, options?.descriptor]);
      return Promise.resolve({ address: at, close: () => Promise.resolve() });
    },
  } as unknown as Net);
  const listen = (host: string, port: number) => net.listen({ kind: "tcp", host, port }, () => {});
  return { passed, listen, listens, said, left };
}

describe("sockets of a socket unit", () => {
  test("are used for the ports that they listen at, and named if nothing does", async () => {
    const env = { LISTEN_FDS: "4", LISTEN_PID: `${PID}`, LISTEN_FDNAMES: "publish:requests:other:null" };
    const { passed, listen, listens, said, left } = given(env);
    assert.equal(left.size, 0, "programs that are started must not have the variables");
    await listen("0.0.0.0", 4505);
    await listen("0.0.0.0", 4506);
    await listen("0.0.0.0", 4507);
    // One socket serves one listener.
    await listen("0.0.0.0", 4505);
    assert.deepEqual(listens, [["0.0.0.0 4505", 3], ["0.0.0.0 4506", 4], ["0.0.0.0 4507", undefined], [
      "0.0.0.0 4505",
      undefined,
    ]]);
    passed.nameUnused();
    assert.deepEqual(said.map(({ level, fields }) => [level, fields.address ?? fields.socket, fields.name]), [
      ["info", "tcp://127.0.0.1:4505", "publish"],
      ["info", "tcp://[::]:4506", "requests"],
      ["warning", "descriptor 5 is not a listening TCP socket", "other"],
      ["warning", "descriptor 6 is not a listening TCP socket", "null"],
    ]);
  });

  for (
    const { name, env, used = true, warns } of [
      { name: "of another process", env: { LISTEN_FDS: "1", LISTEN_PID: "1" }, warns: 0 },
      { name: "of no process", env: { LISTEN_FDS: "1" }, warns: 0 },
      { name: "in a number that is none", env: { LISTEN_FDS: "-1\x1b[2J", LISTEN_PID: `${PID}` }, warns: 1 },
      { name: "that are too many", env: { LISTEN_FDS: "999999", LISTEN_PID: `${PID}` }, warns: 1 },
      {
        name: "for a daemon that opens its own",
        env: { LISTEN_FDS: "1", LISTEN_PID: `${PID}` },
        used: false,
        warns: 1,
      },
    ]
  ) {
    test(`${name} are not used`, async () => {
      const { passed, listen, listens, said, left } = given(env, used);
      await listen("127.0.0.1", 4505);
      passed.nameUnused();
      assert.deepEqual(listens, [["127.0.0.1 4505", undefined]]);
      assert.equal(said.filter(({ level }) => level === "warning").length, warns);
      assert.ok(!JSON.stringify(said).includes("\\u001b"), "what was given is shown as text");
      assert.equal(left.size, 0);
    });
  }
});

/** Opens listening sockets as systemd does, then becomes the daemon. */
const ACTIVATE = `
import os, socket, sys
count = int(sys.argv[1])
sockets = []
for at in range(count):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", int(sys.argv[2 + at])))
    s.listen(100)
    sockets.append(os.dup(s.fileno()))
for at, fd in enumerate(sockets):
    os.dup2(fd, 60 + at)
for at in range(count):
    os.dup2(60 + at, 3 + at)
    os.set_inheritable(3 + at, True)
os.environ.update(LISTEN_FDS=str(count), LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES=":".join("abc"[:count]))
words = sys.argv[2 + count:]
os.execvp(words[0], words)
`;

const skip = process.platform !== "linux"
  ? "systemd is Linux's"
  : spawnSync("python3", ["--version"]).error !== undefined && "no python3, which opens the sockets";

describe("a master of a socket unit", { timeout: 120_000, skip }, () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-passed-"));
  let running: RunningProgram | undefined;
  after(() => {
    if (running?.ended === false) running.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  test("serves at the sockets that it is given, wherever its own options say", async () => {
    const [publish, requests, other] = [await freePort(), await freePort(), await freePort()];
    const options = {
      root_dir: root,
      user: execFileSync("id", ["-un"], { encoding: "utf8" }).trim(),
      // Another address than that of the sockets: it cannot have opened these itself.
      interface: "127.0.0.9",
      log_level: "info",
      publish_port: publish,
      ret_port: requests,
    };
    writeFileSync(path.join(root, "master"), JSON.stringify(options));
    const through = ["python3", "-c", ACTIVATE, "3", `${publish}`, `${requests}`, `${other}`];
    const master = running = new RunningProgram("salt-master", ["-c", root], [], {}, through);
    await master.saying("master is running");
    assert.match(master.said, new RegExp(`socket unit: address=tcp://127.0.0.1:${publish} name=a`));
    assert.match(master.said, new RegExp(`socket unit: address=tcp://127.0.0.1:${requests} name=b`));
    await master.saying(`is ignored: socket=tcp://127.0.0.1:${other} name=c`);
    for (const port of [publish, requests]) {
      const socket = connect(port, "127.0.0.1");
      const greeting = await new Promise<Uint8Array>((resolve, reject) => {
        socket.once("data", resolve);
        socket.once("error", reject);
        socket.once("end", () => reject(new Error("it was closed without a word")));
      });
      socket.destroy();
      assert.equal(greeting[0], 0xff, "ZeroMQ's first byte");
    }
    assert.equal(await master.end(), 0);
  });
});
