import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEndpoint, printEndpoint } from "../../../src/protocol/zmtp/mod.ts";

for (
  const { text, want, prints = text } of [
    { text: "tcp://127.0.0.1:4505", want: { kind: "tcp", host: "127.0.0.1", port: 4505 } },
    { text: "tcp://[::1]:4506", want: { kind: "tcp", host: "::1", port: 4506 } },
    { text: "tcp://[fe80::1%eth0]:1", want: { kind: "tcp", host: "fe80::1%eth0", port: 1 } },
    { text: "tcp://salt.example:4506", want: { kind: "tcp", host: "salt.example", port: 4506 } },
    { text: "tcp://*:*", want: { kind: "tcp", host: "0.0.0.0", port: 0 }, prints: "tcp://0.0.0.0:0" },
    {
      text: "tcp://10.0.0.1:0;[::2]:4506",
      want: { kind: "tcp", host: "::2", port: 4506, source: { host: "10.0.0.1", port: 0 } },
    },
    { text: "ipc:///run/salt/a b.ipc", want: { kind: "unix", path: "/run/salt/a b.ipc" } },
    { text: "ipc://relative.ipc", want: { kind: "unix", path: "relative.ipc" } },
  ]
) {
  test(`parseEndpoint and printEndpoint: ${text}`, () => {
    assert.deepEqual(parseEndpoint(text), want);
    assert.equal(printEndpoint(parseEndpoint(text)), prints);
  });
}

for (
  const text of [
    "",
    "salt:4506",
    "tcp://salt",
    "tcp://salt:",
    "tcp://:4506",
    "tcp://salt:65536",
    "tcp://salt:-1",
    "tcp://::1:4506",
    "tcp://[::1:4506",
    "tcp://a:1;b:2;c:3",
    "ipc://",
    "ipc://a\0b",
    "inproc://workers",
    "udp://salt:1",
  ]
) {
  test(`parseEndpoint refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseEndpoint(text), SyntaxError));
}
