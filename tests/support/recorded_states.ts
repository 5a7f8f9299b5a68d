/** State functions on a host whose execution functions answer as a case says, compared with what real Salt's did there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from "../../src/model/loader/family.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import type { StateContext, StateModule } from "../../src/model/loader/states.ts";
import { createLogger } from "../../src/base/log.ts";
import { truthy } from "../../src/language/python/values.ts";
import { isRecord } from "../../src/base/record.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { FakeClock } from "./fake_clock.ts";

type Json = Record<string, unknown>;

/** One call; see `tests/vectors/states/record.py`. */
interface Case {
  id: string;
  fun: string;
  kwargs?: Json;
  test?: boolean;
  opts?: Json;
  grains?: Json;
  salt?: Record<string, unknown[] | null>;
  signatures?: Record<string, string>;
  systemd?: boolean;
  /** The programs that are there. */
  programs?: string[];
  /** What the return has instead, on purpose. */
  differs?: Json;
}

interface Cases {
  acts: string[];
  salt?: Record<string, unknown[] | null>;
  signatures?: Record<string, string>;
  cases: Case[];
}

interface Recorded {
  id: string;
  return?: Json;
  raised?: string;
  calls: unknown[];
}

// What an execution module of Salt's throws as the last one is here an argument that makes no sense.
const ERRORS = {
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
  AttributeError: SaltInvocationError,
};

function answerOf(value: unknown): unknown {
  if (!isRecord(value) || !("$error" in value)) return structuredClone(value);
  const message = String(value.message);
  const kind = ERRORS[value.$error as keyof typeof ERRORS];
  throw kind === CommandExecutionError ? new kind(message, { info: value.info }) : new kind(message);
}

/** Arguments without the prototype and the holes that binding leaves. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

export interface FakeStateHost {
  context: StateContext;
  calls: [fun: string, args: unknown][];
}

/** A host for state functions; `answers` are its execution functions. */
export async function fakeStateHost(
  one: Pick<Case, "test" | "opts" | "grains" | "systemd" | "programs"> & { saltenv?: string },
  answers: Record<string, unknown[] | null>,
  signatures: Record<string, string> = {},
  more: Partial<StateContext> = {},
): Promise<FakeStateHost> {
  const clock = Object.assign(new FakeClock(), { sleep: () => Promise.resolve() });
  const runtime = memoryRuntime({ clock, crypto: (await currentRuntime()).crypto });
  if (one.systemd !== false) runtime.fs.mkdir("/run/systemd/system", 0o755);
  for (const name of one.programs ?? []) {
    runtime.fs.mkdir("/usr/sbin", 0o755);
    runtime.fs.write(`/usr/sbin/${name}`, "", { mode: 0o755 });
  }
  const calls: FakeStateHost["calls"] = [];
  const left = new Map(Object.entries(answers).filter(([, list]) => list !== null).map(([k, v]) => [k, [...v!]]));
  const signatureOf = (name: string) => parseSignature(signatures[name] ?? "*args, **kwargs");
  const context = {
    runtime,
    log: createLogger(() => {}, "all"),
    opts: { test: one.test ?? false, cachedir: "/var/cache/salt/minion", ...one.opts },
    grains: { kernel: "Linux", os: "Debian", os_family: "Debian", ...one.grains },
    pillar: {},
    test: one.test ?? false,
    saltenv: one.saltenv ?? "base",
    low: {},
    lowstate: [],
    running: new Map(),
    shared: new Map(),
    signal: new AbortController().signal,
    functions: {
      find: (name: string) =>
        Promise.resolve(
          left.has(name)
            ? { name, signature: signatureOf(name), function: { doc: "" } }
            : { message: `'${name}' is not available.` },
        ),
    },
    call: (name: string, positional: unknown[] = [], keyword: Json = {}) =>
      Promise.resolve().then(() => {
        const flag = Object.keys(keyword).find((key) => truthy(keyword[key]) && left.has(`${name}?${key}`));
        const list = left.get(`${name}?=${String(positional[0])}`) ??
          left.get(flag === undefined ? name : `${name}?${flag}`);
        if (list === undefined) throw new Error(`'${name}' is not available.`);
        const bound = bindArguments(name, signatureOf(name), positional, new Map(Object.entries(keyword)));
        calls.push([name, plain(bound)]);
        return answerOf(list.length > 1 ? list.shift() : list[0]);
      }),
    ...more,
  } as unknown as StateContext;
  return { context, calls };
}

/** Calls a state function with its arguments by name, as the runner does. */
export async function callState(states: StateModule, context: StateContext, fun: string, keyword: Json) {
  const found = states.functions[fun]!;
  const bound = bindArguments(fun, parseSignature(found.signature), [], new Map(Object.entries(keyword)));
  return await found.run(context, bound);
}

/**
 * One test for each case of `<name>.cases.json`, whose outcome in real Salt stands in `<name>.json`.
 *
 * @param recordedText makes of the text of what was done the recorded one, where something in it is drawn by lot
 */
export async function replayStates(
  name: string,
  modules: Record<string, StateModule>,
  recordedText: (json: string) => string = (json) => json,
): Promise<void> {
  const drawn = (value: unknown): unknown => JSON.parse(recordedText(JSON.stringify(value)));
  const { fs } = await currentRuntime();
  const read = (file: string) =>
    JSON.parse(fs.readText(new URL(`../vectors/states/${file}`, import.meta.url).pathname));
  const { acts, salt = {}, signatures = {}, cases } = read(`${name}.cases.json`) as Cases;
  const recorded = new Map((read(`${name}.json`) as Recorded[]).map((one) => [one.id, one]));
  for (const one of cases) {
    test(`${one.fun}: ${one.id}`, async () => {
      const want = recorded.get(one.id);
      assert.ok(want !== undefined, `${one.id} is not recorded`);
      const host = await fakeStateHost(one, { ...salt, ...one.salt }, { ...signatures, ...one.signatures });
      const [module = "", fun = ""] = one.fun.split(".");
      const run = async () => await callState(modules[module]!, host.context, fun, structuredClone(one.kwargs ?? {}));
      if (want.raised !== undefined) await assert.rejects(run);
      else assert.deepEqual(drawn(await run()), { ...want.return, ...one.differs });
      assert.deepEqual(drawn(host.calls.filter(([called]) => acts.includes(called))), want.calls);
    });
  }
}
