/** The modules of one family: loaded on first use, under the names that they give themselves. */
import { messageOf } from "../../base/errors.ts";
import type { Context } from "./family.ts";
import type { MissingFunction } from "./function_catalog.ts";
import { isLent, plainName } from "./lent_files.ts";
import type { Virtual } from "./loaded_file.ts";
import { parseSignature, type Signature } from "./signature.ts";

/** Fields that functions of all families have. */
interface DescribedFunction {
  signature: string | Signature;
  doc: string;
}

/** Fields that modules of all families have. */
interface DescribedModule<F extends DescribedFunction> {
  virtual?(context: Context): Virtual | Promise<Virtual>;
  /** Further names that it goes by. @default none */
  aliases?: readonly string[];
  functions: Record<string, F>;
}

export interface LoadedEntry<F extends DescribedFunction, M extends DescribedModule<F>> {
  name: string;
  signature: Signature;
  function: F;
  module: M;
}

interface LoadedModule<F extends DescribedFunction, M extends DescribedModule<F>> {
  /** The reason why the module is unavailable; undefined if it is available. */
  unavailable: string | undefined;
  name: string;
  /** Further names, and that of one that is not available. */
  others: readonly string[];
  file: string;
  functions: Map<string, LoadedEntry<F, M>>;
}

interface ModuleTableOptions<M> {
  /** Returns name → function that loads the module; called again after each {@link ModuleTable.reload}. */
  registry(): Record<string, () => Promise<M>>;
  context(): Context;
  /** Modules to leave out. */
  disabled: ReadonlySet<string>;
  /** The only modules to load; undefined means all. */
  only: ReadonlySet<string> | undefined;
  /** Modules whose functions come from Salt's package, if the package has them. @default none */
  preferred?: ReadonlySet<string>;
  /** True if a lent module may give itself a name. @default any may */
  lentAs?(entry: string, name: string): boolean;
}

