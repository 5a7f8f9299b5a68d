import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JobContext } from "../../../src/model/loader/family.ts";
import type { LowChunk } from "../../../src/model/loader/states.ts";
import { unfinishedRuns } from "../../../src/content/state/run/run_record.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { chunk, stateFunction, stateRun } from "../../support/state_run.ts";
import { inTemporary } from "../../plugins/temporary.ts";

const ids = (returns: ReadonlyMap<string, unknown>) => [...returns.keys()].map((tag) => tag.split("_|-")[1]);
const many = (count: number, make: (at: number) => LowChunk) => Array.from({ length: count }, (_, at) => make(at));
const ok = (name: unknown, changes = {}) => ({ name, changes, result: true, comment: "" });

describe("runStates() ends with requisites", () => {
  test("of 10000 chunks that all require the last one", async () => {
    const { run } = await stateRun();
    const last = { require: [{ test: "x9999" }] };
    const returns = await run(many(10_000, (at) => chunk(`x${at}`, "test.nop", at < 9999 ? last : {})));
    assert.equal(returns.size, 10_000);
    assert.equal(ids(returns)[0], "x9999");
    assert.ok([...returns.values()].every(({ result }) => result === true));
  });

  test("that are a chain of 10000", async () => {
    const { run } = await stateRun();
    const returns = await run(
      many(10_000, (at) => chunk(`x${at}`, "test.nop", at < 9999 ? { require: [{ test: `x${at + 1}` }] } : {})),
    );
    assert.deepEqual(ids(returns).slice(0, 2), ["x9999", "x9998"]);
  });

  for (const length of [2, 3, 5, 1000]) {
    test(`that are a ring of ${length}`, async () => {
      const { run } = await stateRun();
      const returns = await run(
        many(length, (at) => chunk(`x${at}`, "test.nop", { require: [{ test: `x${(at + 1) % length}` }] })),
      );
      assert.equal(returns.get(`test_|-x${length - 1}_|-x${length - 1}_|-nop`)?.comment, "Recursive requisite found");
      assert.equal(returns.size, length);
    });
  }

  for (const length of [3, 4, 7]) {
    test(`that are a ring of ${length} prereq`, async () => {
      const { run } = await stateRun();
      const returns = await run(many(length, (at) =>
        chunk(`x${at}`, "test.succeed_with_changes", {
          prereq: [{ test: `x${(at + 1) % length}` }],
          prerequired: [{ test: `x${(at + length - 1) % length}` }],
        })));
      assert.equal(returns.size, length);
      assert.ok([...returns.values()].some(({ comment }) => comment === "Recursive requisite found"));
    });
  }

  test("that are globs and match all of 2000 chunks", async () => {
    const { run } = await stateRun();
    const chunks = [
      ...many(2000, (at) => chunk(`x${at}`, "test.nop", { require: [{ test: "y*" }] })),
      ...many(2000, (at) => chunk(`y${at}`, "test.nop")),
    ];
    const returns = await run(chunks);
    assert.equal(returns.size, 4000);
    assert.equal(ids(returns)[2000], "x0");
  });
});

test("runStates(): the chunks that it is given stay as they are", async () => {
  const { run } = await stateRun();
  const chunks = [chunk("x", "own.nothing", { watch: [{ test: "y" }], umask: "077" }), chunk("y", "test.nop")];
  const before = structuredClone(chunks);
  await run(chunks);
  assert.deepEqual(chunks, before);
});

