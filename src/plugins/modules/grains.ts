import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { type AnyMap, entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { clearGrainsCache } from "../grains_cache.ts";
import { FILTER_BY, filterBy } from "../filter_by.ts";
import { readStaticGrains, writeStaticGrains } from "../static_grains.ts";
import { traverse, traverseOr } from "../../language/python/traverse.ts";

/** What says who a minion is, and what stands for it in a report for others. */
const SANITIZERS: Record<string, (value: string) => string> = {
  serialnumber: (value) => value.slice(0, Math.floor(value.length * 0.75)).padEnd(value.length, "X"),
  domain: () => "DOMAINNAME",
  fqdn: () => "MINION.DOMAINNAME",
  id: () => "MINION",
  host: () => "MINION",
  localhost: () => "MINION",
  nodename: () => "MINION",
};

const isComplex = (value: unknown) => Array.isArray(value) || isMap(value);
const same = (a: unknown, b: unknown) => repr(a) === repr(b);

/** A copy that can be changed without changing the grains in use. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isMap(value)) return value;
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [str(key), copy(item)]));
}

/** Stores grains in the file beside the configuration and in the running minion; undefined removes one. */
async function store(context: JobContext, changes: Record<string, unknown>): Promise<void> {
  let kept: Record<string, unknown>;
  try {
    kept = await readStaticGrains(context);
  } catch (error) {
    throw new CommandExecutionError(`Unable to read existing grains file: ${messageOf(error)}`, { cause: error });
  }
  const next = new Map(Object.entries(kept));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(key);
    else next.set(key, value);
  }
  try {
    await writeStaticGrains(context, Object.fromEntries(next));
  } catch (error) {
    throw new CommandExecutionError(`Unable to write to grains file: ${messageOf(error)}`, { cause: error });
  }
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete context.grains[key];
    else Object.defineProperty(context.grains, key, { value, enumerable: true, writable: true, configurable: true });
  }
  clearGrainsCache(context);
}

async function setValues(
  context: JobContext,
  values: AnyMap,
  options: { destructive: unknown; refreshPillar: unknown },
): Promise<Record<string, unknown>> {
  const entries = entriesOf(values).map(([key, value]): [string, unknown] => [str(key), value]);
  const gone = (value: unknown) => value === null && truthy(options.destructive);
  await store(context, Object.fromEntries(entries.map(([key, value]) => [key, gone(value) ? undefined : value])));
  // Either event makes the minion refresh its grains.
  if (truthy(options.refreshPillar)) context.master?.fireLocal("pillar_refresh", { clean_cache: true });
  else context.master?.fireLocal("module_refresh", { notify: false });
  return Object.fromEntries(entries);
}

interface Change {
  comment: string;
  changes: Record<string, unknown>;
  result: boolean;
}

const refusal = (comment: string): Change => ({ comment, changes: {}, result: false });

interface SetOptions {
  force: boolean;
  destructive: boolean;
  delimiter: string;
}

/** Puts a value under the last key of a path into a container; undefined if what is there cannot hold it. */
function putInto(container: unknown, key: string, value: unknown, options: SetOptions): unknown {
  if (isMap(container)) {
    const entries = entriesOf(container).filter(([name]) => name !== key);
    if (!(value === null && options.destructive)) entries.push([key, value]);
    return Object.fromEntries(entries);
  }
  if (Array.isArray(container)) {
    let found = false;
    const items = container.map((item: unknown) => {
      if (item !== key && !isMap(item)) return item;
      found = true;
      return isMap(item) ? Object.fromEntries([...entriesOf(item), [key, value]]) : { [key]: value };
    });
    return found ? items : [...items, { [key]: value }];
  }
  return container === key || options.force ? { [key]: value } : undefined;
}

