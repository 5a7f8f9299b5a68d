import assert from "node:assert/strict";
import { test } from "node:test";
import { makePrinter } from "../../cli/terminal/printer.ts";
import type { ProgramContext } from "../../cli/program/context.ts";
import { runMain } from "../../cli/programs/run.ts";
import { joinPath } from "../../src/base/paths.ts";
import { EventBus } from "../../src/model/event/bus.ts";
import { serveBus } from "../../src/model/event/bus_server.ts";
import type { JobCache, JobSearch } from "../../src/model/job/job_cache.ts";
import type { RunnerContext } from "../../src/model/loader/family.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import { StreamedMap } from "../../src/model/loader/streamed_map.ts";
import { localCache } from "../../src/plugins/job_caches/local_cache.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { render } from "../../src/plugins/outputters/mod.ts";
import { timeOf } from "../../src/plugins/runners/job_search.ts";
import { runner } from "../../src/plugins/runners/jobs.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { encode, Packed } from "../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../support/capture_log.ts";
import { runInProcess } from "../support/program.ts";
import type { Json } from "../support/vectors.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const NOW = Date.UTC(2024, 4, 6, 12);
const FIRST = "20240506070809000001";
const SECOND = "20240506080000000002";
const THIRD = "20240506090000000003";
const UNKNOWN = "20300101000000000000";
const START = "2024, May 06 07:08:09.000001";
const pack = (value: unknown) => new Packed(encode(value, "bin"));

interface Bench {
  jobs: JobCache;
  asked: unknown[];
  progress: unknown[];
  run(fun: string, keyword?: Record<string, unknown>): Promise<unknown>;
}

/** The runner over three jobs: one that has come back but for `web3`, one of `ann`, one that is queued. */
async function bench(opts: Record<string, unknown> = {}, more: Partial<RunnerContext> = {}): Promise<Bench> {
  let now = 0;
  const jobs = memoryJobCache(() => now);
  const save = async (jid: string, at: number, load: Record<string, unknown>, minions: string[]) => {
    now = at;
    await jobs.reserve(jid);
    await jobs.saveLoad(jid, { jid, arg: [], tgt: "*", tgt_type: "glob", user: "root", ret: "", ...load }, minions);
  };
  const stored = (minion: string, value: unknown, retcode: unknown = 0, out?: string) => ({
    minion,
    return: pack(value),
    retcode,
    success: retcode === 0,
    ...(out === undefined ? {} : { out }),
    storedMs: Date.UTC(2024, 4, 6, 7, 8, 10),
  });
  await save(FIRST, Date.UTC(2024, 4, 6, 7, 8, 9), { fun: "cmd.run", arg: ["id"] }, ["web1", "web2", "web3"]);
  await jobs.saveReturn(FIRST, stored("web1", "root", 0, "highstate"));
  await jobs.saveReturn(FIRST, stored("web2", "", 3));
  const keywords = { __kwarg__: true, metadata: { team: "web" } };
  const list = { tgt: ["db1", "db2"], tgt_type: "list", user: "ann" };
  await save(SECOND, Date.UTC(2024, 4, 6, 8), { fun: "test.ping", arg: [keywords], ...list }, ["db1", "db2"]);
  await jobs.saveReturn(SECOND, stored("db1", true));
  await jobs.saveReturn(SECOND, stored("db2", true));
  await save(THIRD, Date.UTC(2024, 4, 6, 9), { fun: "saltutil.find_job", metadata: { team: "db" } }, ["web1", "db1"]);
  const untilMs = Date.UTC(2024, 4, 7);
  await jobs.saveOutcomes(THIRD, [{ minion: "web1", state: "queued", atMs: NOW, untilMs, note: "away" }]);

  const asked: unknown[] = [];
  const progress: unknown[] = [];
  const context: RunnerContext = {
    runtime,
    id: "master_master",
    jid: "20240506100000000000",
    log: captureLog().log,
    opts,
    jobs,
    jobsFrom: () => Promise.resolve(jobs),
    makeToken: () => Promise.reject(new Error("no master")),
    deleteToken: () => false,
    ask(command, load) {
      asked.push([command, load]);
      return Promise.resolve({ cancelled: ["web1"], open: 2, refused: { impostor: 1 } });
    },
    get files(): never {
      throw new TypeError("The runner jobs needs no files");
    },
    get fetched(): never {
      throw new TypeError("The runner jobs fetches no files");
    },
    get minions(): never {
      throw new TypeError("The runner jobs needs no records of minions");
    },
    documentation: () => Promise.resolve({}),
    callFunction: () => Promise.reject(new TypeError("The runner jobs calls no function")),
    get audit(): never {
      throw new TypeError("The runner jobs reads no audit log");
    },
    accepted: () => [],
    expand: () => [],
    expandKnown: () => [],
    wheel: () => Promise.reject(new TypeError("The runner jobs calls no wheel function")),
    command: () => Promise.resolve({}),
    get jobPublisher(): never {
      throw new TypeError("The runner jobs publishes none");
    },
    fire: () => Promise.resolve(),
    progress: (data) => Promise.resolve(void progress.push(data)),
    print: () => {},
    write: () => {},
    events: () => {
      throw new TypeError("The runner jobs listens to nothing");
    },
    ...more,
  };
  return {
    jobs,
    asked,
    progress,
    async run(fun, keyword = {}) {
      const { signature, run } = runner.functions[fun]!;
      const bound = bindArguments(fun, parseSignature(signature), [], new Map(Object.entries(keyword)));
      const result = await run(context, bound);
      if (result instanceof StreamedMap) return await result.collect();
      return result;
    },
  };
}

