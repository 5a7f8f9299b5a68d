/** Sessions of one gateway at another of the same master, or of another master that has the same tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SESSION_MS } from "../../../../src/host/gateway/auth/sessions.ts";
import { type Door, openDoor } from "../fake_backend.ts";
import { startSite } from "../site.ts";

const RUN = { body: [{ client: "local", tgt: "*", fun: "test.ping" }] };

async function statusOf(door: Door, headers: Record<string, string>, from?: string): Promise<number> {
  const answer = await door.send("POST", "/", { ...RUN, headers, ...(from === undefined ? {} : { from }) });
  await answer.body?.cancel();
  return answer.status;
}

test("a session is good at another gateway, and ends everywhere with its logout", async () => {
  const first = await openDoor();
  const second = await openDoor({}, { like: first });
  const session = await first.login();
  assert.equal(await statusOf(second, session), 200);
  assert.equal(await statusOf(second, { Cookie: `session_id=${session["X-Auth-Token"]}` }), 200);
  assert.equal((await second.send("POST", "/logout", { headers: session })).status, 200);
  assert.equal(await statusOf(second, session), 401);
  assert.equal(await statusOf(first, session), 401);
  assert.equal(await statusOf(await openDoor({}, { like: first }), session), 401);
});

test("a session that ended for want of requests is taken up nowhere", async () => {
  const first = await openDoor();
  const second = await openDoor({}, { like: first });
  const session = await first.login();
  first.clock.advance(SESSION_MS - 1);
  assert.equal(await statusOf(second, session), 200);
  const idle = await first.login();
  for (const { expire, token, ...more } of [...first.backend.tokens.values()]) {
    first.backend.tokens.set(token, { ...more, token, expire: expire + 1e6 });
  }
  first.clock.advance(SESSION_MS);
  assert.equal(await statusOf(first, idle), 401);
  assert.equal(await statusOf(second, idle), 401);
});

test("what api_acl forbids at one gateway is forbidden at the other", async () => {
  const first = await openDoor();
  const second = await openDoor({ api_acl: { users: { somebody: ["10.0.0.1"] } } }, { like: first });
  const session = await first.login();
  assert.equal(await statusOf(second, session, "10.0.0.2"), 401);
  assert.equal(await statusOf(second, session, "10.0.0.1"), 200);
});

test("an id that no login has made is refused, and asked for a bounded number of times", async () => {
  const door = await openDoor({ login_attempts: 3 });
  const session = await door.login();
  const before = door.backend.calls.length;
  for (let at = 0; at < 300; at++) {
    assert.equal(await statusOf(door, { "X-Auth-Token": at.toString(16).padStart(40, "0") }), 401);
  }
  const asked = door.backend.calls.slice(before);
  assert.equal(asked.length, 30);
  assert.equal(await statusOf(door, session), 200);
  for (const id of ["", "x".repeat(40), "0".repeat(39), "A".repeat(40)]) {
    assert.equal(await statusOf(await openDoor({}, { like: door }), { "X-Auth-Token": id }), 401);
  }
});

test("while the master is away, a session is not called invalid", async () => {
  const first = await openDoor();
  const second = await openDoor({}, { like: first });
  const session = await first.login();
  first.backend.up = false;
  assert.equal(await statusOf(second, session), 503);
  first.backend.up = true;
  assert.equal(await statusOf(second, session), 200);
});

test("a master of ours finds a token by its second name until it is revoked", { timeout: 60_000 }, async () => {
  await using site = await startSite({ minions: ["web1"] });
  const name = "5e".repeat(32);
  const made = (await site.backend.login({ eauth: "file", username: "alice", password: "wonder" }, name))!;
  assert.deepEqual(await site.backend.token(name), made);
  await site.backend.revoke(made.token);
  assert.equal(await site.backend.token(name), undefined);
});