test("runStates(): unknown arguments, missing functions and odd returns are failed states, and the others run", async () => {
  const { run } = await stateRun({
    functions: {
      strict: stateFunction((_, { name }) => ok(name), "name, known=1"),
      text: stateFunction(() => "no map" as never),
      half: stateFunction((_, { name }) => ({ name, changes: {} }) as never),
      lines: stateFunction((_, { name }) => ({ ...ok(name), comment: ["one", 2] }) as never),
      throws: stateFunction(() => {
        throw new RangeError("too far");
      }),
    },
  });
  const returns = await run([
    chunk("a", "own.strict", { extra: 1 }),
    chunk("b", "own.strict", { extra: 1, more: 2 }),
    chunk("c", "own.text"),
    chunk("d", "own.half"),
    chunk("e", "own.throws"),
    chunk("f", "own.nothing"),
    chunk("g", "test.nop"),
    chunk("h", "own.lines"),
  ]);
  const comments = [...returns.values()].map(({ comment }) => comment);
  assert.match(comments[0]!, /SaltInvocationError: 'extra' is an invalid keyword argument for 'own.strict'\n$/);
  assert.match(comments[1]!, /'extra' and 'more' are invalid keyword arguments for 'own.strict'\n$/);
  assert.match(comments[2]!, /Malformed state return. Data must be a dictionary type.$/);
  assert.match(comments[3]!, /The following keys were not present in the state return: result, comment.$/);
  assert.match(comments[4]!, /^An exception occurred in this state: Traceback[^]*ValueError: too far\n$/);
  assert.equal(
    comments[5],
    "State 'own.nothing' was not found in SLS 'a'\nReason: 'own.nothing' is not available.\n",
  );
  assert.match(comments[7]!, /: expected str, bytes, or bytearray not <class 'int'>$/);
  const failed = [false, false, false, false, false, false];
  assert.deepEqual([...returns.values()].map(({ result }) => result), [...failed, true, false]);
});

test("runStates(): a function that is missing inside a state is a KeyError of it", async () => {
  const { run } = await stateRun({
    functions: { greet: stateFunction(async (context) => ok(await context.call("other.greet"))) },
  });
  const [entry] = [...(await run([chunk("a", "own.greet")])).values()];
  assert.match(entry!.comment, /^An exception occurred in this state: Traceback[^]*\nKeyError: 'other\.greet'\n$/);
});

describe("provider of a state", () => {
  const functions = (said: string, more: readonly string[] = []) => ({
    functions: Object.fromEntries(
      ["greet", ...more].map((name) => [name, { signature: "", doc: "", run: () => said }]),
    ),
  });
  const modules = {
    own: () => Promise.resolve({ module: functions("own", ["wave"]) }),
    other: () => Promise.resolve({ module: { ...functions("other"), virtual: () => ({ unavailable: "not here" }) } }),
  };
  const greet = stateFunction(async (context, { name }) => ({
    ...ok(name),
    comment: `${await context.call("own.greet")} ${await context.call("own.wave")}`,
  }));
  const say = async (args: LowChunk, opts = {}) => {
    const { run } = await stateRun({ functions: { greet } }, { modules, opts });
    return [...(await run([chunk("x", "own.greet", args), chunk("y", "own.greet")])).values()].map((ret) =>
      ret.comment
    );
  };

  for (
    const { name, args, wants } of [
      { name: "a text is the file for the state's own module", args: { provider: "other" }, wants: "other own" },
      {
        name: "a list says for which modules",
        args: { provider: [{ own: "other" }, { pkg: "x" }] },
        wants: "other own",
      },
      { name: "of a file that is not there changes nothing", args: { provider: "nope" }, wants: "own own" },
      { name: "that is a map changes nothing", args: { provider: { own: "other" } }, wants: "own own" },
      { name: "that is no name of a file changes nothing", args: { provider: "__proto__" }, wants: "own own" },
    ]
  ) {
    test(`${name}, for that state alone`, async () => assert.deepEqual(await say(args), [wants, "own own"]));
  }

  test("does not bring in a module that is disabled", async () => {
    assert.deepEqual(await say({ provider: "other" }, { disable_modules: ["other"] }), ["own own", "own own"]);
  });
});

test("retry: a state is tried again until it is as wanted, and what was said before stands in the comment", async () => {
  let tries = 0;
  const { run } = await stateRun({
    functions: {
      third: stateFunction((_, { name }) => ({ ...ok(name), result: ++tries === 3, comment: `try ${tries}` })),
    },
  }, { runtime: { clock: Object.assign(new FakeClock(), { sleep: () => Promise.resolve() }) } });
  const retry = { attempts: 5, interval: 7 };
  const [entry] = [...(await run([chunk("x", "own.third", { retry })])).values()];
  assert.equal(
    entry!.comment,
    'Attempt 1: Returned a result of "False", with the following comment: "try 1"\n' +
      'Attempt 2: Returned a result of "False", with the following comment: "try 2"\ntry 3',
  );
  assert.equal(Number(entry!.duration), 14_000);
});