test("jobs.list_jobs shows all jobs, the oldest first", async () => {
  const { run } = await bench();
  const found = await run("list_jobs") as Record<string, unknown>;
  assert.deepEqual(Object.keys(found), [FIRST, SECOND, THIRD]);
  assert.deepEqual(found[FIRST], {
    Function: "cmd.run",
    Arguments: ["id"],
    Target: "*",
    "Target-type": "glob",
    User: "root",
    StartTime: START,
  });
  assert.deepEqual((found[SECOND] as Record<string, unknown>).Metadata, { team: "web" });
});

for (
  const { search, want } of [
    { search: { search_function: "cmd.*" }, want: [FIRST] },
    { search: { search_function: "test.ping, cmd.run" }, want: [FIRST, SECOND] },
    { search: { search_function: ["saltutil.*"] }, want: [THIRD] },
    { search: { search_target: "db*" }, want: [SECOND] },
    { search: { search_target: "\\*" }, want: [] },
    { search: { search_user: "ann,bob" }, want: [SECOND] },
    { search: { search_metadata: { team: "web", other: 1 } }, want: [SECOND] },
    { search: { search_metadata: new Map([["team", "db"]]) }, want: [THIRD] },
    { search: { search_metadata: { team: 1 } }, want: [] },
    { search: { search_outcome: "failed" }, want: [FIRST] },
    { search: { search_outcome: "Queued" }, want: [THIRD] },
    { search: { search_outcome: "timed_out" }, want: [] },
    { search: { start_time: "2024-05-06 08:00" }, want: [SECOND, THIRD] },
    { search: { start_time: "2024-05-06 08:00", end_time: "May 6 2024 8:30am" }, want: [SECOND] },
    { search: { search_function: "cmd.*", search_user: "ann" }, want: [] },
  ] as { search: Record<string, unknown>; want: string[] }[]
) {
  test(`jobs.list_jobs ${JSON.stringify(search)}`, async () => {
    const { run } = await bench();
    assert.deepEqual(Object.keys(await run("list_jobs", search) as object), want);
  });
}

