/** `salt.runner`, `salt.wheel` and `salt.parallel_runners`: functions of the master's host as states. */
import { outcome, type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import type { AnyMap, Args } from "../../../language/python/values.ts";
import { entriesOf, isMap, lookup, repr, sizeOf, str, truthy } from "../../../language/python/values.ts";
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { nested } from "../../outputters/nested.ts";
import { orchestrationOf } from "./targets.ts";

/** What the functions of `saltutil` are told of the orchestration. */
function ofOrchestration(context: StateContext): Record<string, unknown> {
  return { __orchestration_jid__: orchestrationOf(context) ?? null, __env__: context.saltenv };
}

function resultOf(name: unknown, kind: "Runner" | "Wheel", out: unknown): StateReturn {
  const field = (key: string) => isMap(out) ? lookup(out, key) : undefined;
  const returned = field("return") ?? null;
  const isError = isMap(returned) && lookup(returned, "Error") !== undefined;
  const result = !isError && truthy(field("success") ?? true);
  const jid = field("jid");
  return {
    ...outcome(name, result, `${kind} function '${str(name)}' ${result ? "executed" : "failed"}.`, {
      return: returned,
    }),
    ...(jid === undefined ? {} : { __jid__: jid }),
  };
}

async function runRunner(context: StateContext, { name, kwargs }: Args): Promise<StateReturn> {
  if (context.test) return outcome(name, null, `Runner function '${str(name)}' would be executed.`);
  const user = typeof context.opts.user === "string" ? { __pub_user: context.opts.user } : {};
  const keywords = { ...kwargs as Record<string, unknown>, ...user, ...ofOrchestration(context), full_return: true };
  return resultOf(name, "Runner", await context.call("saltutil.runner", [name], keywords));
}

async function runWheel(context: StateContext, { name, kwargs }: Args): Promise<StateReturn> {
  if (context.test) return outcome(name, null, `Wheel function '${str(name)}' would be executed.`);
  const keywords = { ...kwargs as Record<string, unknown>, ...ofOrchestration(context) };
  return resultOf(name, "Wheel", await context.call("saltutil.wheel", [name], keywords));
}

function repacked(config: unknown): Map<string, unknown> {
  const maps = Array.isArray(config) ? config.filter(isMap) : isMap(config) ? [config] : [];
  return new Map(maps.flatMap((map) => entriesOf(map)).map(([key, value]) => [str(key), value]));
}

/** Runners by the names that the state gives them. */
function runnersOf(name: unknown, runners: unknown): [id: string, fun: string, kwarg: Record<string, unknown>][] {
  const map = typeof runners === "string" ? new Map([[runners, null]]) : runners as AnyMap;
  return entriesOf(map).map(([id, given]) => {
    const config = repacked(given);
    const kwarg = config.get("kwarg");
    const keywords = isMap(kwarg) ? entriesOf(kwarg).map(([key, value]) => [str(key), value] as const) : [];
    return [str(id), str(config.get("name") ?? id ?? name), Object.fromEntries(keywords)];
  });
}

/** The changes in what runners returned that the outputter `highstate` shows. */
function changesIn(value: unknown): unknown {
  if (!isMap(value)) return {};
  const changes = lookup(value, "changes");
  if (changes !== undefined) {
    const ret = isMap(changes) && lookup(changes, "out") === "highstate" ? lookup(changes, "ret") : undefined;
    return ret ?? changes;
  }
  return Object.fromEntries(
    entriesOf(value).map(([key, entry]) => [str(key), changesIn(entry)] as const).filter(([, found]) => truthy(found)),
  );
}

interface RunnerEnd {
  id: string;
  returned: unknown;
  success: boolean;
}

const fieldOf = ({ returned }: RunnerEnd, name: string): unknown =>
  isMap(returned) ? lookup(returned, name) : undefined;
const isHighstate = (end: RunnerEnd) => fieldOf(end, "outputter") === "highstate" && fieldOf(end, "data") !== undefined;

/** The code with which a runner's return says that it failed. Older orchestrations have it beside their minions. */
function codeOf(end: RunnerEnd): unknown {
  const data = fieldOf(end, "data");
  return fieldOf(end, "retcode") ?? (isMap(data) ? lookup(data, "retcode") : undefined) ?? 0;
}

function highstates(name: unknown, ends: readonly RunnerEnd[]): StateReturn {
  const failed = ends.filter((end) => truthy(codeOf(end)));
  const comment = failed.map(({ id, returned }) =>
    `Runner ${id} failed with return value:\n${nested(returned, { nested_indent: 2 }, {})}`
  ).join("\n");
  const changes = ends.map((end) => [end.id, changesIn(fieldOf(end, "data"))] as const).filter(([, found]) =>
    truthy(found)
  );
  return outcome(name, failed.length === 0, comment || ALL_EXECUTED, Object.fromEntries(changes));
}

const ALL_EXECUTED = "All runner functions executed successfully.";

function plainRunners(name: unknown, ends: readonly RunnerEnd[]): StateReturn {
  const failed = ends.filter((end) => truthy(fieldOf(end, "exit_code") ?? !end.success)).map(({ id }) => id);
  const comment = failed.length === 0
    ? ALL_EXECUTED
    : failed.length === 1
    ? `Runner ${failed[0]} failed.`
    : `Runners ${failed.join(", ")} failed.`;
  const ret = Object.fromEntries(ends.map(({ id, returned }) => [id, returned]));
  return outcome(name, failed.length === 0, comment, { ret });
}

async function runInParallel(context: StateContext, { name, runners }: Args): Promise<StateReturn> {
  if (typeof runners !== "string" && !(isMap(runners) && sizeOf(runners) >= 0)) {
    return outcome(name, false, "The runners parameter must be a string or dict.");
  }
  const keywords = { ...ofOrchestration(context), full_return: true };
  try {
    const ends = await Promise.all(
      runnersOf(name, runners).map(async ([id, fun, kwarg]): Promise<RunnerEnd> => {
        const out = await context.call("saltutil.runner", [fun], { ...kwarg, ...keywords });
        if (!isMap(out)) throw new CommandExecutionError(`${fun} gave ${repr(out)} instead of its return`);
        return { id, returned: lookup(out, "return") ?? null, success: truthy(lookup(out, "success") ?? true) };
      }),
    );
    return ends.every(isHighstate) ? highstates(name, ends) : plainRunners(name, ends);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return { ...outcome(name, false, `One of the runners raised an exception: ${messageOf(error)}`), success: false };
  }
}

export const saltRunner = stateFunction({
  signature: "name, **kwargs",
  doc:
    "Runs a runner of the master on this host; the name is that of the runner, and further arguments are its own.\n\n" +
    "    cache.clear_all:\n      salt.runner:\n        - tgt: 'web1'",
  run: runRunner,
});

export const saltWheel = stateFunction({
  signature: "name, **kwargs",
  doc:
    "Has the master on this host run a wheel function; the name is that of the function, and further arguments are its own.\n\n" +
    "    key.accept:\n      salt.wheel:\n        - match: web1",
  run: runWheel,
});

export const parallelRunners = stateFunction({
  signature: "name, runners, **kwargs",
  doc: "Runs several runners at once.\n\n" +
    "    both:\n      salt.parallel_runners:\n        - runners:\n            one:\n              - name: state.orchestrate\n" +
    "              - kwarg:\n                  mods: orch.one\n            two:\n              - name: state.orchestrate\n" +
    "              - kwarg:\n                  mods: orch.two",
  run: runInParallel,
});
