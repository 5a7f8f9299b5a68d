/** Each program of examples/ runs as it is, against a master and a minion on the loopback. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { startMaster } from "../../cli/embed/master.ts";
import { startMinion } from "../../cli/embed/minion.ts";
import { connect } from "../../mod.ts";
import { createGateway, currentRuntime, gatewaySettings, masterBackend, masterOptions } from "../../src/gateway/mod.ts";
import { emptyDirectory, ROOT, runScript } from "./snippets.ts";

const SLOW = { timeout: 90_000 };
const example = (name: string) => path.join(ROOT, "examples", name);
const portOf = (endpoint: string) => Number(endpoint.split(":").at(-1));

/** A master with one minion, `web1`, below a directory. */
async function startFleet(root: string, opts: Record<string, unknown> = {}) {
  const master = await startMaster({
    rootDir: root,
    opts: { interface: "127.0.0.1", publish_port: 0, ret_port: 0, auto_accept: true, ...opts },
  });
  const requestPort = portOf(master.requestEndpoint);
  const minion = await startMinion({
    rootDir: path.join(root, "web1"),
    opts: { id: "web1", master: "127.0.0.1", master_port: requestPort, acceptance_wait_time: 1 },
  });
  return {
    master,
    minion,
    requestPort,
    words: [root, String(requestPort)],
    async [Symbol.asyncDispose]() {
      await minion.close();
      await master.close();
    },
  };
}

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
  const { keys } = fleet.master.services;
  if (!keys.list("pre").includes("web1")) await pending.promise;
  assert.equal(await outputOf("accept_keys.ts", fleet.words), "waiting: web1\n");
  const [waiting, accepted] = (await outputOf("accept_keys.ts", [...fleet.words, "web1"])).split("\n");
  assert.equal(waiting, "waiting: web1");
  assert.match(accepted!, /^accepted web1 ([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
  await fleet.minion.ready;
});

test("examples/http_client.ts runs a job through salt-api with fetch alone", SLOW, async () => {
  using directory = emptyDirectory({ users: "ann:secret\n" });
  const values = {
    root_dir: directory.path,
    external_auth: { file: { "^filename": path.join(directory.path, "users"), ann: [".*"] } },
    netapi_enable_clients: ["local"],
    rest_cherrypy: { port: 0, disable_ssl: true },
  };
  writeFileSync(path.join(directory.path, "users"), "ann:secret\n", { mode: 0o600 });
  const { root_dir: _root, ...opts } = values;
  await using fleet = await startFleet(directory.path, opts);
  await fleet.minion.ready;
  const runtime = await currentRuntime();
  const all = masterOptions({ ...values, interface: "127.0.0.1", ret_port: fleet.requestPort });
  await using backend = masterBackend({ runtime, opts: all });
  await using gateway = createGateway({ runtime, backend, settings: gatewaySettings(all, "rest_cherrypy") });
  await using server = await runtime.http.serve(gateway.fetch, { host: "127.0.0.1", port: 0 });
  const printed = await outputOf("http_client.ts", [], {
    SALT_API: `http://127.0.0.1:${server.port}`,
    SALT_USER: "ann",
    SALT_PASSWORD: "secret",
    SALT_EAUTH: "file",
  });
  assert.match(printed, /^web1 \{"ret":true,"retcode":0,"jid":"\d{20}"\}\n$/);
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

test("every example is run by a test here, and listed in README", () => {
  const own = readFileSync(new URL(import.meta.url), "utf8");
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  for (const name of readdirSync(path.join(ROOT, "examples")).filter((name) => name.endsWith(".ts"))) {
    assert.ok(own.includes(`"${name}"`) || own.includes(`examples/${name}"`), name);
    assert.ok(readme.includes(`| \`examples/${name}\` |`), name);
  }
});
