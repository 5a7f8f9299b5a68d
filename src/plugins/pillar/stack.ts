import { baseName, dirName, isWithin, joinPath, normalizePath } from "../../base/paths.ts";
import { codeOf, messageOf } from "../../base/errors.ts";
import { bind, Lazy, NativeFunction } from "../../language/jinja/mod.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import type { AnyMap, Args } from "../../language/python/values.ts";
import { entriesOf, equal, isMap, str, truthy, typeName } from "../../language/python/values.ts";
import { copyAsDicts } from "../../language/python/copy.ts";
import { dictDelete, dictGet, dictSet, MISSING } from "../../language/python/dict.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { splitLines } from "../../language/python/text.ts";
import { traverse, traverseOr } from "../../language/python/traverse.ts";
import { parseOrderedYaml } from "../../language/yaml/ordered.ts";

type Dict = Map<unknown, unknown>;

const STRATEGIES = ["overwrite", "merge-first", "merge-last", "remove"];
/** The largest file. */
const MAX_BYTES = 16 * 1024 * 1024;

function checked(strategy: unknown): string {
  if (STRATEGIES.includes(strategy as string)) return strategy as string;
  throw new Error(`Cannot merge by the strategy "${str(strategy)}": expected one of ${STRATEGIES.join(", ")}`);
}

const isDict = (value: unknown): value is Dict => value instanceof Map;
/** True for a list whose first item says how to merge it. */
const saysHow = (list: readonly unknown[]) => isDict(list[0]) && list[0].has("__");

/** A value that is taken over as a whole, without what says how to merge it. */
function cleaned(value: unknown): unknown {
  if (isDict(value)) {
    value.delete("__");
    for (const [key, item] of value) value.set(key, cleaned(item));
  } else if (Array.isArray(value) && saysHow(value)) value.shift();
  return value;
}

/** Merges into `stack`, which is changed. @see salt/pillar/stack.py _merge_dict */
function mergeDicts(stack: Dict, over: Dict): Dict {
  const strategy = checked(over.get("__") ?? (over.has("__") ? null : "merge-last"));
  over.delete("__");
  if (strategy === "overwrite") return cleaned(over) as Dict;
  for (const [key, value] of over) {
    if (strategy === "remove") dictDelete(stack, key);
    else dictSet(stack, key, mergedValue(dictGet(stack, key), value, strategy));
  }
  return stack;
}

function mergedValue(before: unknown, value: unknown, strategy: string): unknown {
  if (before === MISSING) return cleaned(value);
  const [under, over] = strategy === "merge-first" ? [cleaned(value), before] : [before, value];
  if (typeName(under) !== typeName(over)) return cleaned(over);
  if (isDict(under)) return mergeDicts(under, over as Dict);
  return Array.isArray(under) ? mergeLists(under, over as unknown[]) : over;
}

function mergeLists(stack: unknown[], over: unknown[]): unknown[] {
  const strategy = saysHow(over) ? checked((over.shift() as Dict).get("__")) : "merge-last";
  if (strategy === "overwrite") return over;
  if (strategy === "remove") return stack.filter((item) => !over.some((other) => equal(other, item)));
  return strategy === "merge-first" ? [...over, ...stack] : [...stack, ...over];
}

const TRAVERSE = new NativeFunction("traverse_dict_and_list", (args, keywords) => {
  const { data, key, default: otherwise, delimiter } = bind(
    "traverse_dict_and_list",
    ["data", "key", ["default", null], ["delimiter", ":"]],
    args,
    keywords,
  );
  return traverseOr(data, key, otherwise, str(delimiter));
});

/** The same data with Python's plain dicts, as templates see them. */
function plainDicts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainDicts);
  return isMap(value) ? new Map(entriesOf(value).map(([key, item]) => [key, plainDicts(item)])) : value;
}

/** What a configuration lists: the items of a YAML list, or else its lines. */
function itemsOf(text: string): string[] {
  let list: unknown;
  try {
    list = parseOrderedYaml(text);
  } catch {
    // Lines with globs are rarely YAML.
  }
  const items = Array.isArray(list) ? list : splitLines(text);
  return items.map((item) => {
    if (typeof item !== "string") throw new Error("Cannot use its configuration: expected a list of paths");
    return item;
  }).filter((item) => item.trim() !== "");
}

/** One configuration file, and the templates in its directory. */
class Stack {
  readonly #context: PillarContext;
  readonly #directory: string;
  readonly #names: Record<string, unknown>;