// Each is what dateutil makes of it, as far as dateutil takes it.
for (
  const { text, iso } of [
    { text: "2026-11-21", iso: "2026-11-21T00:00:00.000Z" },
    { text: "2026/1/2", iso: "2026-01-02T00:00:00.000Z" },
    { text: "2026-11-21 10:00", iso: "2026-11-21T10:00:00.000Z" },
    { text: "2026-11-21T10:00:01.25", iso: "2026-11-21T10:00:01.250Z" },
    { text: "2026-11-21 10:00:00Z", iso: "2026-11-21T10:00:00.000Z" },
    { text: "2026-11-21T10:00+02:00", iso: "2026-11-21T08:00:00.000Z" },
    { text: "2026-11-21 10:00 -0130", iso: "2026-11-21T11:30:00.000Z" },
    { text: "2026-11-21 10:00 pm", iso: "2026-11-21T22:00:00.000Z" },
    { text: "2026-11-21 12:30 AM", iso: "2026-11-21T00:30:00.000Z" },
    { text: "Nov 21 2026", iso: "2026-11-21T00:00:00.000Z" },
    { text: "21 November 2026, 7pm", iso: "2026-11-21T19:00:00.000Z" },
    { text: "November 21st, 2026", iso: "2026-11-21T00:00:00.000Z" },
    { text: "2015, Mar 16 19:00", iso: "2015-03-16T19:00:00.000Z" },
    { text: "2024, May 06 07:08:09.123456", iso: "2024-05-06T07:08:09.123Z" },
    { text: "Sat Nov 21 10:00:00 2026", iso: "2026-11-21T10:00:00.000Z" },
    { text: "Sat, 21 Nov 2026 10:00:00 GMT", iso: "2026-11-21T10:00:00.000Z" },
    { text: "11/21/2026", iso: "2026-11-21T00:00:00.000Z" },
    { text: "20261121", iso: "2026-11-21T00:00:00.000Z" },
    { text: 20261121, iso: "2026-11-21T00:00:00.000Z" },
    { text: "20261121T101500", iso: "2026-11-21T10:15:00.000Z" },
    { text: 20261121101500250000n, iso: "2026-11-21T10:15:00.250Z" },
    { text: 1795255200, iso: "2026-11-21T10:00:00.000Z" },
    { text: "1795255200.5", iso: "2026-11-21T10:00:00.500Z" },
  ]
) test(`timeOf: ${text}`, () => assert.equal(new Date(timeOf(text, "start_time")!).toISOString(), iso));

for (
  const text of [
    "nonsense",
    "2026-02-30",
    "2026-13-01",
    "2026-11-21 25:00",
    "21",
    "10:00",
    "20261321",
    "1795255200000",
    "Nix 21 2026",
    "Nov 2026 x",
  ]
) {
  test(`timeOf: ${text} is refused`, () => {
    assert.throws(() => timeOf(text, "end_time"), {
      name: "SaltInvocationError",
      message: new RegExp(`^'${text}' is not a valid end_time: expected a date such as '2026-11-21'`),
    });
  });
}

for (
  const { fun, keyword, message } of [
    { fun: "lookup_jid", keyword: { jid: "42" }, message: /^'42' is not a job id: expected 20 digits/ },
    { fun: "lookup_jid", keyword: { jid: "../../etc" }, message: /is not a job id/ },
    {
      fun: "list_jobs",
      keyword: { search_outcome: "lucky" },
      message: /^'lucky' is not an outcome: .*queued, published/,
    },
    { fun: "list_jobs", keyword: { search_metadata: "team" }, message: /^'team' is not metadata: expected a map/ },
    { fun: "list_jobs", keyword: { start_time: "soon" }, message: /^'soon' is not a valid start_time/ },
    { fun: "list_jobs_filter", keyword: { count: "many" }, message: /^'many' is not a count: expected a whole number/ },
    { fun: "list_jobs_filter", keyword: { count: -1 }, message: /^-1 is not a count/ },
    { fun: "last_run", keyword: { metadata: [1] }, message: /is not metadata/ },
    { fun: "dequeue", keyword: { jid: "x" }, message: /'x' is not a job id/ },
  ]
) {
  test(`jobs.${fun} ${JSON.stringify(keyword)} is refused`, async () => {
    const { run, asked } = await bench();
    await assert.rejects(run(fun, keyword), { name: "SaltInvocationError", message });
    assert.deepEqual(asked, []);
  });
}