test("retry: asks the result that the function gave, and a malformed return is reported once", async () => {
  let tries = 0;
  const { run } = await stateRun({
    functions: { odd: stateFunction((_, { name }) => (tries++, { ...ok(name), changes: false }) as never) },
  });
  const [entry] = [...(await run([chunk("x", "own.odd", { retry: { attempts: 3, interval: 30 } })])).values()];
  assert.equal(entry!.comment, "An exception occurred in this state: 'Changes' should be a dictionary.");
  assert.equal(tries, 1);
});

test("retry: with `parallel: False` there is no other try, and with `True` a dry run says what it would do", async () => {
  const { run } = await stateRun({
    functions: { bad: stateFunction((_, { name }) => ({ ...ok(name), result: false, comment: "no" })) },
  });
  const told = async (parallel: boolean, more: Record<string, unknown>, test: boolean) => {
    const states = [chunk("x", "own.bad", { retry: { attempts: 2, interval: 0 }, parallel, ...more })];
    return [...(await run(states, { test })).values()][0]!.comment;
  };
  assert.equal(await told(false, {}, false), "no");
  assert.equal(await told(false, {}, true), "no");
  assert.match(await told(true, {}, true), /^no {2}The state would be retried every 0 seconds/);
  assert.equal(await told(true, { unless: [], creates: "/" }, true), "/ exists");
});

test("retry: a function that is missing is not looked for again", async () => {
  const { run } = await stateRun();
  const chunks = [chunk("x", "test.nope", { retry: { attempts: 3, interval: 30 } })];
  const [entry] = [...(await run(chunks)).values()];
  assert.equal(entry!.comment, "State 'test.nope' was not found in SLS 'a'\nReason: 'test.nope' is not available.\n");
});

test("retry: a dry run shows what conditions say that skip a state as a list", async () => {
  const { run } = await stateRun();
  const returns = await run([
    chunk("x", "test.nop", { creates: "/", unless: [], retry: { attempts: 3 } }),
    chunk("y", "test.nop", { creates: "/", retry: true, check_cmd: [] }),
    chunk("z", "test.nop", { creates: "/" }),
  ], { test: true });
  const tail = (attempts: number) =>
    "  The state would be retried every 30 seconds (with a splay of up to 0 seconds) a maximum of " +
    `${attempts} times or until a result of True is returned`;
  assert.deepEqual([...returns.values()].map(({ comment }) => comment), [
    `['/ exists']${tail(3)}`,
    `check_cmd determined the state succeeded${tail(2)}`,
    "/ exists",
  ]);
});

test("retry: a billion attempts end when the job is killed", async () => {
  let tries = 0;
  const made = await stateRun({
    functions: {
      never: stateFunction((_, { name }) => {
        if (++tries === 2000) made.abort.abort(new Error("killed"));
        return { ...ok(name), result: false };
      }),
    },
  });
  const retry = { attempts: 1e9, interval: 0 };
  await assert.rejects(made.run([chunk("x", "own.never", { retry })]), /killed/);
  assert.equal(tries, 2000);
});

test("a run that is killed leaves a record of the states that were done, and one that ends leaves none", async () => {
  const { context: { runtime } } = await stateRun();
  await inTemporary(runtime, async (cachedir) => {
    const started = Promise.withResolvers<void>();
    const made = await stateRun({
      functions: {
        forever: stateFunction(({ signal }) => {
          started.resolve();
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        }),
      },
    }, { opts: { cachedir } });
    await made.run([chunk("before", "test.nop")]);
    assert.deepEqual(unfinishedRuns(made.context), []);
    const running = made.run([chunk("x", "test.nop"), chunk("y", "own.forever"), chunk("z", "test.nop")]);
    await started.promise;
    made.abort.abort(new Error("killed"));
    await assert.rejects(running, /killed/);
    const [left] = unfinishedRuns(made.context);
    assert.equal(left!.total, 3);
    assert.deepEqual(left!.done, [{ tag: "test_|-x_|-x_|-nop", result: true }]);
    assert.equal(left!.killed, true);
    const later = await stateRun({}, { opts: { cachedir } });
    for (const told of [1, 1]) {
      await later.run([chunk("later", "test.nop")]);
      assert.equal(later.warnings().filter((text) => /killed before its end/.test(text)).length, told);
    }
  });
});

