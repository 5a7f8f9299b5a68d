import { isWithin, joinPath, normalizePath } from "../../base/paths.ts";
import { codeOf, messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  InvalidArgumentsError,
} from "../../model/loader/family.ts";
import { type PillarCall, pillarInUse } from "../../model/loader/pillar_link.ts";
import {
  type AnyMap,
  entriesOf,
  equal,
  isInteger,
  isMap,
  lookup,
  mapOf,
  OrderedMap,
  repr,
  str,
  truthy,
  typeName,
} from "../../language/python/values.ts";
import { deepCopy } from "../../language/python/copy.ts";
import { joinLists, update } from "../../language/python/update.ts";
import { decryptedOverride } from "../decrypted_override.ts";
import { traverse } from "../../language/python/traverse.ts";
import { FILTER_BY, filterBy } from "../filter_by.ts";

type Values = Record<string, unknown>;

/** Stands for a default that was not given: null is one that may be. */
const UNSET = "_|-";

const textOrNull = (value: unknown): string | null => value === null || value === undefined ? null : str(value);

async function compile(context: JobContext, call: PillarCall): Promise<AnyMap> {
  if (context.compilePillar === undefined) {
    throw new CommandExecutionError("Pillar cannot be compiled here: there is neither a master nor pillar_roots");
  }
  try {
    return await context.compilePillar({ ...call, ...pillarInUse(context) });
  } catch (error) {
    throw new CommandExecutionError(`Exception getting pillar: ${messageOf(error)}`, { cause: error });
  }
}

/** The environment of a fresh pillar: from the arguments, or else from the options. */
function pillarenvOf({ opts }: JobContext, { pillarenv, saltenv }: Values): string | null {
  if (pillarenv !== null && pillarenv !== undefined) return str(pillarenv);
  if (truthy(opts.pillarenv_from_saltenv ?? false)) return textOrNull(truthy(saltenv) ? saltenv : opts.saltenv);
  return textOrNull(opts.pillarenv);
}

/** The map that a call merges into the pillar; anything but a map is ignored, as in Salt. */
function overrideOf(context: JobContext, pillar: unknown): AnyMap {
  if (isMap(pillar)) return pillar;
  if (truthy(pillar ?? null)) context.log.error("Pillar data must be a dictionary", { is: typeName(pillar) });
  return {};
}

async function fresh(context: JobContext, options: Values): Promise<AnyMap> {
  const { pillar, pillar_enc } = options;
  const isEncrypted = truthy(pillar ?? null) && truthy(pillar_enc ?? null);
  const override = isEncrypted ? await decryptedOverride(context, pillar, str(pillar_enc)) : pillar;
  return await compile(context, {
    pillarenv: pillarenvOf(context, options),
    saltenv: null,
    override: overrideOf(context, override),
  });
}

/** The pillar in use, or a fresh one if an environment is requested. */
async function source(context: JobContext, options: Values): Promise<AnyMap> {
  const { pillarenv, saltenv } = options;
  const plain = (value: unknown) => value === null || value === undefined;
  return plain(pillarenv) && plain(saltenv) ? context.pillar : await fresh(context, { pillarenv, saltenv });
}

/** A value of a pillar, whose own keys are text: a number is one, too. */
function valueAt(pillar: AnyMap, key: unknown, delimiter: string): unknown {
  const isText = pillar instanceof Map || !isInteger(key) && typeof key !== "boolean";
  return traverse(pillar, isText ? key : [str(key)], delimiter);
}

async function item(context: JobContext, names: readonly unknown[], options: Values): Promise<AnyMap> {
  const pillar = await source(context, options);
  const delimiter = str(options.delimiter ?? ":");
  const fallback = options.default === undefined ? "" : options.default;
  return mapOf(names.map((name) => {
    const value = valueAt(pillar, name, delimiter);
    return [name, value === undefined ? fallback : value];
  }));
}

/** A fresh pillar, or with names some values of the pillar in use. */
async function items(context: JobContext, { args, kwargs }: Values): Promise<AnyMap> {
  const names = args as unknown[];
  return names.length > 0 ? await item(context, names, kwargs as Values) : await fresh(context, kwargs as Values);
}

function missing(key: unknown): Error {
  return Object.assign(new Error(repr(`Pillar key not found: ${str(key)}`)), { name: "KeyError" });
}

async function get(context: JobContext, args: Values): Promise<unknown> {
  const { key, default: given, merge, merge_nested_lists: nested, delimiter } = args;
  // As in Salt, this fails for a default that is undefined in the template, whether it is needed or not.
  const unset = equal(given, UNSET);
  const pillar = await source(context, args);
  const found = valueAt(pillar, key, str(delimiter));
  if (truthy(merge)) {
    const fallback = unset ? "" : given;
    const mergeLists = truthy(nested === null ? context.opts.pillar_merge_lists ?? false : nested);
    const value = found === undefined ? isMap(fallback) ? {} : [] : found;
    if (isMap(fallback) && isMap(value)) return update(deepCopy(fallback), value, { mergeLists });
    if (Array.isArray(fallback) && Array.isArray(value)) return joinLists(deepCopy(fallback), value);
    context.log.error("pillar.get: default and value are not both maps, nor both lists: they are not merged", {
      key: str(key),
      default: typeName(fallback),
      value: typeName(found ?? null),
    });
  }
  if (found !== undefined) return found;
  if (unset && truthy(context.opts.pillar_raise_on_missing ?? false)) throw missing(key);
  return unset ? "" : given;
}