test("jobs.list_jobs_filter returns the last jobs up to a count, without those that ask about others", async () => {
  const { run } = await bench();
  const jids = async (keyword: Record<string, unknown>) =>
    (await run("list_jobs_filter", keyword) as { JID: string }[]).map(({ JID }) => JID);
  assert.deepEqual(await jids({ count: 1 }), [SECOND]);
  assert.deepEqual(await jids({ count: "2" }), [FIRST, SECOND]);
  assert.deepEqual(await jids({ count: 2, filter_find_job: false }), [SECOND, THIRD]);
  assert.deepEqual(await jids({ count: 0 }), []);
});

test("a requested outputter comes with the data", async () => {
  const { run } = await bench();
  const { outputter } = await run("list_jobs", { outputter: "json" }) as { outputter: string };
  assert.equal(outputter, "json");
  assert.deepEqual(Object.keys(await run("last_run", { outputter: "json" }) as object).sort(), ["data", "outputter"]);
});

test("jobs.list_job shows a job and its returns", async () => {
  const { run } = await bench();
  assert.deepEqual(await run("list_job", { jid: FIRST }), {
    jid: FIRST,
    Function: "cmd.run",
    Arguments: ["id"],
    Target: "*",
    "Target-type": "glob",
    User: "root",
    Minions: ["web1", "web2", "web3"],
    StartTime: START,
    Result: {
      web1: { return: "root", retcode: 0, success: true, out: "highstate" },
      web2: { return: "", retcode: 3, success: false },
    },
    Outcomes: { web1: "returned", web2: "failed", web3: "published" },
  });
  assert.deepEqual(await run("list_job", { jid: UNKNOWN }), {
    jid: UNKNOWN,
    Error: "Cannot contact returner or no job with this jid",
    StartTime: "2030, Jan 01 00:00:00.000000",
    Result: {},
  });
});

test("jobs.print_job has the end of a job all of whose targets have ended, if ends are to be noted", async () => {
  const { run } = await bench({ job_cache_store_endtime: true });
  const printed = await run("print_job", { jid: SECOND }) as Record<string, Record<string, unknown>>;
  assert.equal(printed[SECOND]!.EndTime, "2024, May 06 07:08:10.000000");
  assert.equal("jid" in printed[SECOND]!, false);
  const plain = await (await bench()).run("print_job", { jid: SECOND }) as typeof printed;
  assert.equal("EndTime" in plain[SECOND]!, false);
});

test("jobs.print_job shows the state of targets only if one has not returned", async () => {
  const { run } = await bench();
  const printed = async (jid: string) =>
    (await run("print_job", { jid }) as Record<string, Record<string, unknown>>)[jid]!;
  assert.deepEqual((await printed(THIRD)).Outcomes, { web1: "queued", db1: "published" });
  assert.equal("Outcomes" in await printed(SECOND), false);
});

test("jobs.lookup_jid returns the returns, and on request the missing minions", async () => {
  const { run, progress } = await bench();
  assert.deepEqual(await run("lookup_jid", { jid: FIRST }), {
    outputter: "highstate",
    data: { web1: "root", web2: "" },
  });
  assert.deepEqual(await run("lookup_jid", { jid: FIRST, missing: true, returned: false }), {
    outputter: "highstate",
    data: { web3: "Minion did not return" },
  });
  assert.deepEqual(await run("lookup_jid", { jid: UNKNOWN }), {});
  assert.deepEqual(progress, []);
  await run("lookup_jid", { jid: SECOND, display_progress: true });
  assert.deepEqual(progress.slice(1), [{ message: "db1" }, { message: "db2" }]);
});

test("jobs.exit_success goes by the truth of the return", async () => {
  const { run } = await bench();
  assert.deepEqual(await run("exit_success", { jid: FIRST }), { web1: true, web2: false, web3: false });
  assert.deepEqual(await run("exit_success", { jid: UNKNOWN }), {});
});