/** The form of function names; any other text is not looked up. */
const FUNCTION_NAME = /^([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)$/;

/** The functions of one family. A module that throws is unavailable, with its error as the reason. */
export class ModuleTable<F extends DescribedFunction, M extends DescribedModule<F>> {
  readonly #options: ModuleTableOptions<M>;
  readonly #loaded = new Map<string, Promise<LoadedModule<F, M>>>();
  /** Functions that were found: the same few are looked up thousands of times. */
  readonly #found = new Map<string, Promise<LoadedEntry<F, M>>>();
  readonly #known = new Map<string, Promise<boolean>>();
  #registry: Record<string, () => Promise<M>> | undefined;

  constructor(options: ModuleTableOptions<M>) {
    this.#options = options;
  }

  get #modules(): Record<string, () => Promise<M>> {
    return this.#registry ??= this.#options.registry();
  }

  #allowed(name: string): boolean {
    const { disabled, only } = this.#options;
    name = plainName(name);
    return !disabled.has(name) && (only === undefined || only.has(name));
  }

  #open(name: string): Promise<LoadedModule<F, M>> {
    let found = this.#loaded.get(name);
    if (found === undefined) {
      this.#loaded.set(name, found = loadModule(plainName(name), this.#modules[name]!, this.#options.context()));
    }
    return found;
  }

  /** Finds a function in Salt's package, even if Brine has one of that name. */
  async #lent(module: string, fun: string): Promise<LoadedEntry<F, M> | undefined> {
    const { lentAs = () => true } = this.#options;
    const likely = Object.keys(this.#modules).filter((entry) =>
      isLent(entry) && this.#allowed(entry) && lentAs(entry, module)
    );
    for (const entry of likely) {
      const { name, unavailable, functions } = await this.#open(entry);
      if (name === module && unavailable === undefined && functions.has(fun)) return functions.get(fun);
    }
    return undefined;
  }

  #all(): Promise<LoadedModule<F, M>[]> {
    const names = Object.keys(this.#modules).filter((name) => this.#allowed(name));
    return Promise.all(names.map((name) => this.#open(name)));
  }

  find(full: string): Promise<LoadedEntry<F, M> | MissingFunction> {
    return this.#found.get(full) ?? this.#find(full);
  }

  async #find(full: string): Promise<LoadedEntry<F, M> | MissingFunction> {
    const registry = this.#modules;
    const found = await this.#lookUp(full);
    // What was looked up before a reload is not kept after it.
    if (!("message" in found) && registry === this.#registry) this.#found.set(full, Promise.resolve(found));
    return found;
  }

  async #lookUp(full: string): Promise<LoadedEntry<F, M> | MissingFunction> {
    const [, module, fun] = FUNCTION_NAME.exec(full) ?? [];
    const missing = { message: `'${full}' is not available.` };
    if (module === undefined || fun === undefined) return missing;
    if (this.#options.preferred?.has(module)) {
      const lent = await this.#lent(module, fun);
      if (lent !== undefined) return lent;
    }
    const own = await this.#own(module, fun, missing);
    return "message" in own ? await this.#lent(module, fun) ?? own : own;
  }

  /** Finds a function in a module that is not lent. */
  async #own(module: string, fun: string, missing: MissingFunction): Promise<LoadedEntry<F, M> | MissingFunction> {
    let isThere = false;
    if (Object.hasOwn(this.#modules, module) && this.#allowed(module)) {
      const opened = await this.#open(module);
      if (opened.unavailable !== undefined) return { message: opened.unavailable };
      if (opened.name === module && opened.functions.has(fun)) return opened.functions.get(fun)!;
      isThere = opened.name === module;
    }
    // The module may have another name than its file: often the file's has it in it. Otherwise all modules are loaded. A custom file
    // may add functions to a module that is there: then its own name has to have the module's in it.
    const own = Object.keys(this.#modules).filter((name) => !isLent(name) && this.#allowed(name));
    const likely = own.filter((name) => name.includes(module));
    let unavailable: string | undefined;
    for (const names of isThere ? [likely] : [likely, own]) {
      const opened = await Promise.all(names.map((name) => this.#open(name)));
      const named = opened.filter(({ name, others }) => name === module || others.includes(module));
      const found = named.filter((one) => one.unavailable === undefined);
      // Of several files of one name the first that has the function counts.
      for (const { functions } of found) if (functions.has(fun)) return functions.get(fun)!;
      // The reason is that of the file, under the name that was asked for.
      unavailable ??= found.length > 0 ? undefined : named[0]?.unavailable?.replace(/^'\w+'/, `'${module}'`);
      if (found.length > 0 && names === own) return missing;
    }
    return unavailable === undefined ? missing : { message: unavailable };
  }

  /**
   * The functions in a file, whatever the module's name, and even if it is not for this host; undefined if there is no such
   * file.
   */
  async raw(file: string): Promise<ReadonlyMap<string, LoadedEntry<F, M>> | undefined> {
    if (!Object.hasOwn(this.#modules, file) || !this.#allowed(file)) return undefined;
    const opened = await this.#open(file);
    if (opened.unavailable === undefined) return opened.functions;
    const load = async (): Promise<M> => ({ ...await this.#modules[file]!(), virtual: () => true as const });
    return (await loadModule<F, M>(file, load, this.#options.context())).functions;
  }

  hasModule(name: string): Promise<boolean> {
    let known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, known = this.#lookForModule(name));
    return known;
  }

  async #lookForModule(module: string): Promise<boolean> {
    const names = Object.keys(this.#modules).filter((name) => this.#allowed(name));
    // As in find(): the file of that name, else one with the name in its own, else any.
    for (
      const some of [
        names.filter((name) => name === module),
        names.filter((name) => name.includes(module)),
        names,
      ]
    ) {
      const opened = await Promise.all(some.map((name) => this.#open(name)));
      const isThere = opened.some(({ name, others, unavailable, functions }) =>
        unavailable === undefined && functions.size > 0 && (name === module || others.includes(module))
      );
      if (isThere) return true;
    }
    return false;
  }

  async modules(): Promise<string[]> {
    const available = (await this.#all()).filter((module) => module.unavailable === undefined);
    return [...new Set(available.flatMap(({ name, others }) => [name, ...others]))].sort();
  }

  async providers(): Promise<Map<string, string>> {
    const available = (await this.#all()).filter(({ unavailable }) => unavailable === undefined);
    // Of several modules with one name, the first counts.
    return new Map(available.reverse().map(({ name, file }) => [name, file]));
  }

  async unavailable(): Promise<Map<string, string>> {
    const all = await this.#all();
    const available = new Set(
      all.flatMap(({ name, file, unavailable }) => unavailable === undefined ? [name, file] : []),
    );
    const reasons = new Map<string, string>();
    for (const { name, unavailable } of all) {
      if (unavailable !== undefined && !available.has(name) && !reasons.has(name)) reasons.set(name, unavailable);
    }
    return reasons;
  }

  reload(): void {
    this.#found.clear();
    this.#known.clear();
    this.#loaded.clear();
    this.#registry = undefined;
  }

  async list(): Promise<LoadedEntry<F, M>[]> {
    // As in find(), a module whose file has its name precedes other modules of that name; among the latter the first counts.
    const { preferred } = this.#options;
    const rank = ({ name, file }: LoadedModule<F, M>, isOfSalt: boolean) => {
      if (isOfSalt) return preferred?.has(name) ? -1 : 2;
      return name === file ? 0 : 1;
    };
    const found = new Map<string, LoadedEntry<F, M>>();
    const names = Object.keys(this.#modules).filter((name) => this.#allowed(name));
    const all = await this.#all();
    const ranked = all.map((module, index) => ({ module, rank: rank(module, isLent(names[index]!)) }));
    for (const { module } of ranked.sort((a, b) => a.rank - b.rank)) {
      for (const [fun, one] of module.functions) {
        for (const name of [module.name, ...module.others]) {
          const full = `${name}.${fun}`;
          if (!found.has(full)) found.set(full, name === module.name ? one : { ...one, name: full });
        }
      }
    }
    return [...found.values()].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  }
}

/** Loads one module and checks whether it is available; never rejects. */
async function loadModule<F extends DescribedFunction, M extends DescribedModule<F>>(
  file: string,
  load: () => Promise<M>,
  context: Context,
): Promise<LoadedModule<F, M>> {
  try {
    const module = await load();
    const virtual = await module.virtual?.(context) ?? true;
    if (typeof virtual === "object") {
      const named = virtual.name ?? file;
      const why = virtual.unavailable === "" ? "" : `: ${virtual.unavailable}`;
      const others = named === file ? [] : [named];
      const unavailable = `'${file}' __virtual__ returned False${why}`;
      return { unavailable, name: file, others, file, functions: new Map() };
    }
    const name = virtual === true ? file : virtual;
    const functions = new Map(
      Object.entries(module.functions).map(([fun, body]): [string, LoadedEntry<F, M>] => [
        fun,
        { name: `${name}.${fun}`, function: body, signature: parseSignature(body.signature), module },
      ]),
    );
    return { unavailable: undefined, name, others: module.aliases ?? [], file, functions };
  } catch (error) {
    context.log.error("module failed to load", { module: file, error: messageOf(error) });
    const unavailable = `'${file}' failed to load: ${messageOf(error)}`;
    return { unavailable, name: file, others: [], file, functions: new Map() };
  }
}
