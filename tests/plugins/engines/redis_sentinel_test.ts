/** The engine `redis_sentinel`, and the protocol of Redis that it reads. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { engine, sentinelEvent } from "../../../src/plugins/engines/redis_sentinel.ts";
import { ENGINES } from "../../../src/plugins/engines/mod.ts";
import { RespReader } from "../../../src/plugins/engines/resp.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { engineSite } from "../../support/engine_site.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const bulk = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;

test("redis is another name of redis_sentinel, as in real Salt 3006", async () => {
  assert.equal((await ENGINES.redis!()).engine, engine);
});

describe("RespReader", () => {
  test("values are whole wherever chunks end", () => {
    const all = utf8(
      `+OK\r\n:5\r\n$-1\r\n*-1\r\n${bulk("pmessage", "*", "+odown", "a b")}*2\r\n$1\r\nx\r\n:1\r\n-ERR no\r\n`,
    );
    const reader = new RespReader();
    const values = [...all].flatMap((byte) => reader.read(Uint8Array.of(byte)));
    assert.deepEqual(values.slice(0, -1), ["OK", 5, null, null, ["pmessage", "*", "+odown", "a b"], ["x", 1]]);
    assert.match((values.at(-1) as Error).message, /The server says: ERR no/);
  });

  for (const text of ["hello\r\n", "$9999999999\r\n", "*1000000\r\n", "*1\r\n".repeat(9), "$x\r\n"]) {
    test(`refused: ${JSON.stringify(text.slice(0, 20))}`, () => {
      assert.throws(() => new RespReader().read(utf8(text)), SyntaxError);
    });
  }

  test("a value without an end takes bounded memory", () => {
    const reader = new RespReader();
    assert.throws(() => {
      for (let n = 0; n < 20; n++) reader.read(utf8("+".padEnd(100_000, "x")));
    }, /too large/);
  });
});

test("messages become events as in Salt", () => {
  const cases: [string, string | number, Record<string, unknown>][] = [
    ["*", 1, { channel: "*", code: 1 }],
    ["+switch-master", "m 1.1.1.1 1 2.2.2.2 2", {
      channel: "+switch-master",
      master: "m",
      old_host: "1.1.1.1",
      old_port: "1",
      new_host: "2.2.2.2",
      new_port: "2",
    }],
    ["+odown", "master m 1.1.1.1 1 #quorum 2/2", { channel: "+odown", master: "m", host: "1.1.1.1", port: "1" }],
    ["+sdown", "any text", { channel: "+sdown", data: "any text" }],
  ];
  for (const [channel, data, event] of cases) assert.deepEqual(sentinelEvent(channel, data), event);
});

describe("redis_sentinel", () => {
  test("asks a minion for the address, subscribes, and fires what comes", async () => {
    const { net } = await currentRuntime();
    let got = "";
    const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
      connection.start({
        onData(chunk) {
          got += new TextDecoder().decode(chunk);
          if (!got.includes("PSUBSCRIBE")) return;
          connection.write(utf8("+OK\r\n*3\r\n$10\r\npsubscribe\r\n$6\r\n+odown\r\n:1\r\n"));
          connection.write(utf8(bulk("pmessage", "+odown", "+odown", "master m 1.1.1.1 1")));
        },
        onClose: () => {},
      });
    });
    const { port } = listener.address as { port: number };
    const asked: unknown[] = [];
    const here = await engineSite({
      master: {
        command(request) {
          asked.push(request);
          return Promise.resolve({ board1: ["127.0.0.1"] });
        },
      },
    });
    void here.start(engine, {
      hosts: { matching: "board*", port, interface: "eth2" },
      channels: ["+odown"],
      password: "p",
    });
    await here.until(() => here.fired.length >= 2, "both have come");
    assert.deepEqual(asked, [{ tgt: "board*", fun: "network.ip_addrs", arg: ["eth2"] }]);
    assert.deepEqual(got, bulk("AUTH", "p") + bulk("PSUBSCRIBE", "+odown"));
    assert.deepEqual(here.fired, [
      { tag: "salt/engine/redis_sentinel/+odown", data: { channel: "+odown", code: 1 } },
      {
        tag: "salt/engine/redis_sentinel/+odown",
        data: { channel: "+odown", master: "m", host: "1.1.1.1", port: "1" },
      },
    ]);
    await here.end();
    await listener.close();
  });

  test("a target that nobody matches is named", async () => {
    await using here = await engineSite({ master: { command: () => Promise.resolve(undefined) } });
    await assert.rejects(
      here.start(engine, { hosts: { matching: "board*", interface: "eth2" }, channels: ["*"] }),
      /No minion of 'board\*' has answered with an address of its interface 'eth2'/,
    );
    await assert.rejects(here.start(engine, { hosts: {}, channels: [] }), /expected a map with matching/);
  });
});
