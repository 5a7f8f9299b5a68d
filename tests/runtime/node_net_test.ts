import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import net from "node:net";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { SystemError } from "../../src/base/errors.ts";
import type { SocketAddress } from "../../src/runtime/net.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { nodeNet } from "../../src/runtime/node/net.ts";
import { testProgram } from "../host/minion/processes/job_bed.ts";

const folder = mkdtempSync(path.join(tmpdir(), "net-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let sockets = 0;
const somePath = () => path.join(folder, `${sockets++}.ipc`);
const unix = (): SocketAddress & { kind: "unix" } => ({ kind: "unix", path: somePath() });
describe("node Net's Unix sockets", { timeout: 120_000 }, () => {
  test("have the mode asked for, 0600 without", async () => {
    for (const [mode, want] of [[undefined, 0o600], [0o666, 0o666]] as const) {
      const at = unix();
      const listener = await nodeNet().listen(at, () => {}, { mode });
      assert.equal(statSync(at.path).mode & 0o777, want);
      await listener.close();
      assert.equal(existsSync(at.path), false);
    }
  });

  test("replace the socket file of a dead process", async () => {
    const at = unix();
    // Moved away from where it was bound, a socket file outlives its listener as it does after a crash.
    const first = net.createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    first.listen(`${at.path}.born`, resolve);
    await promise;
    renameSync(`${at.path}.born`, at.path);
    await new Promise((done) => first.close(done));
    assert.equal(existsSync(at.path), true);
    const listener = await nodeNet().listen(at, (connection) => connection.destroy());
    (await nodeNet().dial(at)).destroy();
    await listener.close();
  });

  for (const how of ["its runtime", "nobody"]) {
    test(`can be had again when their owner is killed, whatever its children do: closed to them by ${how}`, async () => {
      const at = unix();
      const runtime = await currentRuntime();
      const { argv } = testProgram(runtime, "../../../runtime/socket_owner_program.ts");
      const owner = spawn(argv[0]!, [...argv.slice(1), how, at.path], { stdio: ["ignore", "pipe", "inherit"] });
      const gone = new Promise((resolve) => owner.once("exit", resolve));
      const lines = createInterface({ input: owner.stdout! })[Symbol.asyncIterator]();
      const child = Number((await lines.next()).value);
      try {
        owner.kill("SIGKILL");
        await gone;
        assert.ok(runtime.process.alive(child));
        const { promise, resolve } = Promise.withResolvers<void>();
        const listener = await runtime.net.listen(at, (connection) => {
          connection.destroy();
          resolve();
        });
        (await runtime.net.dial(at)).destroy();
        await promise;
        await listener.close();
      } finally {
        owner.kill("SIGKILL");
        if (child > 1) runtime.process.kill(child, "SIGKILL");
      }
    });
  }

  test("are not taken from an owner that is alive, whether or not it answers", async () => {
    const at = unix();
    const net = nodeNet({ closeOnExec: () => false });
    const listener = await net.listen(at, () => {});
    await assert.rejects(net.listen(at, () => {}), { errno: "EADDRINUSE" });
    await listener.close();
  });

  test("do not replace a file that is not a socket", async () => {
    const at = unix();
    writeFileSync(at.path, "precious");
    await assert.rejects(nodeNet().listen(at, () => {}), (error) => {
      assert.ok(error instanceof SystemError);
      assert.equal(error.errno, "EADDRINUSE");
      assert.ok(error.message.includes(at.path));
      return true;
    });
    assert.equal(statSync(at.path).size, 8);
  });

  test("closing a listener leaves the file of a process that replaced it", async () => {
    const at = unix();
    const first = await nodeNet().listen(at, () => {});
    rmSync(at.path);
    const second = await nodeNet().listen(at, (connection) => connection.destroy());
    await first.close();
    assert.equal(existsSync(at.path), true);
    await second.close();
  });

  test("report a folder that does not exist, or may not be written, with errno and remedy", async () => {
    const at: SocketAddress = { kind: "unix", path: path.join(folder, "none", "a.ipc") };
    await assert.rejects(nodeNet().listen(at, () => {}), { errno: "ENOENT", message: /none\/a\.ipc.*check the path/ });
    const locked = mkdtempSync(path.join(folder, "locked-"));
    chmodSync(locked, 0o500);
    // Root may write anywhere; for all others this is EACCES.
    await nodeNet().listen({ kind: "unix", path: path.join(locked, "a.ipc") }, () => {}).then(
      (listener) => listener.close(),
      (error) => assert.equal(error.errno, "EACCES"),
    );
  });

  test("refuse a path that is too long", async () => {
    const at: SocketAddress = { kind: "unix", path: path.join(folder, "x".repeat(120)) };
    await assert.rejects(nodeNet().listen(at, () => {}), { errno: "EINVAL", message: /107 bytes/ });
    assert.equal(existsSync(at.path), false);
  });
});

test("nodeNet().dial() reports a name that cannot be looked up", { timeout: 120_000 }, async () => {
  const to: SocketAddress = { kind: "tcp", host: "no-such-host.invalid", port: 1 };
  await assert.rejects(nodeNet().dial(to), (error) => {
    assert.ok(error instanceof SystemError);
    assert.match(error.errno, /^(ENOTFOUND|EAI_AGAIN)$/);
    return true;
  });
});
