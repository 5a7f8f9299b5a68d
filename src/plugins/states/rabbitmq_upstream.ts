import { type Args, entriesOf, equal, isMap, lookup, mapOf, str, truthy } from "../../language/python/values.ts";
import { dictGet, MISSING } from "../../language/python/dict.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { fail, outcome, stateFunction } from "../../model/loader/states.ts";
import { programPath } from "../commands.ts";
import { upstreamParameters } from "../modules/rabbitmq.ts";
import { rabbitFailure, refused } from "./rabbitmq.ts";

/** What differs between two sets of parameters; undefined if nothing does. */
function difference(now: unknown, wanted: Record<string, unknown>): Record<string, unknown> | undefined {
  const current = new Map(isMap(now) ? entriesOf(now) : []);
  const given = new Map<unknown, unknown>(Object.entries(wanted));
  const differs = (a: Map<unknown, unknown>, b: Map<unknown, unknown>) =>
    [...a].filter(([key, value]) => {
      const other = dictGet(b, key);
      return other === MISSING || !equal(value, other);
    });
  const [old, added] = [differs(current, given), differs(given, current)];
  if (old.length === 0 && added.length === 0) return undefined;
  return { ...(old.length > 0 ? { old: mapOf(old) } : {}), ...(added.length > 0 ? { new: mapOf(added) } : {}) };
}

async function present(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, uri, ...given } = args;
  const shown = `Upstream "${str(name)}"`;
  const current = await context.call("rabbitmq.list_upstreams", [], { runas: args.runas }).catch(refused);
  const wanted = upstreamParameters(args);
  const known = isMap(current) ? lookup(current, str(name)) : undefined;
  const changes = known === undefined ? { old: null, new: wanted } : difference(parseOrderedJson(str(known)), wanted);
  if (changes === undefined) return outcome(name, true, `${shown} already present as specified.`);
  const action = known === undefined ? "create" : "update";
  if (context.test) return outcome(name, null, `${shown} would have been ${action}d.`);
  const result = await context.call("rabbitmq.set_upstream", [name, uri], given).catch((error) =>
    fail(rabbitFailure(error).replace(/^Error:/, () => `Error trying to ${action} upstream:`))
  );
  return outcome(name, truthy(result), `${shown} ${action}d.`, changes);
}

/** Upstreams of RabbitMQ's federation. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "rabbitmqctl") !== undefined || { unavailable: "rabbitmq module could not be loaded" },
  functions: {
    present: stateFunction({
      signature: `name, uri, prefetch_count=None, reconnect_delay=None, ack_mode=None, trust_user_id=None,
        exchange=None, max_hops=None, expires=None, message_ttl=None, ha_policy=None, queue=None, runas=None`,
      doc: "There is the upstream, with these parameters.",
      run: present,
    }),
    absent: stateFunction({
      signature: "name, runas=None",
      doc: "There is no such upstream.",
      async run(context, { name, runas }) {
        const shown = `pstream "${str(name)}"`;
        if (!truthy(await context.call("rabbitmq.upstream_exists", [name], { runas }).catch(refused))) {
          return outcome(name, true, `The u${shown} is already absent.`);
        }
        if (context.test) return outcome(name, null, `U${shown} would have been deleted.`);
        if (!truthy(await context.call("rabbitmq.delete_upstream", [name], { runas }).catch(refused))) fail("");
        return outcome(name, true, `U${shown} has been deleted.`, { old: name, new: null });
      },
    }),
  },
};