test("records of killed runs: the 20 that began last are kept, and that of a run that still runs", async () => {
  const { context: { runtime } } = await stateRun();
  await inTemporary(runtime, async (cachedir) => {
    const made = await stateRun({}, { opts: { cachedir } });
    const directory = `${cachedir}/state_runs`;
    runtime.fs.mkdir(directory);
    const write = (name: string, pid: number, started: number) =>
      runtime.fs.write(`${directory}/${name}`, `${JSON.stringify({ jid: name, pid, fun: "", started, total: 1 })}\n`);
    write("0-running", runtime.process.pid, 0);
    // A name says nothing about the age: that of a run without a job begins with a letter.
    for (let age = 0; age < 22; age++) write(`${age % 2 === 0 ? "call" : "2026"}-${age}`, 2 ** 22 + 1, 100 - age);
    runtime.fs.write(`${directory}/zz-damaged`, "{");
    await made.run([chunk("x", "test.nop")]);
    const left = unfinishedRuns(made.context).map(({ name }) => name);
    assert.deepEqual([left.length, left[0], left[1], left[20]], [21, "0-running", "2026-19", "call-0"]);
  });
});

test("parallel: states run at once, what requires one waits for it, and all are awaited at the end", async () => {
  const log: string[] = [];
  const both = Promise.withResolvers<void>();
  const { run } = await stateRun({
    functions: {
      meet: stateFunction(async (_, { name }) => {
        log.push(`${name} begins`);
        if (log.length === 2) both.resolve();
        await both.promise;
        log.push(`${name} ends`);
        return ok(name);
      }),
      note: stateFunction((_, { name }) => {
        log.push(name as string);
        return ok(name);
      }),
    },
  });
  const returns = await run([
    chunk("a", "own.meet", { parallel: true }),
    chunk("b", "own.meet", { parallel: true }),
    chunk("after", "own.note", { require: [{ own: "b" }] }),
  ]);
  assert.deepEqual(log.slice(0, 2), ["a begins", "b begins"]);
  assert.ok(log.indexOf("after") > log.indexOf("b ends"));
  assert.deepEqual([...returns.values()].map((entry) => [entry.__id__, entry.__run_num__, entry.__parallel__]), [
    ["a", 0, true],
    ["b", 1, true],
    ["after", 2, undefined],
  ]);
});

test("umask: it is that of the call alone, and no parallel state runs beside it", async () => {
  const log: string[] = [];
  const go = Promise.withResolvers<void>();
  const { run, context } = await stateRun({
    functions: {
      slow: stateFunction(async (_, { name }) => {
        await go.promise;
        log.push("slow ends");
        return ok(name);
      }),
      mask: stateFunction(({ runtime }, { name }) => {
        log.push(runtime.process.umask().toString(8));
        return ok(name);
      }),
    },
  });
  const before = context.runtime.process.umask();
  const chunks = [
    chunk("slow", "own.slow", { parallel: true }),
    chunk("go", "test.nop"),
    chunk("mask", "own.mask", { umask: "077" }),
    chunk("wrong", "own.mask", { umask: "9" }),
  ];
  const returns = await run(chunks, { onState: (_, { __id__ }) => void (__id__ === "go" && go.resolve()) });
  assert.deepEqual(log, ["slow ends", "77"]);
  assert.equal(context.runtime.process.umask(), before);
  assert.equal(returns.get("own_|-wrong_|-wrong_|-mask")?.comment, "Invalid umask: 9\n");
});