test("jobs.last is how the newest job stands, without those that ask for other jobs", async () => {
  const { jobs, run } = await bench();
  const last = async (keyword = {}) => (await run("last", keyword) as { jid: string }).jid;
  assert.equal(await last(), SECOND);
  assert.equal(await last({ search_function: "cmd.*" }), FIRST);
  assert.equal(await run("last", { search_function: "nix.*" }), false);
  const jid = "20240506093000000001";
  await jobs.reserve(jid);
  const load = { jid, fun: "saltutil.running", arg: [], tgt: "*", tgt_type: "glob", user: "root", ret: "" };
  await jobs.saveLoad(jid, load, ["web1"]);
  assert.equal(await last(), SECOND);
  assert.deepEqual(await run("last"), await run("outcome", { jid: SECOND }));
});

test("jobs.last_run is the newest that fits, or False", async () => {
  const { run } = await bench();
  const newest = async (keyword = {}) => Object.keys(await run("last_run", keyword) as object);
  assert.deepEqual(await newest(), [THIRD]);
  assert.deepEqual(await newest({ function: "cmd.run" }), [FIRST]);
  assert.deepEqual(await newest({ metadata: { team: "web" } }), [SECOND]);
  assert.equal(await run("last_run", { function: "nix.*" }), false);
});

test("jobs.outcome shows the state of each target", async () => {
  const { run } = await bench();
  assert.deepEqual(await run("outcome", { jid: FIRST }), {
    jid: FIRST,
    Function: "cmd.run",
    Arguments: ["id"],
    Target: "*",
    "Target-type": "glob",
    User: "root",
    StartTime: START,
    Counts: { returned: 1, failed: 1, published: 1 },
    Outcomes: {
      web1: { Outcome: "returned", At: "2024, May 06 07:08:10.000000", Retcode: 0 },
      web2: { Outcome: "failed", At: "2024, May 06 07:08:10.000000", Retcode: 3 },
      web3: { Outcome: "published", At: START },
    },
  });
});

test("jobs.queued, jobs.dequeue, jobs.refused and jobs.counters", async () => {
  const { run, asked } = await bench();
  const queued = await run("queued") as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(queued), [THIRD]);
  const [at, until] = ["2024, May 06 12:00:00.000000", "2024, May 07 00:00:00.000000"];
  assert.deepEqual(queued[THIRD]!.Queued, { web1: { At: at, Until: until, Note: "away" } });
  assert.equal(queued[THIRD]!.Function, "saltutil.find_job");
  assert.deepEqual(await run("dequeue", { jid: THIRD }), ["web1"]);
  assert.deepEqual(await run("dequeue", { jid: BigInt(THIRD), minion: "web1" }), ["web1"]);
  assert.deepEqual(await run("refused"), { impostor: 1 });
  assert.deepEqual(await run("counters"), { cancelled: ["web1"], open: 2, refused: { impostor: 1 } });
  assert.deepEqual(asked, [
    ["job_dequeue", { jid: THIRD }],
    ["job_dequeue", { jid: THIRD, minion: "web1" }],
    ["job_counters", {}],
    ["job_counters", {}],
  ]);
});

test("what the master refuses is an error", async () => {
  const { run } = await bench({}, { ask: () => Promise.resolve({ error: { name: "X", message: "not you" } }) });
  await assert.rejects(run("counters"), { name: "SaltInvocationError", message: "not you" });
});

test("jobs.active puts the answers of minions together", async () => {
  const job = { jid: FIRST, pid: 7, fun: "cmd.run", arg: ["id"], tgt: "*", tgt_type: "glob", user: "root" };
  const answers = { web1: [job], web3: [{ ...job, pid: 8 }], web4: "broken" };
  const { run } = await bench({}, { command: () => Promise.resolve(answers) });
  const { [FIRST]: found, ...rest } = await run("active") as Record<string, Record<string, unknown>>;
  assert.deepEqual(rest, {});
  assert.deepEqual(found!.Running, [{ web1: 7 }, { web3: 8 }]);
  assert.deepEqual(found!.Returned, ["web1", "web2"]);
});

