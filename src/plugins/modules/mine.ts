import { entriesOf, fieldsOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { ownKeywords } from "../keywords.ts";

/** Marks a value that carries who may read it beside its data. @see salt/utils/mine.py */
const ACL_MARKER = "__saltmine_acl__";
const ACL_VERSION = 1;

type Values = Record<string, unknown>;

interface MineFunction {
  /** What is called, when it is not the name of the entry. */
  name: string | undefined;
  positional: unknown[];
  keyword: Values;
  allowTgt: unknown;
  allowTgtType: unknown;
}

/** A map of keyword arguments, or a list of positional ones with maps among them. */
function parseDefinition(definition: unknown): MineFunction {
  const keyword: Values = {};
  const positional: unknown[] = [];
  for (const item of isMap(definition) ? [definition] : Array.isArray(definition) ? definition : []) {
    if (isMap(item)) Object.assign(keyword, fieldsOf(item));
    else positional.push(item);
  }
  const { mine_function, allow_tgt, allow_tgt_type, ...rest } = keyword;
  return {
    name: truthy(mine_function) ? str(mine_function) : undefined,
    positional,
    keyword: rest,
    allowTgt: allow_tgt,
    allowTgtType: allow_tgt_type,
  };
}

function withAcl(value: unknown, allowTgt: unknown, allowTgtType: unknown): unknown {
  if (!truthy(allowTgt)) return value;
  const type = truthy(allowTgtType) ? { allow_tgt_type: allowTgtType } : {};
  return { __data__: value, [ACL_MARKER]: ACL_VERSION, allow_tgt: allowTgt, ...type };
}

/** True if the values stay on this host: there is no master to keep them. */
const isLocal = (context: JobContext) => context.opts.file_client === "local" || context.master === undefined;

/** What a minion without a master has sent, as Salt's `data` module keeps it. */
async function localMine(context: JobContext): Promise<Values> {
  return fieldsOf(await context.call("data.get", ["mine_cache"]));
}

async function store(context: JobContext, data: Values, clear: boolean): Promise<boolean> {
  if (isLocal(context)) {
    const before = clear ? {} : await localMine(context);
    return truthy(await context.call("data.update", ["mine_cache", { ...before, ...data }]));
  }
  await context.master!.request({ cmd: "_mine", data, id: context.opts.id, clear });
  return true;
}

/** The functions whose values go into the mine, from the minion's configuration and its pillar. */
async function configured(context: JobContext): Promise<Values> {
  return fieldsOf(await context.call("config.merge", ["mine_functions", {}]));
}

/** Functions asked for, and whether the answer is a map by function. */
function functionsOf(fun: unknown): { functions: string[]; several: boolean } {
  const functions = (Array.isArray(fun) ? fun.map(str) : str(fun).split(",")).map((name) => name.trim());
  return { functions, several: Array.isArray(fun) || functions.length > 1 };
}

async function getLocal(context: JobContext, tgt: unknown, fun: unknown, tgt_type: unknown): Promise<Values> {
  if (!truthy(await context.call(`match.${str(tgt_type)}`, [tgt]))) return {};
  const mine = await localMine(context);
  const id = str(context.opts.id);
  const { functions, several } = functionsOf(fun);
  const found: Values = {};
  for (const name of functions) {
    if (!Object.hasOwn(mine, name)) continue;
    const entry = mine[name];
    const value = isMap(entry) && lookup(entry, ACL_MARKER) !== undefined ? lookup(entry, "__data__") : entry;
    if (several) found[name] = { [id]: value };
    else found[id] = value;
  }
  return found;
}

/** Values that minions keep at their master for each other. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "send(name: str, *args, **kwargs)": {
      doc: "Calls a function and sends its value to the mine under that name. True on success.\n\n" +
        "    salt '*' mine.send web_addrs mine_function=network.ip_addrs interface=eth0\n\n" +
        "mine_function: what is called, if it is not the name. allow_tgt, allow_tgt_type: the minions that may read it",
      async run(context, { name, args, kwargs }) {
        const { mine_function, allow_tgt, allow_tgt_type, ...rest } = kwargs;
        const keyword = ownKeywords(rest);
        const fun = truthy(mine_function) ? str(mine_function) : name;
        let value: unknown;
        try {
          value = await context.call(fun, args, keyword) ?? null;
        } catch (error) {
          context.log.error("a function of the mine failed", { name: fun, error: messageOf(error) });
          return false;
        }
        return await store(context, { [name]: withAcl(value, allow_tgt, allow_tgt_type) }, false);
      },
    },
    "update(clear: bool=False, mine_functions=None)": {
      doc: "Calls the functions of `mine_functions` and sends their values to the mine.\n\n" +
        "    salt '*' mine.update\n\n" +
        "clear: forget what is there before. mine_functions: these instead of the configured ones",
      async run(context, { clear, mine_functions: given }): Promise<boolean | null> {
        const wanted = Array.isArray(given)
          ? Object.fromEntries(given.map((name) => [str(name), {}]))
          : isMap(given) && truthy(given)
          ? fieldsOf(given)
          : truthy(given)
          ? {}
          : await configured(context);
        if (Object.keys(wanted).length === 0) return null;
        const data: Values = {};
        for (const [alias, definition] of Object.entries(wanted)) {
          const { name = alias, positional, keyword, allowTgt, allowTgtType } = parseDefinition(definition);
          try {
            data[alias] = withAcl(await context.call(name, positional, keyword) ?? null, allowTgt, allowTgtType);
          } catch (error) {
            // The others are of use all the same.
            context.log.error("a function of the mine failed", { name, error: messageOf(error) });
          }
        }
        return await store(context, data, clear);
      },
    },
    "get(tgt, fun, tgt_type='glob', exclude_minion: bool=False)": {
      doc: "The mine's values under one or several names: minion → value.\n\n" +
        "    salt '*' mine.get 'web*' network.ip_addrs",
      async run(context, { tgt, fun, tgt_type, exclude_minion }) {
        if (isLocal(context)) return await getLocal(context, tgt, fun, tgt_type);
        const id = str(context.opts.id);
        const found = await context.master!.request({ cmd: "_mine_get", id, tgt, fun, tgt_type });
        if (!exclude_minion || !isMap(found)) return found;
        return new Map(entriesOf(found).filter(([minion]) => minion !== id));
      },
    },
    "delete(fun)": {
      doc: "Deletes one value of this minion from the mine.\n\n    salt '*' mine.delete network.ip_addrs",
      async run(context, { fun }) {
        if (isLocal(context)) {
          const { [str(fun)]: _gone, ...rest } = await localMine(context);
          return truthy(await context.call("data.update", ["mine_cache", rest]));
        }
        await context.master!.request({ cmd: "_mine_delete", id: context.opts.id, fun });
        return true;
      },
    },
    "flush()": {
      doc: "Deletes all values of this minion from the mine.\n\n    salt '*' mine.flush",
      async run(context) {
        if (isLocal(context)) return truthy(await context.call("data.update", ["mine_cache", {}]));
        await context.master!.request({ cmd: "_mine_flush", id: context.opts.id });
        return true;
      },
    },
    "valid()": {
      doc: "The functions that this minion sends to the mine periodically, with their arguments.\n\n" +
        "    salt '*' mine.valid",
      async run(context) {
        const wanted = await configured(context);
        if (Object.keys(wanted).length === 0) return null;
        const found: Values = {};
        for (const [alias, definition] of Object.entries(wanted)) {
          const { name, positional, keyword } = parseDefinition(definition);
          if ("message" in await context.functions.find(name ?? alias)) {
            context.log.error("a function of the mine is not available", { name: name ?? alias });
            continue;
          }
          const args = [...positional, ...Object.entries(keyword).map(([key, value]) => ({ [key]: value }))];
          found[alias] = name === undefined ? definition : { [name]: args };
        }
        return found;
      },
    },
    "get_docker(interfaces=None, cidrs=None, with_container_id=False)": {
      doc: "Addresses of containers from the mine: empty unless a minion has sent docker.ps.",
      async run(context) {
        // Minions of real Salt can have sent it, in a form that ours never send.
        const hosts = await context.call("mine.get", ["*", "docker.ps"]);
        if (!truthy(hosts)) return {};
        throw new CommandExecutionError("There is no docker module here that could read docker.ps of the mine");
      },
    },
  }),
};
