/** The log at a system logger: its addresses, and what arrives there. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { Syslog } from "../../../cli/daemon/syslog.ts";
import { type SyslogAddress, syslogAddress } from "../../../cli/daemon/syslog_address.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { sendUnixDatagram, unixAddress } from "../../../src/runtime/unix_datagram.ts";
import { FakeClock } from "../../support/fake_clock.ts";

describe("log_file is the address of a system logger", () => {
  for (
    const [value, want] of [
      ["file:///dev/log", { kind: "unix", path: "/dev/log", facility: 1 }],
      ["file:///dev/log/LOG_DAEMON", { kind: "unix", path: "/dev/log", facility: 3 }],
      ["udp://loghost", { kind: "udp", host: "loghost", port: 514, facility: 1 }],
      ["udp://10.0.0.7:5145/log_local3", { kind: "udp", host: "10.0.0.7", port: 5145, facility: 19 }],
      ["tcp://[fe80::1%eth0]:6514/LOG_AUTH", { kind: "tcp", host: "fe80::1%eth0", port: 6514, facility: 4 }],
    ] as const
  ) test(value, () => assert.deepEqual(syslogAddress("log_file", value), want));

  for (
    const [value, why] of [
      ["udp://", /its host or its port cannot be read/],
      ["udp://host:99999", /its host or its port/],
      ["tcp://host:514/LOG_MINE", /"LOG_MINE" is not a facility \(known: LOG_KERN/],
      ["tcp://host:514/__proto__", /is not a facility/],
      ["file://dev/log", /not absolute/],
      ["ftp://host", /The option log_file is "ftp:\/\/host": "ftp" is not a kind of log. Write a path, file:/],
    ] as const
  ) test(`not ${value}`, () => assert.throws(() => syslogAddress("log_file", value), why));
});

async function bed(address: SyslogAddress, sent?: (path: string, data: Uint8Array) => void) {
  const base = await currentRuntime();
  const clock = new FakeClock();
  const net = sent === undefined ? base.net : { ...base.net, unixDatagram: sent };
  const said: string[] = [];
  const runtime = { clock, net, process: { ...base.process, pid: 4711 } };
  const log = new Syslog({ runtime, address, program: "salt-master", complain: (text) => void said.push(text) });
  return { log, clock, said };
}

const text = (data: Uint8Array) => new TextDecoder().decode(data);

test("lines have facility, severity, program and pid; lost ones are counted", async () => {
  const got: string[] = [];
  let down = true;
  const { log, said } = await bed({ kind: "unix", path: "/dev/log", facility: 3 }, (path, data) => {
    if (down) throw new Error("nobody listens");
    got.push(`${path} ${text(data)}`);
  });
  log.write("one\n", "error");
  log.write("two\n", "error");
  down = false;
  log.write("three\n", "info");
  log.write(`${"x".repeat(100_000)}\n`, "debug");
  assert.deepEqual(said, ["WARNING: the log does not reach /dev/log: nobody listens"]);
  assert.deepEqual(got.slice(0, 2), [
    "/dev/log <28>salt-master[4711]: 2 log lines could not be sent",
    "/dev/log <30>salt-master[4711]: three",
  ]);
  assert.ok(got[2]!.startsWith("/dev/log <31>salt-master[4711]: xxx") && got[2]!.length < 9000);
});

test("over UDP each line is a datagram", { timeout: 60_000 }, async () => {
  const server = createSocket("udp4");
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const { log } = await bed({ kind: "udp", host: "127.0.0.1", port: server.address().port, facility: 1 });
  try {
    const arrived = once(server, "message");
    log.write("refused: id=web1\n", "warning");
    const [data] = await arrived;
    assert.equal(text(data), "<12>salt-master[4711]: refused: id=web1");
  } finally {
    log.close();
    server.close();
  }
});

test("over TCP lines end in a line feed, and go on once the logger is there again", { timeout: 60_000 }, async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { log, clock, said } = await bed({ kind: "tcp", host: "127.0.0.1", port, facility: 1 });
  const accepted = () => once(server, "connection").then(([socket]) => socket as Socket);
  const line = async (socket: Socket) => text((await once(socket, "data"))[0]);
  try {
    const first = accepted();
    log.write("one\n", "info");
    const socket = await first;
    assert.equal(await line(socket), "<14>salt-master[4711]: one\n");
    const second = accepted();
    socket.destroy();
    await clock.waiting(1000);
    log.write("lost\n", "info");
    clock.advance(1000);
    const again = await second;
    log.write("two\n", "info");
    const said = await line(again);
    assert.match(said, /^<12>salt-master\[4711\]: 1 log lines could not be sent\n/);
    assert.match(said.includes("two") ? said : said + await line(again), /<14>salt-master\[4711\]: two\n$/);
    again.destroy();
  } finally {
    log.close();
    server.close();
  }
  assert.deepEqual(said, []);
});

describe("the address of a Unix socket", () => {
  test("is a path with a zero byte behind it, or an abstract name with one before it", () => {
    assert.deepEqual([...unixAddress("/a")!].slice(2), [47, 97, 0]);
    assert.deepEqual([...unixAddress("@a")!].slice(2), [0, 97]);
  });
  for (const path of ["", "/", "@", "a", "vsock:2:1", "/a\0b", `/${"x".repeat(107)}`]) {
    test(`is not ${JSON.stringify(path.slice(0, 20))}`, () => {
      assert.equal(unixAddress(path), undefined);
      const calls = { socket: () => assert.fail(), sendto: () => assert.fail(), close: () => assert.fail() };
      assert.throws(() => sendUnixDatagram(calls, path, new Uint8Array(1)), /expected a path of at most 107 bytes/);
    });
  }
});