async function set(context: JobContext, path: string, value: unknown, options: SetOptions): Promise<Change> {
  const before = traverse(context.grains, path, options.delimiter);
  if (before !== undefined && same(before, value) && !(value === null && options.destructive)) {
    return { comment: "Grain is already set", changes: {}, result: true };
  }
  if (before !== undefined && before !== null && !options.force) {
    if (isComplex(before)) {
      return refusal(`The key '${path}' exists but is a dict or a list. Use 'force=True' to overwrite.`);
    }
    if (isComplex(value)) {
      return refusal(
        `The key '${path}' exists and the given value is a dict or a list. Use 'force=True' to overwrite.`,
      );
    }
  }
  const keys = path.split(options.delimiter);
  let whole = value;
  while (keys.length > 1) {
    const last = keys.pop()!;
    const parent = keys.join(options.delimiter);
    const container = copy(traverse(context.grains, parent, options.delimiter) ?? {});
    whole = putInto(container, last, whole, options);
    if (whole === undefined) {
      return refusal(
        `The key '${parent}' value is '${str(container)}', which is different from the provided key '${last}'. ` +
          "Use 'force=True' to overwrite.",
      );
    }
  }
  const changes = await setValues(context, { [keys[0]!]: whole }, {
    destructive: options.destructive,
    refreshPillar: true,
  });
  return { comment: "", changes, result: true };
}

/** Stores a list under a path. @returns the map that was stored */
async function storeList(context: JobContext, path: string, list: unknown[], delimiter: string) {
  const { changes } = await set(context, path, list, { force: true, destructive: false, delimiter });
  return Object.keys(changes).length === 0 ? { [path]: list } : changes;
}

function sanitized(grains: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(grains).map(([name, value]) => [
      name,
      Object.hasOwn(SANITIZERS, name) ? SANITIZERS[name]!(str(value)) : value,
    ]),
  );
}

function get(context: JobContext, { key, default: fallback, delimiter }: Record<string, unknown>): unknown {
  const found = traverse(context.grains, key, str(delimiter));
  return found === undefined ? fallback : found;
}

const GET = "key, default='', delimiter=':', ordered=True";
const FORCE = "\n\nforce: also where a map or a list is";