test("jobs.master shows what runs on the master, without jobs that have ended", async () => {
  await inTemporary(runtime, async (directory) => {
    const job = { jid: FIRST, fun: "runner.state.orch", pid: runtime.process.pid };
    const { run } = await bench({ cachedir: directory });
    assert.deepEqual(await run("master"), []);
    runtime.fs.mkdir(joinPath(directory, "proc"));
    runtime.fs.write(joinPath(directory, "proc", FIRST), encode(job, "bin"));
    runtime.fs.write(joinPath(directory, "proc", SECOND), encode({ ...job, pid: 2 ** 30 }, "bin"));
    runtime.fs.write(joinPath(directory, "proc", THIRD), "");
    assert.deepEqual(await run("master"), [job]);
  });
});

test("jobs.list_jobs reads no further than the limit", async () => {
  let read = 0;
  const list = async function* ({ oldestFirst }: JobSearch = {}) {
    assert.equal(oldestFirst, true);
    for (; read < 1000; read++) {
      yield [{
        jid: `20240506${String(read).padStart(12, "0")}`,
        summary: { fun: "f", arg: [], tgt: "*", tgt_type: "glob", user: "u" },
      }];
    }
  };
  const { jobs } = await bench();
  const { signature, run } = runner.functions.list_jobs!;
  const source = { ...jobs, list };
  const context = { opts: {}, jobsFrom: () => Promise.resolve(source) } as unknown as RunnerContext;
  const map = await run(context, bindArguments("list_jobs", parseSignature(signature), [], new Map()));
  assert.ok(map instanceof StreamedMap);
  for await (const [jid] of map) {
    if (jid.endsWith("2")) break;
  }
  assert.equal(read, 2);
});

/** What a printer prints of a document. */
async function printed(
  data: unknown,
  options: Record<string, unknown> = {},
): Promise<{ text: string; writes: number }> {
  const run = { text: "", writes: 0 };
  const print = (text: string) => {
    run.text += text;
    run.writes++;
  };
  const explicit = new Set(Object.keys(options));
  const context = { options, explicit, runtime, log: captureLog().log, print, terminal: false };
  const printer = await makePrinter(context as unknown as ProgramContext, {});
  await printer.document(data);
  return run;
}

const streamed = (map: Record<string, unknown>) =>
  new StreamedMap((async function* () {
    yield* Object.entries(map);
  })());

for (
  const { name, map, options = {} } of [
    { name: "nothing", map: {} },
    { name: "one entry", map: { a: 1 } },
    { name: "jobs", map: { "2024": { Function: "test.ping", Arguments: [{ b: [1, [2]] }], Target: "*" }, "2025": [] } },
    { name: "white space at the end of entries", map: { a: "x  \n\n", b: "", c: " \n" } },
    { name: "white space without end", map: { a: "x", b: " \n".repeat(50_000), c: " \n".repeat(50_000), d: "" } },
    { name: "white space and then more", map: { a: "x", b: " \n".repeat(50_000), c: "y" } },
    { name: "colours", map: { a: { b: "c" } }, options: { force_color: true } },
    {
      name: "more than is written at once",
      map: Object.fromEntries(
        Array.from({ length: 5000 }, (_, at) => [`k${String(at).padStart(5, "0")}`, { a: "x".repeat(30), b: ["   "] }]),
      ),
    },
    { name: "an indentation of its own", map: { a: 1, b: { c: 2 } }, options: { nested_indent: 2 } },
    { name: "json", map: { a: 1, b: [] }, options: { output: "json" } },
    { name: "yaml", map: { a: 1, b: [] }, options: { output: "yaml" } },
    { name: "quiet", map: { a: 1 }, options: { output: "quiet" } },
  ] as { name: string; map: Record<string, unknown>; options?: Record<string, unknown> }[]
) {
  test(`a map that comes entry by entry is printed as the whole: ${name}`, async () => {
    const whole = await printed(map, options);
    const parts = await printed(streamed(map), options);
    assert.equal(parts.text, whole.text);
    const color = options.force_color === true;
    const { text } = await render(String(options.output ?? "nested"), map, { ...options, color });
    assert.equal(parts.text, text === "" ? "" : `${text}\n`);
    if (name.startsWith("more")) assert.ok(parts.writes > 2, `${parts.writes} writes`);
  });
}

