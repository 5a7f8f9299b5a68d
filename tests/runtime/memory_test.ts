import assert from "node:assert/strict";
import { test } from "node:test";
import { EventBus } from "../../src/model/event/bus.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { MemoryExit, memoryNet, type MemoryProgram, memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { eventBusContract } from "../contract/event_bus_contract.ts";
import { jobCacheContract } from "../contract/job_cache_contract.ts";
import { netContract } from "../contract/net_contract.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { runtimeContracts } from "./contracts.ts";

const { crypto } = await currentRuntime();

const programs: Record<string, MemoryProgram> = {
  echo({ argv, stdout }) {
    stdout(`${argv.slice(1).join(" ")}\n`);
    return 0;
  },
  cat({ stdin, stdout }) {
    stdout(stdin);
    return 0;
  },
  env({ env, stdout }) {
    for (const [name, value] of Object.entries(env)) stdout(`${name}=${value}\n`);
    return 0;
  },
  false: () => 1,
  sleep: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(0), { once: true })),
  pwd({ cwd, stdout }) {
    stdout(`${cwd}\n`);
    return 0;
  },
};

const make = (hostname = "memory") =>
  memoryRuntime({ clock: new FakeClock(), crypto, hostname, process: { programs, env: { HOME: "/root" } } });

let directories = 0;
runtimeContracts("memory", () => ({
  runtime: make(),
  directory: () => `/tmp/${directories++}`,
  gaps: {
    database: { sql: "the memory runtime has no SQL" },
    process: { devices: "the memory runtime has no shell and no /dev" },
  },
}));

netContract("memory, one byte at a time,", () => memoryNet({ chunkSize: 1, highWaterMark: 8 }), [
  { kind: "tcp", place: () => ({ kind: "tcp", host: "127.0.0.1", port: 0 }) },
], { ipv6: "the same as memory", local: "the same as memory" });

jobCacheContract(
  "memory",
  (clock) => memoryJobCache(() => clock.now()),
  "memory is kept or lost as a whole",
);

eventBusContract("in-process:", () => {
  const bus = new EventBus(() => 0);
  return Promise.resolve({
    fire: (tag, data) => bus.fire(tag, data),
    listen: (listener) => Promise.resolve(bus.on(listener)),
    close: () => Promise.resolve(),
  });
});

test("two memory runtimes have disks of their own and share a network when given one", async () => {
  const net = memoryNet();
  const [a, b] = ["a", "b"].map((hostname) => memoryRuntime({ clock: new FakeClock(), crypto, hostname, net }));
  a!.fs.mkdir("/etc");
  assert.equal(b!.fs.stat("/etc"), undefined);
  const accepted = Promise.withResolvers<void>();
  await a!.net.listen({ kind: "tcp", host: "127.0.0.1", port: 4505 }, () => accepted.resolve());
  await b!.net.dial({ kind: "tcp", host: "127.0.0.1", port: 4505 });
  await accepted.promise;
  await assert.rejects(make().net.dial({ kind: "tcp", host: "127.0.0.1", port: 4505 }), { errno: "ECONNREFUSED" });
});

test("memory files have the time of the clock, and no two changes have the same time", () => {
  const clock = new FakeClock();
  const { fs } = memoryRuntime({ clock, crypto });
  fs.write("/a", "");
  fs.write("/b", "");
  assert.ok(Math.abs(fs.stat("/a")!.mtimeMs - clock.now()) < 1);
  assert.ok(fs.stat("/b")!.mtimeMs > fs.stat("/a")!.mtimeMs);
  clock.advance(5000);
  fs.write("/a", "");
  assert.ok(fs.stat("/a")!.mtimeMs - fs.stat("/b")!.mtimeMs >= 4999);
});

test("exit() of a memory process throws, since there is no process to end", () => {
  assert.throws(() => make().process.exit(3), (error) => error instanceof MemoryExit && error.exitCode === 3);
});

test("a memory program that throws has crashed with code 1", async () => {
  const runtime = memoryRuntime({
    clock: new FakeClock(),
    crypto,
    process: {
      programs: {
        broken: () => {
          throw new Error("broken");
        },
      },
    },
  });
  const child = await runtime.process.spawn({ argv: ["broken"] });
  assert.deepEqual(await child.exited, { code: 1, signal: null });
});
