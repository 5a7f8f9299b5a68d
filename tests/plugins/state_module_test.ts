import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { systemClock } from "../../src/base/async/clock.ts";
import { entriesOf, isMap, lookup, OrderedMap } from "../../src/language/python/values.ts";
import { decode } from "../../src/protocol/wire/msgpack.ts";
import { kwargs, type TestMinion, testMinion, type TestMinionOptions } from "../support/context.ts";
import { localFiles } from "../support/local_files.ts";

const root = mkdtempSync(join(tmpdir(), "brine-state-module-"));
after(() => rmSync(root, { recursive: true }));
let made = 0;

const JID = "20240101000000000000";

interface Bed {
  minion: TestMinion;
  cache: string;
  /** Runs a function of `state`: what it returned, with entries by id, and its code. */
  run(fun: string, ...arg: unknown[]): Promise<{ value: unknown; retcode: unknown }>;
}

/** A minion with these files, whose jobs' sleeping is `onSleep`. */
async function bed(
  files: Record<string, string>,
  { opts, onSleep, ...options }: TestMinionOptions & { onSleep?: () => void } = {},
): Promise<Bed> {
  const roots = join(root, String(made++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(roots, name)), { recursive: true });
    writeFileSync(join(roots, name), text);
  }
  mkdirSync(`${roots}.cache`, { recursive: true });
  const sleep = () => {
    onSleep?.();
    return Promise.resolve();
  };
  const minion = await testMinion({
    master: null,
    ...options,
    opts: { ...localFiles(roots), id: "alpha", root_dir: roots, ...opts },
    runtime: { clock: { ...systemClock, sleep } },
  });
  return {
    minion,
    cache: `${roots}.cache`,
    async run(fun, ...arg) {
      const { return: value, retcode } = await minion.run(`state.${fun}`, arg);
      return { value: short(value), retcode };
    },
  };
}

/** A run of states as `[[id, result], …]`; anything else as it is. */
function short(value: unknown): unknown {
  const entries = isMap(value) ? entriesOf(value) : [];
  if (entries.length === 0 || !entries.every(([tag]) => String(tag).includes("_|-"))) return value;
  return entries.map(([tag, entry]) => [String(tag).split("_|-")[1], lookup(entry as Map<unknown, unknown>, "result")]);
}

const A = { "a.sls": "x: test.succeed_with_changes\n" };

test("return codes of what templates call are not those of the function", async () => {
  const { run } = await bed({
    "a.sls": "{% set code = salt['cmd.retcode']('false') %}\nx: test.nop\n",
    "top.sls": "base: {'*': [a]}\n",
  });
  for (
    const [fun, ...words] of [["show_sls", "a"], ["show_low_sls", "a"], ["show_lowstate"], ["show_states"], [
      "apply",
      "a",
    ]]
  ) {
    assert.equal((await run(fun!, ...words)).retcode, 0, fun);
  }
});

test("a template that asks for its own SLS ends, because that fails at some depth", async () => {
  const { run } = await bed({ "a.sls": "x-{{ salt['state.sls_exists']('a') }}: test.nop\n" });
  assert.deepEqual(await run("apply", "a"), { value: [["x-True", true]], retcode: 0 });
});