test("salt-run reads jobs from the source it is asked for, and lists the known ones", async () => {
  await inTemporary(runtime, async (directory) => {
    const { fs, crypto, clock, later } = runtime;
    const jobs = localCache({ fs, crypto, clock, later, cacheDir: directory, hashName: "sha256" });
    await jobs.reserve(FIRST);
    await jobs.saveLoad(FIRST, { jid: FIRST, fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root" }, [
      "web1",
    ]);
    await jobs.saveReturn(FIRST, { minion: "web1", return: pack(true), retcode: 0, success: true, storedMs: 0 });
    await jobs.close();
    const config = (text: string) =>
      fs.write(
        joinPath(directory, "master"),
        `cachedir: ${directory}\nsock_dir: ${directory}\npki_dir: ${directory}\n${text}`,
      );
    const run = (...words: string[]) => runInProcess("salt-run", runMain, ["-c", directory, ...words]);

    config("master_job_cache: memory\n");
    assert.equal((await run("jobs.lookup_jid", FIRST)).stdout, "");
    assert.equal((await run("jobs.lookup_jid", FIRST, "ext_source=local_cache")).stdout, "web1:\n    True\n");
    const list = await run("jobs.list_jobs", "ext_source=local_cache");
    assert.match(
      list.stdout,
      new RegExp(`^${FIRST}:\n    ----------\n    Arguments:\n    Function:\n        test.ping\n`),
    );
    assert.equal(list.exitCode, 0);
    const unknown = await run("jobs.lookup_jid", FIRST, "ext_source=nix");
    assert.match(unknown.stdout, /Passed invalid arguments: Cannot read jobs from 'nix': .*redis.*local_cache/);
    assert.match((await run("jobs.list_jobs", "ext_source=syslog")).stdout, /"syslog": it only writes/);
    config("master_job_cache: memory\next_job_cache: rawfile_json\n");
    assert.match((await run("jobs.list_jobs")).stdout, /"rawfile_json": it only writes/);
  });
});

for (const cache of ["sqlite", "local_cache"]) {
  test(`salt-run records what it runs in ${cache}, and never under the jid of another job`, async () => {
    await inTemporary(runtime, async (directory) => {
      const text =
        `id: here\ncachedir: ${directory}\nsock_dir: ${directory}\npki_dir: ${directory}\nmaster_job_cache: ${cache}\n`;
      const config = (more = "") => runtime.fs.write(joinPath(directory, "master"), text + more);
      const run = async (...words: string[]) => {
        const { stdout } = await runInProcess("salt-run", runMain, ["-c", directory, "--out=json", ...words]);
        return JSON.parse(stdout);
      };
      const jids = async (): Promise<string[]> =>
        Object.keys(await run("jobs.list_jobs", "search_function=runner.test.*"));
      config();
      assert.deepEqual(await run("--jid", FIRST, "test.arg", "1", "b=2"), { args: [1], kwargs: { b: 2 } });
      const { _stamp, user, ...first } = (await run("jobs.lookup_jid", FIRST)).here;
      assert.deepEqual([typeof _stamp, user], ["string", runtime.host.user().name]);
      const want = {
        fun: "runner.test.arg",
        jid: FIRST,
        fun_args: [1, { b: 2 }],
        return: { args: [1], kwargs: { b: 2 } },
      };
      assert.deepEqual(first, { ...want, success: true });

      await run("--jid", FIRST, "test.arg", "other");
      assert.deepEqual((await run("jobs.lookup_jid", FIRST)).here.fun_args, [1, { b: 2 }]);
      assert.deepEqual(await jids(), [FIRST]);

      await run("--jid", SECOND, "no.such");
      for (const off of ["runner_returns: false", "job_cache: false"]) {
        config(`${off}\n`);
        await run("--jid", SECOND, "test.arg");
      }
      config();
      assert.deepEqual(await jids(), [FIRST]);
      // What has looked at jobs is a job, too.
      assert.ok(
        Object.values(await run("jobs.list_jobs")).some((job) => (job as Json).Function === "runner.jobs.lookup_jid"),
      );
    });
  });
}

