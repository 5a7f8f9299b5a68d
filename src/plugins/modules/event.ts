import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions, InvalidArgumentsError } from "../../model/loader/family.ts";
import { hasOwnPillar } from "../../model/loader/pillar_link.ts";
import { entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";

function mapOfData(data: unknown): Record<string, unknown> {
  if (data === null || data === undefined) return {};
  if (!isMap(data)) throw new InvalidArgumentsError(`The data of an event must be a map, not ${repr(data)}`);
  return Object.fromEntries(entriesOf(data).map(([key, value]) => [str(key), value]));
}

/** @param preload further fields of the request */
async function toMaster(
  context: JobContext,
  tag: string,
  data: unknown,
  preload: unknown,
): Promise<boolean> {
  const { master, opts, log } = context;
  if (master === undefined || hasOwnPillar(opts)) {
    log.warning("event not sent: there is no master", { tag });
    return false;
  }
  if (!isMap(preload) && isMap(data)) return await master.fireEvent(tag, mapOfData(data));
  try {
    const more = isMap(preload) ? mapOfData(preload) : { pretag: null };
    await master.request({ cmd: "_minion_event", id: opts.id, tag, data, ...more });
    return true;
  } catch (error) {
    log.warning("event not sent", { tag, error: messageOf(error) });
    return false;
  }
}

function toMinion({ master }: JobContext, tag: string, data: Record<string, unknown>): boolean {
  master?.fireLocal(tag, data);
  return master !== undefined;
}

/** All of some values, or those of them that a list names. */
function part(wanted: unknown, values: Record<string, unknown>): Record<string, unknown> | undefined {
  if (Array.isArray(wanted)) {
    const names = new Set(wanted.map(str));
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  }
  return truthy(wanted) ? values : undefined;
}

/** Events on the bus of the master and of the minion. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    send: executionFunction({
      inline: true,
      signature: `tag: str, data=None, preload=None, with_env=False, with_grains=False, with_pillar=False,
        with_env_opts: bool=False, **kwargs`,
      doc:
        "Sends an event to the master: its data are the map and the keyword arguments, and what of the environment, " +
        "the grains and the pillar is asked for, all of it or a list of names. A minion without a master fires it on its own bus.\n\n" +
        "    salt-call event.send myco/build/done '{ok: true}' with_grains='[os]'",
      async run(context, { tag, data, preload, with_env, with_grains, with_pillar, with_env_opts, kwargs }) {
        const environ = part(with_env, context.runtime.process.environment());
        const grains = part(with_grains, context.grains);
        const pillar = part(with_pillar, context.pillar);
        const { saltenv = "base", pillarenv = null } = context.opts;
        const whole = {
          ...(environ === undefined ? {} : { environ }),
          ...(grains === undefined ? {} : { grains }),
          ...(pillar === undefined ? {} : { pillar }),
          ...(with_env_opts ? { saltenv, pillarenv } : {}),
          ...kwargs,
          ...(isMap(data) ? mapOfData(data) : {}),
        };
        const { opts } = context;
        const staysHere = hasOwnPillar(opts) || opts.master_type === "disable" && !truthy(opts.use_master_when_local);
        return staysHere ? toMinion(context, tag, whole) : await toMaster(context, tag, whole, preload);
      },
    }),
    "fire(data, tag: str)": {
      inline: true,
      doc: "Fires an event on the bus of the minion.\n\n    salt '*' event.fire '{data: hello}' my/tag",
      // As in Salt, an event without a map is none.
      run: (context, { data, tag }) => (data === null || isMap(data)) && toMinion(context, tag, mapOfData(data)),
    },
    "fire_master(data, tag: str, preload=None)": {
      inline: true,
      doc: "Fires an event on the bus of the master.\n\n    salt '*' event.fire_master '{data: hello}' my/tag",
      run: async (context, { data, tag, preload }) => await toMaster(context, tag, data ?? {}, preload),
    },
  }),
};
