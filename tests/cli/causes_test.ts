/** Causes of failures are on stderr, while stdout and exit code stay as scripts know them of Salt. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { callMain } from "../../cli/programs/call.ts";
import { inColor } from "../../cli/terminal/color.ts";
import { saltMain } from "../../cli/programs/salt.ts";
import { NO_MATCH } from "../../src/model/job/outcome.ts";
import { runInProcess } from "../support/program.ts";
import { type Cluster, PAIRS, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

describe("salt logs why no minion matched", TIMEOUT, () => {
  let cluster: Cluster;
  let conf: string;

  before(async () => {
    cluster = await startCluster({ place: "current", minions: ["alpha"] });
    for (
      const [folder, id] of [["minions_pre", "waiting1"], ["minions_rejected", "refused1"], [
        "minions_pre",
        "evil\u001b[2J",
      ]]
    ) {
      mkdirSync(path.join(cluster.root, "pki", folder!), { recursive: true });
      writeFileSync(path.join(cluster.root, "pki", folder!, id!), PAIRS.other.publicPem);
    }
    conf = path.join(cluster.root, "conf");
    mkdirSync(conf);
    const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
    const opts = { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user, timeout: 5 };
    writeFileSync(path.join(conf, "master"), JSON.stringify(opts));
  }, TIMEOUT);
  after(() => cluster.close(), TIMEOUT);

  for (
    const { words, says } of [
      { words: ["waiting1"], says: /The key of waiting1 is not accepted yet\. To accept: salt-key -a waiting1/ },
      { words: ["-L", "waiting1,refused1"], says: /waiting1 is not accepted yet/ },
      { words: ["refused*"], says: /The key of refused1 is rejected/ },
      { words: ["evil*"], says: /The key of evil\\x1b\[2J is not accepted yet/ },
      { words: ["-E", "alpha("], says: /The target cannot be read: / },
      { words: ["-C", "alpha and"], says: /The target cannot be read: / },
      { words: ["-C", "g@os:Test"], says: /did you mean "G@"/ },
      { words: ["-G", "os"], says: /a grain target is grain:value/ },
      { words: ["-G", "os:Windows"], says: undefined },
      { words: ["-l", "info", "-G", "os:Windows"], says: /None of the 1 minions with an accepted key matches/ },
      { words: ["nobody"], says: undefined },
    ]
  ) {
    test(`salt ${words.join(" ")} test.ping`, TIMEOUT, async () => {
      const { stdout, stderr, exitCode } = await runInProcess("salt", saltMain, ["-c", conf, ...words, "test.ping"]);
      assert.deepEqual([stdout, exitCode], [`${NO_MATCH}\n`, 2]);
      if (says === undefined) assert.equal(stderr, "ERROR: No return received\n");
      else assert.match(stderr, says);
    });
  }

  test("--progress reports on stderr how far a job is", TIMEOUT, async () => {
    const run = await runInProcess("salt", saltMain, ["-c", conf, "alpha", "test.ping", "--progress"]);
    assert.deepEqual(run, { stdout: "alpha:\n    True\n", stderr: "Progress: 1 of 1 minions (100 %)\n", exitCode: 0 });
  });
});

describe("salt-call reports why it cannot reach its master", TIMEOUT, () => {
  const call = async (master: string, port: number) => {
    const root = mkdtempSync(path.join(tmpdir(), "brine-causes-"));
    try {
      const opts = { root_dir: root, id: "web1", master, master_port: port, auth_timeout: 1, keysize: 2048 };
      writeFileSync(path.join(root, "minion"), JSON.stringify(opts));
      return await runInProcess("salt-call", callMain, ["-c", root, "-t", "2", "test.ping"]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  };
  const listening = (server: Server) =>
    new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port))
    );

  test("nothing listens there", TIMEOUT, async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const { stderr, exitCode } = await call("127.0.0.1", port);
    assert.match(
      stderr,
      new RegExp(`Cannot connect to tcp://127\\.0\\.0\\.1:${port}: ECONNREFUSED, no process listens there`),
    );
    assert.equal(exitCode, 1);
  });

  test("what listens there does not answer", TIMEOUT, async () => {
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
    });
    const port = await listening(server);
    try {
      const { stderr } = await call("127.0.0.1", port);
      assert.match(stderr, /accepts connections but does not answer as a ZeroMQ peer/);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("the name is not known", TIMEOUT, async () => {
    const { stderr } = await call("no-such-master.invalid", 4506);
    assert.match(stderr, /ENOTFOUND|EAI_AGAIN/);
    assert.match(stderr, /check (its spelling and )?the DNS/);
  });
});

for (
  const { name, env, options = {}, terminal = true, want } of [
    { name: "a terminal", env: {}, want: true },
    { name: "no terminal", env: {}, terminal: false, want: false },
    { name: "NO_COLOR", env: { NO_COLOR: "1" }, want: false },
    { name: "an empty NO_COLOR", env: { NO_COLOR: "" }, want: true },
    { name: "TERM=dumb", env: { TERM: "dumb" }, want: false },
    { name: "--no-color", env: {}, options: { no_color: true }, want: false },
    {
      name: "--force-color beside NO_COLOR",
      env: { NO_COLOR: "1" },
      options: { force_color: true },
      terminal: false,
      want: true,
    },
  ] as {
    name: string;
    env: Record<string, string>;
    options?: Record<string, unknown>;
    terminal?: boolean;
    want: boolean;
  }[]
) {
  test(`colours with ${name}: ${want}`, () => {
    const runtime = { process: { env: (key: string) => env[key] } };
    assert.equal(inColor({ options, runtime, terminal } as unknown as Parameters<typeof inColor>[0]), want);
  });
}
