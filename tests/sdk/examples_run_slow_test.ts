/** Each program of examples/ runs as it is, against a master and a minion on the loopback. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { connect } from "../../mod.ts";
import { startApi, startFleet } from "./fleet.ts";
import { emptyDirectory, ROOT, runScript } from "./snippets.ts";

const SLOW = { timeout: 90_000 };
const example = (name: string) => path.join(ROOT, "examples", name);
/** What an example printed, once it has ended well. */
async function outputOf(name: string, words: readonly string[] = [], env: Record<string, string> = {}) {
  const { stdout, stderr, code } = await runScript(example(name), words, env).ended;
  assert.equal(code, 0, stderr);
  return stdout;
}

for (
  const { name, prints } of [
    { name: "outcomes.ts", prints: "web1: up\nweb9: has no accepted key\n1 without success\n" },
    { name: "rolling_batch.ts", prints: "now: web1\nweb1: returned\n" },
    { name: "call_runner.ts", prints: /^up: \[ ?"?'?web1'?"? ?\]\n$/ },
  ]
) {
  test(`examples/${name} prints what it says`, SLOW, async () => {
    using directory = emptyDirectory();
    await using fleet = await startFleet(directory.path);
    await fleet.minion.ready;
    const printed = await outputOf(name, fleet.words);
    if (typeof prints === "string") assert.equal(printed, prints);
    else assert.match(printed, prints);
  });
}

test("examples/follow_events.ts prints returns as they arrive", SLOW, async () => {
  using directory = emptyDirectory();
  await using fleet = await startFleet(directory.path);
  await fleet.minion.ready;
  await using salt = await connect({ rootDir: directory.path, requestPort: fleet.requestPort });
  const running = runScript(example("follow_events.ts"), fleet.words);
  try {
    assert.equal(await running.line(), "Listening");
    const published = await salt.publish({ tgt: "web1", fun: "test.echo", arg: ["hello"] });
    assert.equal(await running.line(), `${published!.jid} web1 test.echo "hello"`);
  } finally {
    running.kill();
    await running.ended;
  }
});

test("examples/accept_keys.ts lists the keys that wait, and accepts those named", SLOW, async () => {
  using directory = emptyDirectory();
  await using fleet = await startFleet(directory.path, { auto_accept: false });
  await using salt = await connect({ rootDir: directory.path, requestPort: fleet.requestPort });
  const pending = Promise.withResolvers<void>();
  salt.onEvent(({ tag, data }) => tag === "salt/auth" && data.act === "pend" && pending.resolve());
  const { keys } = fleet.master;
  if (!keys.list("pre").includes("web1")) await pending.promise;
  assert.equal(await outputOf("accept_keys.ts", fleet.words), "waiting: web1\n");
  const [waiting, accepted] = (await outputOf("accept_keys.ts", [...fleet.words, "web1"])).split("\n");
  assert.equal(waiting, "waiting: web1");
  assert.match(accepted!, /^accepted web1 ([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
  await fleet.minion.ready;
});

test("examples/http_client.ts runs a job through salt-api, and says why it cannot", SLOW, async () => {
  using directory = emptyDirectory();
  await using api = await startApi(directory.path);
  const env = { SALT_API: api.url, SALT_USER: "ann", SALT_EAUTH: "file" };
  assert.equal(await outputOf("http_client.ts", [], { ...env, SALT_PASSWORD: "secret" }), "web1 true\n");
  const refused = await runScript(example("http_client.ts"), [], { ...env, SALT_PASSWORD: "wrong" }).ended;
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^AUTHENTICATION http:.*check token or login/);
});

test("examples/embedded.ts runs a function of its own", SLOW, async () => {
  assert.equal(await outputOf("embedded.ts"), "web1 2\n");
});

test("examples/fetch_host.ts answers", SLOW, async () => {
  const host = (await import("../../examples/fetch_host.ts")).default;
  const answer = await host.fetch(new Request("http://localhost/health"));
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
});

test("every example is run by a test here, and listed in docs/sdk.md", () => {
  const own = readFileSync(new URL(import.meta.url), "utf8");
  const page = readFileSync(path.join(ROOT, "docs/sdk.md"), "utf8");
  for (const name of readdirSync(path.join(ROOT, "examples")).filter((name) => name.endsWith(".ts"))) {
    assert.ok(own.includes(`"${name}"`) || own.includes(`examples/${name}"`), name);
    assert.ok(page.includes(`| \`examples/${name}\` |`), name);
  }
});
