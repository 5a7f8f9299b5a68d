import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { clearInterval, setInterval } from "node:timers";
import { until } from "../../../../bench/bed/until.ts";
import { type Clock, systemClock } from "../../../../src/base/async/clock.ts";
import { inProcess } from "../../../../src/host/minion/processes/choose_process.ts";
import { withJobTimeout } from "../../../../src/host/minion/processes/job_timeout.ts";
import { packReturn } from "../../../../src/host/minion/processes/execute_job.ts";
import { nested } from "../../../../src/plugins/outputters/nested.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { unpack } from "../../../../src/protocol/wire/msgpack.ts";
import { canonical } from "../../../support/vectors.ts";
import { jobBed, testProgram } from "./job_bed.ts";

const TIMEOUT = { timeout: 60_000 };

const died = (how: string) => ({
  return: `The process of the job ended before it returned: ${how}`,
  retcode: 1,
  success: false,
  out: "nested",
});

describe("ProcessPool", () => {
  test("a job has a process of its own, and so has the next", TIMEOUT, async () => {
    await using bed = await jobBed();
    const pids = [(await bed.run("bad.pid")).return, (await bed.run("bad.pid")).return];
    assert.equal(new Set([...pids, process.pid]).size, 3);
    await until(() => bed.pool.size === 0);
    for (const pid of pids) assert.equal(bed.runtime.process.alive(pid as number), false);
  });

  test("a job sees options, grains, pillar and jid, and not the ticket of its process", TIMEOUT, async () => {
    await using bed = await jobBed();
    const { return: seen } = await bed.run("bad.context", [], { jid: "20250101000000000000" });
    assert.deepEqual(canonical(seen), {
      map: [["opts", "yes"], ["grains", "Test"], ["pillar", { bytes: "ff" }], ["jid", "20250101000000000000"], [
        "ticket",
        null,
      ]],
    });
  });

  for (
    const { name, fun, arg, how } of [
      { name: "ends its process", fun: "bad.exit", arg: [3], how: "exit code 3" },
      { name: "ends its process in peace", fun: "bad.exit", arg: [0], how: "exit code 0" },
      { name: "crashes", fun: "bad.signal", arg: ["SIGABRT"], how: "signal SIGABRT" },
      { name: "is killed by another process", fun: "bad.signal", arg: ["SIGKILL"], how: "signal SIGKILL" },
      { name: "throws an error that is not caught", fun: "bad.late", arg: [], how: "exit code 1" },
    ]
  ) {
    test(`a job that ${name} fails, and the others do not notice`, TIMEOUT, async () => {
      await using bed = await jobBed();
      const ended = assert.rejects(bed.run("bad.wait", [], { jid: "20250101000000000001" }), /ended by signal 15/);
      await bed.event("waiting");
      assert.deepEqual(await bed.run(fun, arg), died(how));
      assert.equal((await bed.run("test.echo", ["fine"])).return, "fine");
      bed.jobs.signal("20250101000000000001", 15);
      await ended;
      assert.ok(bed.captured.complaints().includes("the process of a job ended before it returned"));
    });
  }

  test("an endless loop is ended when its time is over", TIMEOUT, async () => {
    await using bed = await jobBed({ graceMs: 50 });
    const execution = withJobTimeout(bed.pool, bed.runtime, () => 0.5);
    assert.deepEqual(await bed.run("bad.loop", [], { execution }), {
      return: "The job was ended after 0.5 seconds (job_timeout)",
      retcode: 124,
      success: false,
      out: "nested",
      ended: "timed out",
    });
    await until(() => bed.pool.size === 0);
  });

  test("a job whose process takes too much memory is ended, and its return says so", TIMEOUT, async () => {
    await using bed = await jobBed({ maxMemory: 2 ** 20 });
    const { return: text, ...rest } = await bed.run("bad.loop");
    assert.match(
      String(text),
      /^The job was ended: its process used \d{8,} bytes of memory, more than 1048576 \(job_max_memory\)$/,
    );
    assert.deepEqual(rest, { retcode: 137, success: false, out: "nested" });
    await until(() => bed.pool.size === 0);
  });

  test("a job within its time is left alone; one in this process is ended, too", TIMEOUT, async () => {
    await using bed = await jobBed();
    const here = inProcess({ functions: bed.functions, context: () => bed.context });
    assert.equal(
      (await bed.run("test.ping", [], { execution: withJobTimeout(here, bed.runtime, () => 60) })).return,
      true,
    );
    // A minion has sockets that keep the event loop going; a clock alone does not.
    const awake = setInterval(() => {}, 1000);
    const { ended, retcode } = await bed.run("bad.wait", [], {
      execution: withJobTimeout(here, bed.runtime, () => 0.01),
    });
    clearInterval(awake);
    assert.deepEqual([ended, retcode], ["timed out", 124]);
    const killed = bed.run("bad.wait", [], {
      jid: "20250101000000000002",
      execution: withJobTimeout(here, bed.runtime, () => 60),
    });
    bed.jobs.signal("20250101000000000002", 15);
    await assert.rejects(killed, /signal 15/);
  });

  test("what a job leaves behind in its process does not reach the next", TIMEOUT, async () => {
    await using bed = await jobBed({ spares: 1 });
    for (let round = 0; round < 3; round++) assert.equal((await bed.run("bad.leak")).return, 0);
    assert.equal(process.env.BRINE_LEAKED, undefined);
    assert.equal((globalThis as { leaked?: number }).leaked, undefined);
  });

  test("a job that is ended may clean up, and has no outcome", TIMEOUT, async () => {
    await using bed = await jobBed();
    const job = bed.run("bad.wait", [], { jid: "20250101000000000003" });
    const { pid } = await bed.event("waiting");
    assert.deepEqual(bed.jobs.signal("20250101000000000003", 15), { pid });
    await assert.rejects(job, /The job was ended by signal 15/);
    await bed.event("cleaned up");
    await until(() => !bed.runtime.process.alive(pid as number));
  });

  test("a job that hangs is killed at once by signal 9, and a while after signal 15", TIMEOUT, async () => {
    for (const signal of [9, 15]) {
      await using bed = await jobBed({ graceMs: 50 });
      const job = bed.run("bad.loop", [], { jid: "20250101000000000004" });
      await bed.event("looping");
      bed.jobs.signal("20250101000000000004", signal);
      await assert.rejects(job, new RegExp(`signal ${signal}$`));
      await until(() => bed.pool.size === 0);
    }
  });

  for (const signal of [15, 9]) {
    test(`signal ${signal} to a job ends the command that it runs`, TIMEOUT, async () => {
      await using bed = await jobBed();
      const { promise: printed, resolve } = Promise.withResolvers<number>();
      const job = bed.run("cmd.run", ["echo $$; exec sleep 60", { __kwarg__: true, python_shell: true }], {
        jid: "20250101000000000005",
        output: (_stream, chunk) => resolve(Number(new TextDecoder().decode(chunk))),
      });
      const pid = await printed;
      assert.ok(bed.runtime.process.alive(pid));
      bed.jobs.signal("20250101000000000005", signal);
      await assert.rejects(job);
      await until(() => !bed.runtime.process.alive(pid));
    });
  }

  test("values survive: bytes, floats, large integers, maps with any keys", TIMEOUT, async () => {
    await using bed = await jobBed();
    const here = inProcess({ functions: bed.functions, context: () => bed.context });
    const { return: apart } = await bed.run("bad.values");
    const direct = unpack(packReturn(await bed.run("bad.values", [], { execution: here })).return, "wire");
    assert.deepEqual(canonical(apart), canonical(direct));
    assert.deepEqual(canonical((await bed.run("bad.args", [direct])).return), canonical([direct]));
  });

  test("the rules of return codes and failures are the same in either process", TIMEOUT, async () => {
    await using bed = await jobBed();
    const here = inProcess({
      functions: bed.functions,
      context: () => bed.context,
      formatInfo: (info) => nested(info, {}, {}),
    });
    const shorten = (value: unknown): unknown =>
      typeof value === "string"
        ? value.replace(/(Traceback \(most recent call last\):\n)[^]*\n(?=\S)/g, "$1")
        : Array.isArray(value)
        ? value.map(shorten)
        : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]))
        : value;
    const cases: [fun: unknown, arg?: unknown[], load?: Record<string, unknown>][] = [
      ["test.ping"],
      ["test.echo", [{ a: [1, "x"] }]],
      ["test.retcode", [3]],
      ["test.exception", ["Oh no!"]],
      ["test.raise_exception", ["CommandExecutionError", "Oh no!"]],
      ["test.cross_test", ["test.retcode", [7]]],
      ["test.cross_test", ["no.such"]],
      ["test.try", [{ __kwarg__: true, module: "test.exception", return_try_exception: true }]],
      ["bad.code"],
      ["bad.verdict"],
      ["bad.shown"],
      ["bad.nothing"],
      ["bad.thrown"],
      ["bad.refused"],
      ["gold.cmderr_info"],
      ["gold.invoc"],
      ["gold.need"],
      ["gold.need", ["a=5", "b=[1, 2]"]],
      ["gold.notfound"],
      ["gold.zerodiv"],
      ["gold.ne"],
      ["gold.pubargs", [{ __kwarg__: true, a: 1 }]],
      ["no.such"],
      ["broken.f"],
      [5],
      [null],
      ["__proto__.constructor"],
      [["test.ping", "gold.zerodiv", "test.retcode", "no.such"], [[], [], [5], []]],
      [["test.echo", "gold.zerodiv"], [["x"], []], { multifunc_ordered: true }],
    ];
    const all = await Promise.all(cases.map(async ([fun, arg, load], at) => {
      const [direct, apart] = await Promise.all([
        bed.run(fun, arg, { load, jid: `2025010100000000${1000 + at}`, execution: here }),
        bed.run(fun, arg, { load, jid: `2025010100000000${1000 + at}` }),
      ]);
      const { return: value, ...rest } = packReturn(direct);
      return [{ ...apart, return: shorten(apart.return) }, { ...rest, return: shorten(unpack(value, "wire")) }, fun];
    }));
    for (const [apart, direct, fun] of all) assert.deepEqual(apart, direct, String(fun));
  });

  test("a job uses the minion: events, the log, the jobs", TIMEOUT, async () => {
    await using bed = await jobBed();
    assert.equal((await bed.run("bad.fire")).return, true);
    assert.deepEqual([await bed.event("local"), await bed.event("far")], [{ n: 1 }, { n: 2 }]);
    assert.deepEqual((await bed.run("bad.ask")).return, {
      load: { cmd: "_x", data: Uint8Array.of(254) },
      options: { raw: true },
    });
    await bed.run("bad.say");
    const said = bed.captured.records.find(({ message }) => message === "said")!;
    assert.deepEqual([said.level, said.name, said.fields], ["warning", "part", {
      map: new Map([[1, 2]]),
      error: "why",
    }]);
    const ended = assert.rejects(bed.run("bad.wait", [], { jid: "20250101000000000006" }), /signal 15/);
    const { pid } = await bed.event("waiting");
    const running = (await bed.run("bad.jobs")).return as { jid: string; pid: number; fun: string }[];
    assert.deepEqual(running.map(({ fun }) => fun), ["bad.wait", "bad.jobs"]);
    assert.equal(running[0]!.pid, pid);
    assert.deepEqual((await bed.run("bad.end", ["20250101000000000006", 15])).return, { pid });
    assert.equal((await bed.run("bad.end", ["20990101000000000006", 15])).return, null);
    await ended;
  });

  test("what a job changes of the grains is known to the next", TIMEOUT, async () => {
    await using bed = await jobBed();
    await bed.run("bad.grain");
    assert.deepEqual(bed.context.grains, { os: "Test", new: ["grain"] });
  });

  test("output arrives in order, and waits for its receiver", TIMEOUT, async () => {
    await using bed = await jobBed();
    const [count, size] = [40, 50_000];
    const chunks: string[] = [];
    let gate = Promise.withResolvers<void>();
    const job = bed.run("bad.print", [count, size], {
      output(stream, chunk) {
        chunks.push(`${stream} ${new TextDecoder().decode(chunk).split(" ")[0]}`);
        return gate.promise;
      },
    });
    // The window is 256 KiB: with the sixth the job has to wait.
    await until(() => chunks.length >= 6);
    // A whole other job passes meanwhile.
    await bed.run("test.ping");
    assert.equal(chunks.length, 6);
    gate.resolve();
    gate = Promise.withResolvers();
    gate.resolve();
    assert.equal((await job).return, count);
    const want = Array.from({ length: count }, (_, at) => `${at % 2 === 0 ? "stdout" : "stderr"} ${at}`);
    assert.deepEqual(chunks, want);
  });

  test("a command waits for the receiver of its output", TIMEOUT, async () => {
    await using bed = await jobBed();
    const gate = Promise.withResolvers<void>();
    let got = 0;
    const job = bed.run("cmd.retcode", ["head -c 3000000 /dev/zero"], {
      output(_stream, chunk) {
        got += chunk.length;
        return gate.promise;
      },
    });
    await until(() => got > 0);
    await bed.run("test.ping");
    assert.ok(got < 1_000_000, `${got} bytes`);
    gate.resolve();
    assert.equal((await job).return, 0);
    assert.equal(got, 3_000_000);
  });

  test("twenty jobs at once each get a process", TIMEOUT, async () => {
    await using bed = await jobBed({ spares: 1 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => bed.run("bad.pid")));
    assert.equal(new Set(outcomes.map((outcome) => outcome.return)).size, 20);
    await until(() => bed.pool.ready === 1 && bed.pool.size === 1);
  });

  test("a spare waits for the next job, and ends when there is none for long", TIMEOUT, async () => {
    const idleMs = 123_456;
    let rest = () => {};
    const clock: Clock = {
      ...systemClock,
      // The one pause that the test decides about.
      after: (ms, callback) => ms === idleMs ? (rest = callback, () => {}) : systemClock.after(ms, callback),
    };
    await using bed = await jobBed({ spares: 1, idleMs, runtime: { ...await currentRuntime(), clock } });
    assert.equal(bed.pool.size, 0);
    await bed.run("test.ping");
    await until(() => bed.pool.ready === 1);
    rest();
    await until(() => bed.pool.size === 0);
    assert.equal((await bed.run("test.echo", [1])).return, 1);
  });

  test("after renew() jobs have the environment of the minion as it is now", TIMEOUT, async () => {
    const base = await currentRuntime();
    const environment = { ...base.process.environment(), BRINE_TEST: "before" };
    const runtime = { ...base, process: { ...base.process, environment: () => environment } };
    await using bed = await jobBed({ spares: 1, idleMs: 0, runtime });
    await until(() => bed.pool.ready === 1);
    environment.BRINE_TEST = "after";
    // One that waits, and one that is being started.
    assert.equal((await bed.run("environ.get", ["BRINE_TEST"])).return, "before");
    bed.pool.renew();
    assert.equal((await bed.run("environ.get", ["BRINE_TEST"])).return, "after");
    await until(() => bed.pool.ready === 1 && bed.pool.size === 1);
  });

  test(
    "spares that are kept always are there before the first job, and one that dies is replaced",
    TIMEOUT,
    async () => {
      await using bed = await jobBed({ spares: 2, idleMs: 0 });
      await until(() => bed.pool.ready === 2);
      const { return: pid } = await bed.run("bad.pid");
      assert.ok(Number.isInteger(pid));
      await until(() => bed.pool.ready === 2 && bed.pool.size === 2);
    },
  );

  test("a program that cannot be run fails the job", TIMEOUT, async () => {
    for (
      const { argv, why } of [
        {
          argv: ["/no/such/program"],
          why:
            "the program file /no/such/program of the running salt-minion is gone: install Brine again and restart salt-minion, or stop salt-minion",
        },
        { argv: ["sh", "-c", "echo broken >&2; exit 7"], why: "it exited with exit code 7: broken" },
      ]
    ) {
      await using bed = await jobBed({ command: { argv } });
      assert.deepEqual(await bed.run("test.ping"), {
        return: `The process of the job could not be started: ${why}`,
        retcode: 1,
        success: false,
        out: "nested",
      });
    }
  });

  test("that the program is gone is logged once, however many jobs fail", TIMEOUT, async () => {
    await using bed = await jobBed({ command: { argv: ["/no/such/program"] } });
    for (let job = 0; job < 3; job++) await bed.run("test.ping");
    const errors = bed.captured.records.filter(({ level }) => level === "error" || level === "warning");
    assert.deepEqual(errors.map(({ message }) => message), ["no job can run"]);
    assert.match(String(errors[0]!.fields.reason), /is gone: install Brine again and restart salt-minion/);
  });

  test("only processes that were started may report", TIMEOUT, async () => {
    await using bed = await jobBed({ spares: 1 });
    await bed.run("test.ping");
    const { runtime, directory } = bed;
    const connection = await runtime.net.dial({ kind: "unix", path: `${directory}/jobs.ipc` });
    const closed = Promise.withResolvers<void>();
    connection.start({ onData: () => {}, onClose: () => closed.resolve() });
    const { frame } = await import("../../../../src/protocol/wire/frames.ts");
    connection.write(frame({ type: "hello", token: "0".repeat(32), version: 1 }));
    await closed.promise;
    assert.equal(runtime.fs.stat(`${directory}/jobs.ipc`)!.mode & 0o777, 0o600);
  });

  test("when the minion is killed, a job ends with the command that it runs", TIMEOUT, async () => {
    const runtime = { ...await currentRuntime(), clock: systemClock };
    const { argv } = testProgram(runtime, "./job_parent.ts");
    const parent = spawn(argv[0]!, argv.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: parent.stdout! })[Symbol.asyncIterator]();
    const pids = JSON.parse((await lines.next()).value as string) as number[];
    assert.equal(pids.length, 2);
    for (const pid of pids) assert.ok(runtime.process.alive(pid));
    parent.kill("SIGKILL");
    await until(() => !pids.some((pid) => runtime.process.alive(pid)));
  });
});