test("show_lowstate lists the errors of every step, apply those of the first that fails", async () => {
  const { run } = await bed({
    "a.sls": "include: [nowhere]\nextend: {y: {test: [order: 1]}}\nx: {test.nop: [require: z]}\n",
    "top.sls": "base: {'*': [a]}\n",
  });
  const first = "Specified SLS nowhere in saltenv base is not available on the salt master or through a configured " +
    "fileserver";
  const { value } = await run("show_lowstate") as { value: string[] };
  assert.deepEqual(value.map((text) => text.split(/[.'] /)[0]), [
    first,
    "Cannot extend ID 'y",
    "The require statement in state 'x",
  ]);
  assert.deepEqual((await run("apply")).value, [first]);
});

test("a file that includes itself under ever longer names is an error", async () => {
  const { run } = await bed({ "a/init.sls": "include: [., .]\nx: test.nop\n" });
  const { value } = await run("apply", "a") as { value: string[] };
  assert.ok(value.some((text) => text.includes("includes itself under ever longer names")));
  assert.ok(value.length < 30);
});

test("what states return is a plain map, which outputters may sort as Salt's do", async () => {
  const { minion } = await bed({ "a.sls": "z: test.nop\na: test.nop\n", "top.sls": "base: {'*': [a]}\n" });
  for (const [fun, ...words] of [["apply", "a"], ["highstate"], ["single", "test.nop", "x"]] as const) {
    const { return: value } = await minion.run(`state.${fun}`, [...words]);
    assert.ok(isMap(value) && !(value instanceof OrderedMap), fun);
  }
});

test("an empty command is no condition that holds: the state fails", async () => {
  for (const condition of ["unless: ''", "onlyif: ['  ']", "check_cmd: ''", "unless: ['', 'false']"]) {
    const { minion } = await bed({ "a.sls": `x: {test.nop: [{${condition}}]}\n` });
    const { return: value } = await minion.run("state.apply", ["a"]);
    const [[, entry]] = entriesOf(value as Map<unknown, unknown>) as [[string, Record<string, unknown>]];
    assert.equal(entry.result, false, condition);
    assert.match(String(entry.comment), /There is no command to run: it is empty/);
  }
});

describe("options of a call", () => {
  test("test=True, the option and the pillar make a dry run, and test=False a real one", async () => {
    const { run } = await bed(A);
    assert.deepEqual(await run("apply", "a", kwargs({ test: true })), { value: [["x", null]], retcode: 0 });
    assert.deepEqual(await run("test", "a"), { value: [["x", null]], retcode: 0 });
    for (const options of [{ opts: { test: true } }, { pillar: { test: true } }]) {
      const dry = await bed(A, options);
      assert.deepEqual(await dry.run("apply", "a"), { value: [["x", null]], retcode: 0 });
      assert.deepEqual(await dry.run("apply", "a", kwargs({ test: false })), { value: [["x", true]], retcode: 0 });
    }
  });

  test("lock_saltenv refuses another environment", async () => {
    const { run } = await bed(A, { opts: { lock_saltenv: true, saltenv: "base" } });
    assert.equal((await run("apply", "a", kwargs({ saltenv: "base" }))).retcode, 0);
    const { value, retcode } = await run("apply", "a", kwargs({ saltenv: "dev" }));
    assert.match(String(value), /lock_saltenv is enabled, saltenv cannot be changed/);
    assert.equal(retcode, 1);
  });

  test("a pillar with errors stops a run, and a view; force goes on", async () => {
    const { run } = await bed({ ...A, "top.sls": "base: {'*': [a]}" }, { pillar: { _errors: ["bad"] } });
    const stopped = ["Pillar failed to render with the following messages:", "bad"];
    assert.deepEqual(await run("apply", "a"), { value: stopped, retcode: 5 });
    assert.deepEqual(await run("highstate"), { value: stopped, retcode: 5 });
    assert.deepEqual(await run("apply", "a", kwargs({ force: true })), { value: [["x", true]], retcode: 0 });
    assert.match(String((await run("show_sls", "a")).value), /^ERROR: Pillar failed to render/);
  });

  test("a pillar with errors does not stop what is given as data; the minion's errors count where the pillar is empty", async () => {
    const bad = await bed(A, { pillar: { _errors: ["bad"] } });
    assert.deepEqual(await bad.run("template_str", "x: test.nop"), { value: [["x", true]], retcode: 0 });
    assert.equal((await bad.run("single", "test.nop", "x")).retcode, 0);
    assert.equal((await bad.run("high", { x: { test: ["nop"] } })).retcode, 0);
    assert.match(String((await bad.run("template", "/none")).value), /^ERROR: Pillar failed to render/);
    Object.assign(bad.minion.context, { compilePillar: () => Promise.resolve({}) });
    assert.equal((await bad.run("apply", "a", kwargs({ pillarenv: "dev" }))).retcode, 5);
  });

  test("a pillar that is given goes over the minion's for this call", async () => {
    const sls = { "a.sls": "{{ pillar.a }}-{{ pillar.b.c }}-{{ salt['pillar.get']('b:d') }}: test.nop" };
    const { run, minion } = await bed(sls, { pillar: { a: 1, b: { c: 2, d: 3 } } });
    assert.deepEqual(await run("apply", "a", kwargs({ pillar: { a: 9, b: { c: 8 } } })), {
      value: [["9-8-3", true]],
      retcode: 0,
    });
    assert.deepEqual(minion.context.pillar, { a: 1, b: { c: 2, d: 3 } });
  });

  test("a pillar that is given is merged by pillar_source_merging_strategy", async () => {
    const sls = { "a.sls": "{{ pillar.b.d | default('none') }}-{{ pillar.x | default('none') }}: test.nop" };
    const given = kwargs({ pillar: { b: { c: 8 }, x: 1 } });
    for (const [strategy, id] of [["smart", "3-1"], ["overwrite", "none-1"], ["list", "none-none"]]) {
      const { run } = await bed(sls, {
        pillar: { b: { d: 3 } },
        opts: { pillar_source_merging_strategy: strategy },
      });
      assert.deepEqual(await run("apply", "a", given), { value: [[id, true]], retcode: 0 }, strategy);
    }
  });
});

describe("what is kept", () => {
  test("high data and the return, which only the minion reads; cache=True runs it again", async () => {
    const { run, cache, minion } = await bed(A);
    await run("apply", "a");
    const read = (name: string) => decode(minion.runtime.fs.read(`${cache}/${name}`), { mode: "bin" });
    assert.deepEqual(Object.keys(read("highstate.cache.p") as object), ["x"]);
    assert.deepEqual(Object.keys(read("sls.p") as object), ["test_|-x_|-x_|-succeed_with_changes"]);
    assert.equal(minion.runtime.fs.stat(`${cache}/sls.p`)!.mode & 0o777, 0o600);
    assert.deepEqual((await run("sls", "nope", kwargs({ cache: true }))).value, [["x", true]]);
    assert.deepEqual((await run("clear_cache")).value, ["highstate.cache.p"]);
    assert.equal((await run("sls", "nope", kwargs({ cache: true }))).retcode, 1);
  });

  test("under no name that leads elsewhere", async () => {
    const { run } = await bed(A);
    for (const cache_name of ["../x", "/etc/x", ""]) {
      const { value, retcode } = await run("sls", "a", kwargs({ cache_name, cache: true }));
      assert.equal(retcode, 1, String(value));
      assert.match(String(value), /as the name of a file in the cache/);
    }
  });

  test("calls that were tried, to be run later", async () => {
    const { run } = await bed({ ...A, "b.sls": "y: test.nop" });
    assert.deepEqual(await run("check_request"), { value: new Map(), retcode: 0 });
    await run("request", "a", kwargs({ name: "one" }));
    await run("request", "b");
    const kept = (await run("check_request")).value as Map<string, Map<string, unknown>>;
    assert.deepEqual([...kept.keys()], ["one", "default"]);
    assert.deepEqual(lookup((await run("check_request", "one")).value as Map<unknown, unknown>, "mods"), "a");
    assert.equal((await run("clear_request", "nope")).value, false);
    assert.equal((await run("clear_request", "default")).value, true);
    assert.deepEqual((await run("run_request", "one")).value, [["x", true]]);
    assert.deepEqual((await run("run_request", "one")).value, {});
  });
});

describe("other states that run", () => {
  const other = { jid: "20231231000000000000", fun: "state.apply", pid: 7 };
  const told =
    'The function "state.apply" is running as PID 7 and was started at 2023, Dec 31 00:00:00.000000 with jid ' +
    other.jid;

  test("keep a call from running, unless it is concurrent", async () => {
    const jobs = { running: () => [other, { jid: JID, fun: "state.apply", pid: 8 }], signal: () => undefined };
    const { run } = await bed(A, { jobs });
    assert.deepEqual(await run("running"), { value: [told], retcode: 0 });
    assert.deepEqual(await run("apply", "a"), { value: [told], retcode: 1 });
    assert.deepEqual((await run("apply", "a", kwargs({ concurrent: true }))).value, [["x", true]]);
  });

  for (const queue of [true, 2]) {
    test(`are waited for with queue=${queue}, where others see it`, async () => {
      let running = [other];
      const seen: string[][] = [];
      const { run, minion, cache } = await bed(A, {
        jobs: { running: () => running, signal: () => undefined },
        opts: { master: "salt:1" },
        onSleep: () => {
          seen.push(minion.runtime.fs.list(`${cache}/queues/salt_1/state_queue`));
          running = [];
        },
      });
      assert.deepEqual((await run("apply", "a", kwargs({ queue }))).value, [["x", true]]);
      assert.equal(seen.length, 1);
      assert.match(seen[0]![0]!, new RegExp(`^queued_\\d+_${JID}\\.p$`));
      assert.deepEqual(minion.runtime.fs.list(`${cache}/queues/salt_1/state_queue`), []);
    });
  }

  test("are a conflict with a queue that is full, and the option state_queue stands in for the argument", async () => {
    const jobs = { running: () => [other], signal: () => undefined };
    const { run } = await bed(A, { jobs, opts: { state_queue: 1 } });
    assert.deepEqual(await run("apply", "a"), { value: [told], retcode: 1 });
  });

  test("that came later and wait themselves are not waited for", async () => {
    const later = { ...other, jid: "20250101000000000000" };
    const { run, cache, minion } = await bed(A, { jobs: { running: () => [later], signal: () => undefined } });
    const { fs } = minion.runtime;
    fs.mkdir(`${cache}/queues/_default/state_queue`);
    fs.write(`${cache}/queues/_default/state_queue/queued_1_${later.jid}.p`, "");
    assert.deepEqual((await run("apply", "a", kwargs({ queue: true }))).value, [["x", true]]);
  });
});

describe("pauses", () => {
  const twoStates = { "a.sls": "x: test.nop\ny: test.nop\n" };
  const running = { jobs: { running: () => [{ jid: JID, fun: "state.apply", pid: 1 }], signal: () => undefined } };

  test("stop a job before a state until it is let go", async () => {
    let slept = 0;
    const { run, minion, cache } = await bed(twoStates, {
      ...running,
      onSleep: () => {
        if (++slept === 2) minion.runtime.fs.remove(`${cache}/state_pause/${JID}`);
      },
    });
    await run("pause", JID, "y");
    const { value } = await run("get_pauses");
    assert.deepEqual(Object.keys(value as object), [JID]);
    assert.deepEqual((await run("apply", "a", kwargs({ concurrent: true }))).value, [["x", true], ["y", true]]);
    assert.equal(slept, 2);
  });

  test("end a job before a state", async () => {
    const { run, minion, cache } = await bed(twoStates, running);
    await run("soft_kill", JID, "y");
    assert.deepEqual((await run("apply", "a")).value, [["x", true]]);
    assert.equal(minion.runtime.fs.stat(`${cache}/state_pause/${JID}`), undefined);
  });

  test("by a state of the run itself hold for the next one", async () => {
    const sls = `x:\n  module.run:\n    - name: state.soft_kill\n    - jid: "${JID}"\n    - state_id: y\ny: test.nop\n`;
    const { run } = await bed({ "a.sls": sls }, running);
    assert.deepEqual((await run("apply", "a")).value, [["x", true]]);
  });

  test("that were taken back, and those of other states, stop nothing", async () => {
    const { run } = await bed(twoStates, running);
    await run("pause", JID, "z");
    await run("pause", JID);
    await run("resume", JID);
    assert.deepEqual((await run("apply", "a")).value, [["x", true], ["y", true]]);
  });

  test("that stop nothing are said to in the log", async () => {
    const { run, minion } = await bed(twoStates, running);
    const none = { jid: "20240101000000000009" };
    await run("soft_kill", JID);
    for (const fun of ["pause", "soft_kill"]) await run(fun, none.jid);
    await run("resume", none.jid);
    await run("resume", none.jid);
    const later = "no job with this id is running: the pause holds for a later job with this id";
    const warned = minion.records.filter(({ level }) => level === "warning");
    assert.deepEqual(warned.map(({ message, fields }) => [message, fields]), [
      [later, none],
      [later, none],
      ["nothing to resume: no such pause", { ...none, state: "__all__" }],
    ]);
  });

  test("take no name that is no jid", async () => {
    const { run } = await bed(twoStates);
    for (const fun of ["pause", "resume", "soft_kill"]) {
      assert.match(String((await run(fun, "../../x")).value), /as a job id: expected its 20 digits/);
    }
  });
});

describe("states that are disabled", () => {
  test("by the name of their file, and all of a highstate", async () => {
    const { run } = await bed({ ...A, "top.sls": "base: {'*': [a]}" }, {
      grains: { state_runs_disabled: ["a", "highstate", "b.*"] },
    });
    const text = 'The state file "a" is currently disabled, to re-enable, run state.enable a.';
    assert.deepEqual(await run("apply", "a"), { value: [text], retcode: 1 });
    assert.deepEqual(await run("apply", "b.c"), {
      value: ['The state file "b.c" is currently disabled by "b.*", to re-enable, run state.enable b.*.'],
      retcode: 1,
    });
    assert.deepEqual((await run("highstate")).value, {
      name: "Salt highstate run is disabled. To re-enable, run state.enable highstate",
      result: "False",
      comment: "Disabled",
    });
    assert.deepEqual((await run("list_disabled")).value, ["a", "highstate", "b.*"]);
  });
});

describe("events of a run", () => {
  test("come for each state with state_events, and for a state with fire_event", async () => {
    const sls = { "a.sls": "x:\n  test.nop:\n    - fire_event: own/tag\ny: test.nop\n" };
    const { run, minion } = await bed(sls, { master: undefined });
    assert.equal((await run("apply", "a", kwargs({ state_events: true }))).retcode, 0);
    assert.deepEqual(
      minion.events.map(({ bus, tag, data }) => [bus, tag, lookup(data, "len")]),
      [
        ["master", `salt/job/${JID}/prog/alpha/0`, 2],
        ["master", `salt/state_result/${JID}/alpha/own/tag`, undefined],
        ["master", `salt/job/${JID}/prog/alpha/1`, 2],
      ],
    );
  });

  test("do not come by themselves", async () => {
    const { run, minion } = await bed(A, { master: undefined });
    await run("apply", "a");
    assert.deepEqual(minion.events, []);
  });
});

describe("return codes", () => {
  test("a failure that is handled does not count", async () => {
    const sls = (stop: string) =>
      `x: test.fail_without_changes\ny:\n  test.nop:\n    - onfail: [{test: x}]\n    - onfail_stop: ${stop}\n`;
    assert.equal((await (await bed({ "a.sls": sls("False") })).run("apply", "a")).retcode, 0);
    assert.equal((await (await bed({ "a.sls": sls("True") })).run("apply", "a")).retcode, 2);
  });

  test("nor does one that names what handles it", async () => {
    const sls = (stop: string) =>
      `x:\n  test.fail_without_changes:\n    - onfail_in: [{test: y}]\ny:\n  test.nop:\n    - onfail_stop: ${stop}\n`;
    assert.equal((await (await bed({ "a.sls": sls("False") })).run("apply", "a")).retcode, 0);
    assert.equal((await (await bed({ "a.sls": sls("True") })).run("apply", "a")).retcode, 2);
  });
});

for (
  const [fun, arg, instead] of [["event", [], /salt-run state\.event/], ["pkg", ["a", "b", "c"], /salt-ssh/]] as const
) {
  test(`state.${fun} is refused with what to do`, async () => {
    const { value, retcode } = await (await bed({})).run(fun, ...arg);
    assert.match(String(value), instead);
    assert.equal(retcode, 1);
  });
}

test("a state with reload_grains gives those after it the grains as they are then", async () => {
  const conf = join(root, "conf");
  mkdirSync(conf);
  const sls = `before:
  module.run:
    - name: grains.get
    - key: deployed
    - default: none
write:
  cmd.run:
    - name: "echo 'deployed: fresh' > ${conf}/grains"
    - reload_grains: true
after:
  module.run:
    - name: grains.get
    - key: deployed
    - default: none
`;
  const { minion } = await bed({ "a.sls": sls }, { opts: { conf_file: `${conf}/minion` } });
  const { return: value } = await minion.run("state.apply", ["a"]);
  const told = entriesOf(value as Map<unknown, unknown>).map(([, entry]) =>
    lookup(lookup(entry as Map<unknown, unknown>, "changes") as Map<unknown, unknown>, "ret")
  );
  assert.deepEqual([told[0], told[2]], ["none", "fresh"]);
});