  constructor(context: PillarContext, config: string, opts: Lazy) {
    const { id, grains, pillarenv } = context;
    this.#context = context;
    this.#directory = dirName(config);
    this.#names = {
      __opts__: opts,
      __grains__: new Lazy(() => copyAsDicts(grains)),
      __stack__: new Map<string, unknown>([["traverse", TRAVERSE], ["cfg_path", config]]),
      minion_id: id,
      pillarenv: pillarenv ?? null,
    };
  }

  async merge(config: string, start: Dict): Promise<Dict> {
    let stack = start;
    for (const item of itemsOf(await this.#rendered(config, { stack }))) {
      const paths = this.#glob(item);
      if (paths.length === 0) this.#context.log.info("stack: no such file", { item, directory: this.#directory });
      for (const path of paths) {
        const text = await this.#rendered(path, { stack, ymlpath: path });
        const data = this.#guarded("parse", path, () => plainDicts(parseOrderedYaml(text)));
        if (isDict(data)) stack = mergeDicts(stack, data);
      }
    }
    return stack;
  }

  #text(path: string): string {
    const { fs } = this.#context.runtime;
    const { kind, size = 0 } = fs.stat(path) ?? {};
    if (kind !== "file") throw new Error(kind === undefined ? "no such file" : `it is a ${kind}`);
    if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    return fs.readText(path);
  }

  async #rendered(path: string, more: Record<string, unknown>): Promise<string> {
    const load = (name: string) => {
      const found = normalizePath(`${this.#directory}/${name}`);
      if (!isWithin(this.#directory, found) || this.#context.runtime.fs.stat(found)?.kind !== "file") return undefined;
      return { path: found, name, source: this.#text(found) };
    };
    const names = { ...this.#names, ...more };
    return await this.#guarded("render", path, () => this.#context.template(this.#text(path), path, { names, load }));
  }

  /** Logs an error with its text, which may have secrets in it, and throws one without, which minions read. */
  #guarded<T>(what: string, path: string, work: () => T): T {
    const failed = (error: unknown): never => {
      this.#context.log.error(`stack: cannot ${what} a file`, { path, error: messageOf(error) });
      throw new Error(`Cannot ${what} ${path}. The log of the master says why`, { cause: error });
    };
    try {
      const done = work();
      return done instanceof Promise ? done.catch(failed) as T : done;
    } catch (error) {
      return failed(error);
    }
  }

  /** The files that a pattern names, each part of it by itself; names that begin with a dot only if it does. */
  #glob(item: string): string[] {
    const { fs } = this.#context.runtime;
    const whole = normalizePath(joinPath(this.#directory, item));
    // Grains are often part of a path, and minions choose them.
    if (!isWithin(this.#directory, whole)) throw new Error(`Cannot use "${item}": it leaves ${this.#directory}`);
    let found = [this.#directory];
    for (const part of whole.slice(normalizePath(this.#directory).length).split("/").filter((name) => name !== "")) {
      const isPattern = /[*?[]/.test(part);
      const matches = compileGlob(part);
      found = found.flatMap((directory) => {
        if (!isPattern) return [joinPath(directory, part)];
        const names = this.#list(directory).filter((name) =>
          matches(name) && (part.startsWith(".") || !name.startsWith("."))
        );
        return names.map((name) => joinPath(directory, name));
      });
    }
    return found.filter((path) => this.#isThere(path, fs)).sort();
  }

  #list(directory: string): string[] {
    const { fs } = this.#context.runtime;
    return this.#isThere(directory, fs) && fs.stat(directory)?.kind === "directory" ? fs.list(directory) : [];
  }

  #isThere(path: string, fs: PillarContext["runtime"]["fs"]): boolean {
    try {
      return fs.stat(path, { follow: false }) !== undefined;
    } catch (error) {
      if (["ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(codeOf(error))) return false;
      throw error;
    }
  }
}

/** The configurations that a map such as `{"grains:os": {Debian: /srv/debian.cfg}}` chooses. */
function chosen(context: PillarContext, args: Args, opts: Lazy, env: string): string[] {
  const sources: Record<string, () => unknown> = {
    pillar: () => context.pillar,
    grains: () => context.grains,
    opts: () => opts.value,
  };
  return entriesOf(args.kwargs as AnyMap).flatMap(([matcher, matches]) => {
    const [, source = "", path = ""] = /^([^:]*):(.*)$/s.exec(str(matcher)) ?? [];
    if (!Object.hasOwn(sources, source)) {
      throw new Error(`Cannot choose by "${str(matcher)}": expected ${Object.keys(sources).join(":…, ")}:…`);
    }
    if (!isMap(matches)) throw new Error(`Cannot choose by "${str(matcher)}": expected a map of values to files`);
    const renamed: Dict = new Map();
    for (const [key, files] of entriesOf(matches)) dictSet(renamed, key === "__env__" ? env : key, files);
    const files = dictGet(renamed, traverse(sources[source]!(), path) ?? null);
    return files === MISSING ? [] : [files].flat().map((file) => str(file).replaceAll("__env__", env));
  });
}

/** YAML files, each a template that sees what those before it came to, merged as they say; PillarStack. */
export const pillar: ExtPillar = {
  signature: "*args, **kwargs",
  neverOnDemand: "it reads any file of the master",
  async run(context, args) {
    const { log, pillarenv, saltenv, runtime: { fs } } = context;
    const env = [pillarenv, saltenv].find((name) => truthy(name ?? false)) ?? "base";
    const envs = { saltenv: saltenv ?? null, pillarenv: pillarenv ?? null };
    const opts = new Lazy(() => copyAsDicts({ ...context.opts, ...envs }));
    let stack: Dict = new Map();
    for (const config of [...(args.args as unknown[]).map(str), ...chosen(context, args, opts, env)]) {
      if (fs.stat(config)?.kind !== "file") {
        log.info("stack: no such configuration", { path: config, name: baseName(config) });
        continue;
      }
      stack = await new Stack(context, config, opts).merge(config, stack);
    }
    return stack;
  },
};