test("modules: mod_init once, mod_aggregate folds later chunks, mod_beacon after all", async () => {
  const log: unknown[] = [];
  const { run } = await stateRun({
    functions: { all: stateFunction((_, { name, kwargs }) => (log.push((kwargs as { pkgs: string }).pkgs), ok(name))) },
    modInit: (_, low) => (log.push(`init ${low.name}`), true),
    modAggregate: (_, low, chunks) => ({ ...low, pkgs: chunks.map(({ name }) => name) }),
    modBeacon: (_, { name, sfun }) => (log.push(`beacon ${name} ${sfun}`), ok(name)),
  });
  const returns = await run([
    chunk("a", "own.all", { aggregate: true, beacon: true, require: [{ test: "t" }] }),
    chunk("b", "own.all"),
    chunk("t", "test.nop"),
  ]);
  assert.deepEqual(log, ["init a", ["a", "b", "t"], undefined, "beacon a all"]);
  assert.deepEqual(ids(returns), ["t", "a", "b", "beacon_a"]);
});

test("sub_state_run: further returns are entries of their own, with numbers of their own", async () => {
  const { run } = await stateRun({
    functions: {
      several: stateFunction((_, { name }) => ({
        ...ok(name),
        sub_state_run: many(3, (at): LowChunk => ({
          ...ok("s"),
          low: { state: "own", __id__: `s${at}`, name: `s${at}`, fun: "sub" },
        })),
      })),
    },
  });
  const returns = await run([chunk("a", "own.several"), chunk("b", "test.nop")]);
  assert.deepEqual(ids(returns), ["a", "s0", "s1", "s2", "b"]);
  assert.deepEqual([...returns.values()].map(({ __run_num__ }) => __run_num__), [0, 1, 2, 3, 4]);
});

test("failhard: the run ends after a state that failed, also where another one required it", async () => {
  const { run } = await stateRun({}, { opts: { failhard: true } });
  const returns = await run([
    chunk("a", "test.nop", { require: [{ test: "bad" }] }),
    chunk("later", "test.nop"),
    chunk("bad", "test.fail_without_changes"),
  ]);
  assert.deepEqual(ids(returns), ["bad"]);
});

test("disabled_requisites: kinds that are named there are ignored", async () => {
  const { run } = await stateRun({}, { opts: { disabled_requisites: ["require"] } });
  const returns = await run([chunk("a", "test.nop", { require: [{ test: "b" }] }), chunk("b", "test.nop")]);
  assert.deepEqual(ids(returns), ["a", "b"]);
});

test("mock: functions are not called", async () => {
  const { run } = await stateRun();
  const [entry] = [...(await run([chunk("a", "test.fail_without_changes")], { mock: true })).values()];
  assert.deepEqual([entry!.result, entry!.comment], [true, "Not called, mocked"]);
});

test("runas: commands that a state calls run as that user", async () => {
  const asked: unknown[] = [];
  const { run } = await stateRun({
    functions: {
      command: stateFunction(async (context, { name }) => {
        asked.push(context.runas, await context.call("own_module.who"));
        return ok(name);
      }),
    },
  }, {
    modules: {
      own_module: () =>
        Promise.resolve({
          module: { functions: { who: { signature: "", doc: "", run: ({ runas }) => runas ?? null } } },
        }),
    },
  });
  await run([chunk("a", "own.command", { runas: "bob" }), chunk("b", "own.command")]);
  assert.deepEqual(asked, ["bob", "bob", undefined, null]);
});

test("runStates(): conditions and slots of a state that is run dry for a prereq see the option of the whole run", async () => {
  const seen: unknown[] = [];
  const asked = {
    module: {
      functions: {
        asked: { signature: "", doc: "", run: ({ opts }: JobContext) => seen.push(opts.test ?? false) > 0 },
      },
    },
  };
  const note = stateFunction(({ opts, test }, { name }) => {
    seen.push([opts.test ?? false, test]);
    return ok(name, { x: 1 });
  });
  const { run } = await stateRun({ functions: { note } }, { modules: { own: () => Promise.resolve(asked) } });
  const args = { onlyif: [{ fun: "own.asked" }], more: "__slot__:salt:own.asked()" };
  await run([
    chunk("x", "own.note", { ...args, prerequired: [{ test: "y" }] }),
    chunk("y", "test.nop", { prereq: [{ own: "x" }] }),
  ]);
  assert.deepEqual(seen.slice(0, 3), [false, false, [true, true]]);
});
