/** What cannot be the name of a function is the caller's mistake: 400, and nothing reaches the master. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CLIENT_NAMES } from "../../../../src/host/gateway/commands/clients.ts";
import { openDoor } from "../fake_backend.ts";

const MALFORMED: unknown[] = [
  "",
  " ",
  "test ping",
  "test.ping\n",
  "test.ping\0",
  "../x",
  "a/b",
  "__proto__.x y",
  "tеst.ping",
  ".ping",
  "test.",
  "test..ping",
  "x".repeat(257),
  0,
  1.5,
  true,
  null,
  {},
  { a: 1 },
  [[]],
  [["test.ping"]],
];
const OF_JOBS: unknown[] = [
  [],
  ["test.ping", ""],
  ["test.ping", 7],
  ["test.ping", "a b"],
  Array(1001).fill("test.ping"),
];
const CLIENTS = CLIENT_NAMES.filter((client) => client !== "ssh");

describe("malformed names of functions", () => {
  for (const client of CLIENTS) {
    test(`are 400 for ${client}`, async () => {
      const door = await openDoor();
      const headers = await door.login();
      door.backend.calls.length = 0;
      for (const fun of [...MALFORMED, ...(client.startsWith("local") ? OF_JOBS : [])]) {
        const answer = await door.send("POST", "/", { headers, body: [{ client, tgt: "*", fun }] });
        assert.equal(answer.status, 400, `${JSON.stringify(fun)}: ${await answer.text()}`);
      }
      assert.deepEqual(door.backend.acts, []);
    });
  }

  test("are 400 in a preview, and so is a jid that is none", async () => {
    const door = await openDoor();
    door.backend.isBrine = true;
    const headers = await door.login();
    for (const fun of MALFORMED) {
      assert.equal((await door.send("POST", "/preview", { headers, body: [{ tgt: "*", fun }] })).status, 400);
    }
    for (const jid of ["x", "../1", "2026", `${"1".repeat(20)}\n`]) {
      const body = [{ client: "local", tgt: "*", fun: "test.ping", jid }];
      assert.equal((await door.send("POST", "/", { headers, body })).status, 400, jid);
    }
    assert.deepEqual(door.backend.acts, []);
  });
});
