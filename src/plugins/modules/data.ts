import { type Context, executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { yamlifyArg } from "../../model/job/args.ts";
import { isMap, mapOf, repr } from "../../language/python/values.ts";
import { SystemError } from "../../base/errors.ts";
import { pythonError } from "../python_errors.ts";
import { joinPath } from "../../base/paths.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";

type Place = Pick<Context, "runtime" | "opts">;

const pathOf = ({ opts }: Place) => joinPath(String(opts.cachedir ?? ""), "datastore");

/** The values that a minion keeps for its operator, by name: a map in `cachedir`; empty if there is no such file. */
export function loadDatastore(place: Place): Map<unknown, unknown> {
  const { fs } = place.runtime;
  const path = pathOf(place);
  if (fs.stat(path)?.kind !== "file") return new Map();
  const bytes = fs.read(path);
  const value = bytes.length === 0 ? {} : decode(bytes, { mode: "wire" });
  if (!isMap(value)) return new Map();
  return value instanceof Map ? value : new Map(Object.entries(value));
}

/** Replaces all of them. */
function dumpDatastore(place: Place, values: unknown): void {
  place.runtime.fs.write(pathOf(place), encode(values, "bin"), { mode: 0o600 });
}

/** Forgets all of them. */
function clearDatastore(place: Place): void {
  place.runtime.fs.remove(pathOf(place));
}

function store(context: JobContext, values: unknown): boolean {
  try {
    dumpDatastore(context, values);
    return true;
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    context.log.error("data store not written", { error: error.message });
    return false;
  }
}

/** Values that a minion stores between jobs. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "clear()": {
      doc: "Removes all values.\n\n    salt '*' data.clear",
      run(context) {
        clearDatastore(context);
        return true;
      },
    },
    "load()": {
      doc: "All values by name.\n\n    salt '*' data.load",
      run: (context) => mapOf(loadDatastore(context)),
    },
    "items()": {
      doc: "All values by name.\n\n    salt '*' data.items",
      run: (context) => mapOf(loadDatastore(context)),
    },
    "dump(new_data)": {
      doc: "Replaces all values with a map.\n\n    salt '*' data.dump '{eggs: spam}'",
      run(context, { new_data: value }): boolean {
        if (isMap(value)) return store(context, value);
        const read = typeof value === "string" ? yamlifyArg(value) : undefined;
        if (read === undefined || typeof read === "string") {
          throw pythonError("ValueError", `malformed node or string: ${repr(value)}`);
        }
        return isMap(read) && store(context, read);
      },
    },
    "update(key, value)": {
      doc: "Sets one value.\n\n    salt '*' data.update eggs spam",
      run(context, { key, value }) {
        store(context, mapOf(loadDatastore(context).set(key, value)));
        return true;
      },
    },
    "cas(key, value, old_value)": {
      doc: "Sets a value if it still equals the old one; True if it did.\n\n    salt '*' data.cas eggs ham spam",
      run(context, { key, value, old_value: old }) {
        const values = loadDatastore(context);
        if (!values.has(key) || repr(values.get(key)) !== repr(old)) return false;
        store(context, mapOf(values.set(key, value)));
        return true;
      },
    },
    "pop(key, default=None)": {
      doc: "Removes a value and returns it; `default` if it does not exist.\n\n    salt '*' data.pop eggs",
      run(context, { key, default: fallback }) {
        const values = loadDatastore(context);
        const value = values.has(key) ? values.get(key) : fallback;
        values.delete(key);
        store(context, mapOf(values));
        return value;
      },
    },
    "get(key, default=None)": {
      doc: "A value, or for a list of names a list of values.\n\n    salt '*' data.get '[eggs, bacon]'",
      run(context, { key, default: fallback }): unknown {
        const values = loadDatastore(context);
        const valueOf = (name: unknown) => values.has(name) ? values.get(name) : fallback;
        if (!Array.isArray(key)) return valueOf(key);
        return fallback === null ? key.filter((name) => values.has(name)).map(valueOf) : key.map(valueOf);
      },
    },
    "keys()": {
      doc: "The names of the values.\n\n    salt '*' data.keys",
      run: (context) => [...loadDatastore(context).keys()],
    },
    "values()": {
      doc: "The values without their names.\n\n    salt '*' data.values",
      run: (context) => [...loadDatastore(context).values()],
    },
    "has_key(key)": {
      doc: "True if a value of this name exists.\n\n    salt '*' data.has_key eggs",
      run: (context, { key }) => loadDatastore(context).has(key),
    },
  }),
};