test("the event of a long list holds no more than max_event_size", async () => {
  await inTemporary(runtime, async (directory) => {
    const { fs, crypto, clock, later, net } = runtime;
    const jobs = localCache({ fs, crypto, clock, later, cacheDir: directory, hashName: "sha256" });
    for (const jid of [FIRST, SECOND, THIRD]) {
      await jobs.saveLoad(jid, {
        jid,
        fun: "test.ping",
        arg: ["x".repeat(1500)],
        tgt: "*",
        tgt_type: "glob",
        user: "root",
      }, ["web1"]);
    }
    await jobs.close();
    const bus = new EventBus(() => NOW);
    const returns = bus.subscribe("salt/run/");
    const pull = { kind: "unix" as const, path: joinPath(directory, "master_event_pull.ipc") };
    const pub = { kind: "unix" as const, path: joinPath(directory, "master_event_pub.ipc") };
    await using _server = await serveBus(bus, net, { pub, pull }, captureLog().log, { later });
    for (
      const { most, words, whole } of [
        { most: 100_000, words: [], whole: true },
        { most: 4000, words: [], whole: false },
        { most: 250, words: ["--quiet"], whole: false },
        { most: 4000, words: ["outputter=json"], whole: false },
      ]
    ) {
      const text = `cachedir: ${directory}\nsock_dir: ${directory}\npki_dir: ${directory}\nmax_event_size: ${most}\n`;
      fs.write(joinPath(directory, "master"), `${text}master_job_cache: local_cache\n`);
      const { stdout } = await runInProcess("salt-run", runMain, ["-c", directory, "jobs.list_jobs", ...words]);
      assert.equal(stdout.split(THIRD).length - 1, words.includes("--quiet") ? 0 : 1);
      let event = (await returns.next()).value!;
      assert.match(event.tag, /^salt\/run\/\d{20}\/new$/);
      event = (await returns.next()).value!;
      assert.match(event.tag, /^salt\/run\/\d{20}\/ret$/);
      const { return: told, success, fun } = event.data;
      assert.deepEqual([fun, success], ["runner.jobs.list_jobs", true]);
      if (whole) assert.deepEqual(Object.keys(told as object), [FIRST, SECOND, THIRD]);
      else {assert.deepEqual(
          told,
          words.includes("outputter=json") ? { data: "VALUE_TRIMMED", outputter: "json" } : "VALUE_TRIMMED",
        );}
    }
    returns[Symbol.dispose]();
  });
});

test("jobs.tally tells how long jobs took until their last return, and how one minion stands in them", async () => {
  const { run } = await bench();
  const timed = await run("tally", { jids: [FIRST, THIRD], durations: true }) as Record<string, { Seconds?: number }>;
  assert.ok(timed[FIRST]!.Seconds! >= 0, JSON.stringify(timed));
  const whole = await run("outcome", { jid: FIRST }) as { Outcomes: Record<string, { Outcome: string }> };
  for (const [minion, { Outcome }] of Object.entries(whole.Outcomes)) {
    assert.deepEqual(await run("tally", { jids: FIRST, minion }), { [FIRST]: { [Outcome]: 1 } });
  }
  assert.deepEqual(await run("tally", { jids: [FIRST, THIRD], minion: "stranger" }), {});
});

test("jobs.tally counts the outcomes of several jobs in one call, and leaves out unknown jobs", async () => {
  const { run } = await bench();
  const counted = await run("tally", { jids: [FIRST, `${THIRD},${UNKNOWN}`] }) as Record<string, unknown>;
  assert.deepEqual(Object.keys(counted).sort(), [FIRST, THIRD]);
  assert.deepEqual(counted[FIRST], { published: 1, returned: 1, failed: 1 });
  await assert.rejects(run("tally", { jids: Array<string>(201).fill(FIRST) }), /201 jobs at once: 200 are the most/);
  await assert.rejects(run("tally", { jids: ["../../etc"] }));
});
