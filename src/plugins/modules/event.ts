import type { JobContext } from "../../loader/context.ts";
import { type ExecutionModule, InvalidArgumentsError } from "../../loader/family.ts";
import { entriesOf, isMap } from "../../python/containers.ts";
import { repr, str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";

function mapOfData(data: unknown): Record<string, unknown> {
  if (data === null || data === undefined) return {};
  if (!isMap(data)) throw new InvalidArgumentsError(`The data of an event must be a map, not ${repr(data)}`);
  return Object.fromEntries(entriesOf(data).map(([key, value]) => [str(key), value]));
}

async function toMaster(context: JobContext, tag: string, data: Record<string, unknown>): Promise<boolean> {
  if (context.master === undefined) {
    context.log.warning("event not sent: there is no master", { tag });
    return false;
  }
  return await context.master.fireEvent(tag, data);
}

/** All of some values, or those that a list names. */
function part(wanted: unknown, values: Record<string, unknown>): Record<string, unknown> | undefined {
  if (Array.isArray(wanted)) {
    return Object.fromEntries(wanted.map(str).map((name) => [name, Object.hasOwn(values, name) ? values[name] : ""]));
  }
  return truthy(wanted) ? values : undefined;
}

/** Events on the bus of the master and of the minion. */
export const module: ExecutionModule = {
  functions: {
    send: {
      inline: true,
      signature: "tag, data=None, preload=None, with_env=False, with_grains=False, with_pillar=False, " +
        "with_env_opts=False, **kwargs",
      doc:
        "Sends an event to the master: its data are the map and the keyword arguments, and what of the environment, " +
        "the grains and the pillar is asked for, all of it or a list of names.\n\n" +
        "    salt-call event.send myco/build/done '{ok: true}' with_grains='[os]'",
      async run(context, { tag, data, with_env, with_grains, with_pillar, with_env_opts, kwargs }) {
        const environ = part(with_env, context.runtime.process.environment());
        const grains = part(with_grains, context.grains);
        const pillar = part(with_pillar, context.pillar);
        const { saltenv = "base", pillarenv = null } = context.opts;
        return await toMaster(context, str(tag), {
          ...(environ === undefined ? {} : { environ }),
          ...(grains === undefined ? {} : { grains }),
          ...(pillar === undefined ? {} : { pillar }),
          ...(truthy(with_env_opts) ? { saltenv: saltenv ?? "base", pillarenv } : {}),
          ...kwargs,
          ...mapOfData(data),
        });
      },
    },
    fire: {
      inline: true,
      signature: "data, tag",
      doc: "Fires an event on the bus of the minion.\n\n    salt '*' event.fire '{data: hello}' my/tag",
      run(context, { data, tag }) {
        const fields = mapOfData(data);
        if (context.master === undefined) return false;
        context.master.fireLocal(str(tag), fields);
        return true;
      },
    },
    fire_master: {
      inline: true,
      signature: "data, tag, preload=None",
      doc: "Fires an event on the bus of the master.\n\n    salt '*' event.fire_master '{data: hello}' my/tag",
      run: async (context, { data, tag }) => await toMaster(context, str(tag), mapOfData(data)),
    },
  },
};
