import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clearInterval, setInterval } from "node:timers";
import { until } from "../../bench/bed/until.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { ProcessHost, SpawnOptions } from "../../src/runtime/process.ts";

/** The programs that a process host must have for {@link processContract}. */
export const NEEDED_PROGRAMS = ["echo", "cat", "env", "false", "sleep", "pwd"];

/** The promises of {@link ProcessHost}. */
export function processContract(name: string, make: () => ProcessHost, gaps: { devices?: string } = {}): void {
  describe(`${name} ProcessHost`, { timeout: 20_000 }, () => {
    const run = async (host: ProcessHost, options: SpawnOptions) => {
      const out: Uint8Array[] = [];
      const child = await host.spawn({ ...options, onStdout: (chunk) => void out.push(chunk.slice()) });
      const status = await child.exited;
      return { ...status, out: out.map((chunk) => new TextDecoder().decode(chunk)).join("") };
    };
    const env = { PATH: "/usr/bin:/bin" };

    test("reports its own pid, user, platform and environment", () => {
      const host = make();
      assert.ok(Number.isInteger(host.pid) && host.pid > 0);
      assert.ok(host.alive(host.pid));
      assert.equal(typeof host.uid(), "number");
      assert.ok(host.platform.length > 0);
      assert.ok(host.cwd().startsWith("/"));
      const environment = host.environment();
      for (const [key, value] of Object.entries(environment)) assert.equal(host.env(key), value);
      assert.equal(host.env("BRINE_NO_SUCH_VARIABLE"), undefined);
    });

    test("setEnv() sets and removes a variable", () => {
      const host = make();
      host.setEnv("BRINE_CONTRACT", "a b");
      assert.equal(host.env("BRINE_CONTRACT"), "a b");
      assert.equal(host.environment().BRINE_CONTRACT, "a b");
      host.setEnv("BRINE_CONTRACT", undefined);
      assert.equal(host.env("BRINE_CONTRACT"), undefined);
      assert.ok(!("BRINE_CONTRACT" in host.environment()));
    });

    test("umask() without a mask only reads it", () => {
      const host = make();
      const before = host.umask();
      assert.equal(host.umask(0o077), before);
      assert.equal(host.umask(), 0o077);
      host.umask(before);
    });

    test("spawn() returns output and exit code; no shell interprets the arguments", async () => {
      const host = make();
      const { code, signal, out } = await run(host, { argv: ["echo", "a b", "$HOME;`x`"], env });
      assert.deepEqual([code, signal, out], [0, null, "a b $HOME;`x`\n"]);
      assert.equal((await run(host, { argv: ["false"], env })).code, 1);
    });

    test("runNow() returns output and exit code, and nothing for what cannot be started or is too much", () => {
      const host = make();
      const limits = { timeoutMs: 10_000, maxBytes: 1000 };
      const { code, stdout } = host.runNow(["echo", "a b"], limits)!;
      assert.deepEqual([code, new TextDecoder().decode(stdout)], [0, "a b\n"]);
      assert.equal(host.runNow(["false"], limits)?.code, 1);
      assert.equal(host.runNow(["/nowhere/brine"], limits), undefined);
      assert.equal(host.runNow(["echo", "x".repeat(2000)], limits), undefined);
      assert.equal(host.runNow(["sleep", "60"], { ...limits, timeoutMs: 50 }), undefined);
    });

    test("a program can open its standard streams again", { skip: gaps.devices }, async () => {
      const host = make();
      const script = "echo out > /dev/stdout; echo more | tee /dev/stderr; cat /dev/stdin";
      const stdin = new TextEncoder().encode("x".repeat(200_000));
      const err: Uint8Array[] = [];
      const argv = ["sh", "-c", script];
      const { code, out } = await run(host, { argv, env, stdin, onStderr: (chunk) => void err.push(chunk.slice()) });
      assert.deepEqual([code, out.length], [0, "out\nmore\n".length + 200_000]);
      assert.equal(new TextDecoder().decode(err[0]), "more\n");
      assert.equal((await run(host, { argv: ["sh", "-c", "echo a > /dev/stdout; exit 3"], env })).code, 3);
    });

    test(
      "a program that cannot be started, or reads nothing, leaves no descriptors",
      { skip: gaps.devices },
      async () => {
        const host = make();
        // Pipes that are held for later do not count.
        const script = `ls -l /proc/${host.pid}/fd | grep -vc brine-pipes`;
        const open = async () => (await run(host, { argv: ["sh", "-c", script], env })).out;
        await run(host, { argv: ["false"], env });
        const before = Number(await open());
        const endless = async function* () {
          for (;;) yield new Uint8Array(1000);
        };
        for (let round = 0; round < 5; round++) {
          await assert.rejects(host.spawn({ argv: ["/nowhere/brine"], env, stdin: new Uint8Array(10) }), SystemError);
          assert.equal((await run(host, { argv: ["false"], env, stdin: new Uint8Array(300_000) })).code, 1);
          assert.equal((await run(host, { argv: ["false"], env, stdin: endless() })).code, 1);
        }
        // Those of tests before this one, and of the last round, may be closed a moment later.
        await until("no descriptor is left open", async () => Number(await open()) <= before + 2);
      },
    );

    test("the caller has the child before any of its output is delivered", async () => {
      const host = make();
      for (let round = 0; round < 10; round++) {
        const order: string[] = [];
        const starting = host.spawn({ argv: ["echo", "early"], env, onStdout: () => void order.push("output") })
          .then((child) => {
            order.push("started");
            return child;
          });
        // The caller waits until the child has printed and ended.
        for (const busyUntil = performance.now() + 20; performance.now() < busyUntil;);
        await (await starting).exited;
        assert.deepEqual(order, ["started", "output"]);
      }
    });

    test("spawn() feeds standard input and closes it", async () => {
      const stdin = new TextEncoder().encode("x".repeat(100_000));
      assert.equal((await run(make(), { argv: ["cat"], env, stdin })).out.length, 100_000);
      assert.equal((await run(make(), { argv: ["cat"], env, stdin: new Uint8Array(0) })).out, "");
      async function* chunks() {
        for (let n = 0; n < 50; n++) yield new TextEncoder().encode(`${n} `.padEnd(10_000, "x"));
      }
      assert.equal((await run(make(), { argv: ["cat"], env, stdin: chunks() })).out.length, 500_000);
    });

    test("spawn() gives the child exactly the environment that was passed", async () => {
      const { out } = await run(make(), { argv: ["env"], env: { ...env, BRINE: "1" } });
      const lines = out.trim().split("\n").filter((line) => !line.startsWith("_="));
      assert.deepEqual(lines.sort(), ["BRINE=1", `PATH=${env.PATH}`]);
    });

    test("spawn() starts in the directory that was passed", async () => {
      assert.equal((await run(make(), { argv: ["pwd"], env, cwd: "/" })).out, "/\n");
    });

    test("spawn() does not read a pipe while a promise of onStdout() is pending, and loses nothing", async () => {
      const size = 4_000_000;
      let [open, calls, got, most] = [0, 0, 0, 0];
      const gate = Promise.withResolvers<void>();
      const first = Promise.withResolvers<void>();
      const child = await make().spawn({
        argv: ["cat"],
        env,
        stdin: new TextEncoder().encode("x".repeat(size)),
        async onStdout(chunk) {
          most = Math.max(most, ++open);
          calls++;
          got += chunk.length;
          first.resolve();
          await gate.promise;
          open--;
        },
      });
      await first.promise;
      // A round trip through another child: anything still on its way would have arrived by then.
      await run(make(), { argv: ["echo", "x"], env });
      assert.equal(calls, 1);
      gate.resolve();
      assert.equal((await child.exited).code, 0);
      assert.deepEqual([got, most], [size, 1]);
    });

    test("spawn() of a missing program is ENOENT", async () => {
      await assert.rejects(make().spawn({ argv: ["/no/such/program"], env }), (error) => {
        assert.ok(error instanceof SystemError);
        assert.equal(error.errno, "ENOENT");
        assert.ok(error.message.includes("/no/such/program"));
        return true;
      });
    });

    test("kill() ends a child, whose status names the signal; then it is not alive", async () => {
      const host = make();
      for (const how of ["child", "host"] as const) {
        const child = await host.spawn({ argv: ["sleep", "60"], env });
        assert.ok(host.alive(child.pid));
        if (how === "child") child.kill("SIGTERM");
        else assert.equal(host.kill(child.pid, "SIGTERM"), true);
        assert.deepEqual(await child.exited, { code: null, signal: "SIGTERM" });
        assert.equal(host.alive(child.pid), false);
        assert.equal(host.kill(child.pid, "SIGTERM"), false);
      }
    });

    test("kill() reaches a child that an earlier signal did not end", async () => {
      const child = await make().spawn({ argv: ["sleep", "60"], env });
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
      // Its process id may be reused by now.
      child.kill("SIGKILL");
    });

    test("onSignal() handles a signal to this process until it is removed", async () => {
      const host = make();
      const heard = Promise.withResolvers<void>();
      let calls = 0;
      const off = host.onSignal("SIGUSR2", () => {
        calls++;
        heard.resolve();
      });
      const stay = host.onSignal("SIGUSR2", () => {});
      // On Deno a handler alone does not keep the event loop going.
      const awake = setInterval(() => {}, 1000);
      assert.equal(host.kill(host.pid, "SIGUSR2"), true);
      await heard.promise;
      clearInterval(awake);
      off();
      stay();
      assert.equal(calls, 1);
    });
  });
}