/** The names of types in the place of values; lists and maps keep their form. */
function obfuscated(value: unknown): unknown {
  if (isMap(value)) return new OrderedMap(entriesOf(value).map(([key, inner]) => [key, obfuscated(inner)]));
  return Array.isArray(value) ? value.map(obfuscated) : `<${typeName(value)}>`;
}

const ITEMS = executionFunction({
  inline: true,
  signature: "*args, **kwargs",
  doc:
    "Compiles the pillar again; with names, returns these values of the pillar in use. `pillar` is merged into it, `pillarenv` " +
    "asks for one environment.\n\n    salt '*' pillar.items\n    salt '*' pillar.items pillar='{role: web}'",
  run: items,
});

const GET = executionFunction({
  inline: true,
  signature:
    `key, default='${UNSET}', merge=False, merge_nested_lists=None, delimiter=':', pillarenv=None, saltenv=None, unmask=None`,
  doc:
    "The value at a path of the pillar in use, or the default. `merge` merges it into the default, `pillarenv` and " +
    "`saltenv` ask for a fresh pillar.\n\n    salt '*' pillar.get pkg:apache\n" +
    "    salt '*' pillar.get 'abc::def|ghi' delimiter='|'",
  run: get,
});

/** The minion's pillar. Salt 3008 masks values unless `unmask` is set; here nothing is masked. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    items: ITEMS,
    data: { ...ITEMS, doc: "The same as pillar.items.\n\n    salt '*' pillar.data" },
    get: GET,
    fetch: { ...GET, doc: "The same as pillar.get.\n\n    salt '*' pillar.fetch pkg:apache" },
    "item(*args, **kwargs)": {
      inline: true,
      doc: "Some values of the pillar in use, by name or path. `default`, `delimiter`, `pillarenv` and `saltenv` are " +
        "those of pillar.get.\n\n    salt '*' pillar.item roles pkg:apache",
      run: (context, { args, kwargs }) => item(context, args, kwargs),
    },
    "raw(key=None, unmask=None)": {
      inline: true,
      doc: "The pillar in use, or what is under one of its keys.\n\n    salt '*' pillar.raw\n" +
        "    salt '*' pillar.raw key=roles",
      run: (context, { key }) => truthy(key) ? lookup(context.pillar, key) ?? {} : context.pillar,
    },
    "ls(*args)": {
      inline: true,
      doc: "Compiles the pillar again and returns its top-level names.\n\n    salt '*' pillar.ls",
      run: async (context, { args }) => entriesOf(await items(context, { args, kwargs: {} })).map(([key]) => key),
    },
    "keys(key, delimiter: str=':')": {
      inline: true,
      doc: "The keys of a map in the pillar in use.\n\n    salt '*' pillar.keys web:sites",
      run(context, { key, delimiter }): unknown[] {
        const value = valueAt(context.pillar, key, delimiter);
        if (value === undefined) throw missing(key);
        if (!isMap(value)) {
          throw Object.assign(new Error(`Pillar value in key ${str(key)} is not a dict`), { name: "ValueError" });
        }
        return entriesOf(value).map(([name]) => name);
      },
    },
    "obfuscate(*args, **kwargs)": {
      inline: true,
      doc: "As pillar.items, with the types of values instead of the values.\n\n    salt '*' pillar.obfuscate",
      run: async (context, args) => obfuscated(await items(context, args)),
    },
    "ext(external, pillar=None, unmask=None)": {
      inline: true,
      doc: "Compiles the pillar again with one more external pillar, which the master must allow " +
        "(on_demand_ext_pillar).\n\n    salt '*' pillar.ext '{libvirt: _}'",
      async run(context, { external, pillar }): Promise<AnyMap> {
        let asked = external;
        if (typeof external === "string") {
          const { parseYaml } = await import("../../language/yaml/document.ts");
          asked = parseYaml(external).value;
        }
        if (!isMap(asked)) {
          throw new InvalidArgumentsError(`external must be a map of one external pillar, not ${repr(asked)}`);
        }
        const { saltenv, pillarenv } = context.opts;
        return await compile(context, {
          ext: asked,
          saltenv: textOrNull(saltenv),
          pillarenv: textOrNull(pillarenv),
          override: overrideOf(context, pillar),
        });
      },
    },
    "file_exists(path: str, saltenv=None)": {
      doc: "True if a file of this path exists below pillar_roots of this host, which must be a master.\n\n" +
        "    salt-call --local pillar.file_exists foo/bar.sls",
      run(context, { path, saltenv }): boolean {
        const { opts, runtime: { fs } } = context;
        const { pillar_roots: roots } = opts;
        if (!isMap(roots) || !truthy(roots)) {
          throw new CommandExecutionError("No pillar_roots found. Are you running this on the master?");
        }
        const directories = entriesOf(roots).filter(([env]) => !truthy(saltenv) || str(env) === str(saltenv))
          .flatMap(([, list]) => Array.isArray(list) ? list.map(str) : [str(list)]);
        return directories.some((directory) => {
          const full = normalizePath(joinPath(directory, path));
          try {
            return isWithin(directory, full) && fs.stat(full)?.kind === "file";
          } catch (error) {
            if (["ENOTDIR", "ENAMETOOLONG", "EINVAL"].includes(codeOf(error))) return false;
            throw error;
          }
        });
      },
    },
    [`filter_by(lookup_dict, pillar, ${FILTER_BY})` as const]: {
      inline: true,
      doc:
        "Chooses from a map by a value of the pillar; keys may be globs. `merge` is laid over what was chosen, and " +
        "what was chosen over the entry that `base` names.\n\n" +
        "    salt '*' pillar.filter_by '{web: Serve it up, db: I query, default: x_x}' role",
      run: (context, args) => filterBy(context.pillar, args.pillar, args),
    },
  }),
};
