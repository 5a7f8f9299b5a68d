import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { outcome, type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, isMap, lookup, repr, str, toFloat } from "../../../language/python/values.ts";
import { compileGlob } from "../../../language/python/glob.ts";

/** The values of an event's field, which may stand in the data of an event within the event. */
function valuesOf(data: unknown, name: string): unknown[] {
  const own = isMap(data) ? lookup(data, name) : undefined;
  const inner = isMap(data) ? lookup(data, "data") : undefined;
  const value = own ?? (isMap(inner) ? lookup(inner, name) : undefined) ?? null;
  return value === null ? [] : Array.isArray(value) ? value : [value];
}

async function run(context: StateContext, args: Args): Promise<StateReturn> {
  const { name } = args;
  if (!Array.isArray(args.id_list)) throw new SaltInvocationError(`id_list must be a list, not ${repr(args.id_list)}`);
  const seconds = Number(args.timeout);
  if (!(seconds >= 0)) throw new SaltInvocationError(`timeout must be a number of seconds, not ${repr(args.timeout)}`);
  if (context.test) return outcome(name, null, `Orchestration would wait for event '${str(name)}'`);
  if (context.hostMaster === undefined) {
    throw new CommandExecutionError("Only the host of a master has events to wait for");
  }
  const { clock } = context.runtime;
  const startedMs = clock.now();
  const waiting = [...args.id_list];
  const seen: unknown[] = [];
  const changes = () => seen.length === 0 ? {} : { minions_seen: seen };
  const end = new AbortController();
  const cancel = clock.after(seconds * 1000, () => end.abort());
  const isWanted = compileGlob(str(name));
  try {
    const signal = AbortSignal.any([end.signal, context.signal]);
    const node = args.node === "minion" ? "minion" as const : "master" as const;
    for await (const { data } of context.hostMaster.events({ node, sockDir: undefined }, isWanted, signal)) {
      const values = valuesOf(data, str(args.event_id));
      for (const id of waiting.filter((id) => values.includes(id))) {
        waiting.splice(waiting.indexOf(id), 1);
        seen.push(id);
      }
      if (waiting.length > 0) continue;
      const took = repr(toFloat((clock.now() - startedMs) / 1000));
      return outcome(name, true, `All events seen in ${took} seconds.`, changes());
    }
  } finally {
    cancel();
  }
  return outcome(name, false, "Timeout value reached.", changes());
}

/** `salt.wait_for_event`; the name is a glob of tags. */
export const waitForEvent = stateFunction({
  signature: "name, id_list, event_id='id', timeout=300, node='master'",
  doc: "Waits until an event has come of each of these ids.\n\n" +
    "    salt/minion/*/start:\n      salt.wait_for_event:\n        - id_list:\n          - web1\n          - web2\n\n" +
    "event_id: the field of the event that holds the id. timeout: seconds.",
  run,
});