/** Facts about the minion, and those that its operator sets. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "items(sanitize: bool=False)": {
      inline: true,
      doc: "All grains. With `sanitize`, names and numbers that identify the minion are replaced.\n\n" +
        "    salt '*' grains.items\n    salt '*' grains.items sanitize=True",
      run: (context, { sanitize }) => sanitize ? sanitized(context.grains) : context.grains,
    },
    "item(*args, **kwargs)": {
      inline: true,
      doc: "Some grains by name; `default` replaces those that are missing.\n\n" +
        "    salt '*' grains.item os osrelease\n    salt '*' grains.item host sanitize=True",
      run(context, { args, kwargs }) {
        const delimiter = str(kwargs.delimiter ?? ":");
        const found = Object.fromEntries(
          args.map((name) => [
            str(name),
            traverseOr(context.grains, name, kwargs.default ?? "", delimiter),
          ]),
        );
        return truthy(kwargs.sanitize) ? sanitized(found) : found;
      },
    },
    [`get(${GET})` as const]: {
      inline: true,
      doc: "The value of a grain, or at a path in it; `default` if it is missing.\n\n" +
        "    salt '*' grains.get site:rack",
      run: get,
    },
    [`fetch(${GET})` as const]: {
      inline: true,
      doc: "The same as grains.get.\n\n    salt '*' grains.fetch os",
      run: get,
    },
    "has_value(key)": {
      inline: true,
      doc: "True if there is such a grain, whatever its value.\n\n    salt '*' grains.has_value site:rack",
      run: (context, { key }) => traverse(context.grains, key) !== undefined,
    },
    "equals(key, value: str)": {
      inline: true,
      doc: "True if the value of the grain, as text, equals this one.\n\n    salt '*' grains.equals site:dc east",
      run: (context, { key, value }) => value === str(traverseOr(context.grains, key, "")),
    },
    "ls()": {
      inline: true,
      doc: "The names of all grains.\n\n    salt '*' grains.ls",
      run: (context) => Object.keys(context.grains).sort(),
    },
    "setval(key: str, val, destructive=False, refresh_pillar=True)": {
      doc: "Sets a grain permanently. Null is a value; with `destructive` it removes the grain.\n\n" +
        "    salt '*' grains.setval role web\n    salt '*' grains.setval racks '[1, 2]'",
      run: (context, { key, val, destructive, refresh_pillar: refreshPillar }) =>
        setValues(context, { [key]: val }, { destructive, refreshPillar }),
    },
    "setvals(grains, destructive=False, refresh_pillar=True)": {
      doc: "Sets several grains permanently.\n\n    salt '*' grains.setvals '{role: web, rack: 7}'",
      run(context, { grains, destructive, refresh_pillar: refreshPillar }) {
        if (!isMap(grains)) {
          throw Object.assign(new Error("setvals grains must be a dictionary."), { name: "SaltException" });
        }
        return setValues(context, grains, { destructive, refreshPillar });
      },
    },
    "set(key: str, val='', force: bool=False, destructive: bool=False, delimiter: str=':')": {
      doc: `Sets the value at a path in the grains.\n\n    salt '*' grains.set apps:web:port 8080${FORCE}`,
      run: (context, { key, val, force, destructive, delimiter }) =>
        set(context, key, val, {
          force,
          destructive,
          delimiter,
        }),
    },
    "append(key: str, val, convert: bool=False, delimiter: str=':')": {
      doc:
        "Adds a value to a list, which is created if it does not exist. `convert` turns another value into a list.\n\n" +
        "    salt '*' grains.append roles web",
      async run(context, { key, val: value, convert, delimiter }) {
        const before = traverseOr(context.grains, key, [], delimiter);
        if (!Array.isArray(before) && !convert) return `The key ${key} is not a valid list`;
        const list = Array.isArray(before) ? [...before] : before === null ? [] : [before];
        if (list.some((item) => same(item, value))) return `The val ${str(value)} was already in the list ${key}`;
        list.push(...(Array.isArray(value) ? value : [value]));
        return await storeList(context, key, list, delimiter);
      },
    },
    "remove(key: str, val, delimiter: str=':')": {
      doc: "Removes a value from a list.\n\n    salt '*' grains.remove roles web",
      async run(context, { key, val: value, delimiter }) {
        const before = traverseOr(context.grains, key, [], delimiter);
        if (!Array.isArray(before)) return `The key ${key} is not a valid list`;
        const at = before.findIndex((item) => same(item, value));
        if (at < 0) return `The val ${str(value)} was not in the list ${key}`;
        return await storeList(context, key, before.toSpliced(at, 1), delimiter);
      },
    },
    "delval(key: str, destructive: bool=False, force: bool=False)": {
      doc: `Sets a grain to null; with \`destructive\`, removes it.\n\n    salt '*' grains.delval role${FORCE}`,
      run: (context, { key, destructive, force }) => set(context, key, null, { force, destructive, delimiter: ":" }),
    },
    "delkey(key: str, force: bool=False)": {
      doc: `Removes a grain.\n\n    salt '*' grains.delkey role${FORCE}`,
      run: (context, { key, force }) => set(context, key, null, { force, destructive: true, delimiter: ":" }),
    },
    [`filter_by(lookup_dict, grain='os_family', ${FILTER_BY})` as const]: {
      inline: true,
      doc:
        "Selects from a map by the value of a grain; keys may be globs. `merge` is merged into what was selected, and " +
        "what was chosen over the entry that `base` names.\n\n" +
        "    salt '*' grains.filter_by '{Debian: apache2, RedHat: httpd}'",
      run: (context, args) => filterBy(context.grains, args.grain, args),
    },
  }),
};
