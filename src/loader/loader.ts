import { messageOf } from "../errors.ts";
import { entriesOf, isMap } from "../python/containers.ts";
import type { Context } from "./context.ts";
import type { ExecutionFunction, ExecutionModule } from "./family.ts";
import type { FunctionCatalog, FunctionDescription, MissingFunction } from "./function_catalog.ts";
import { parseSignature } from "./signature.ts";

/** Where modules come from: name → how to load it. Nothing is loaded before it is asked for. */
export type ModuleRegistry = Record<string, () => Promise<{ module: ExecutionModule }>>;

/** A function that can be called. */
export interface LoadedFunction extends FunctionDescription {
  function: ExecutionFunction;
}

/** The execution functions of a host. */
export interface FunctionTable extends FunctionCatalog {
  find(name: string): Promise<LoadedFunction | MissingFunction>;
  list(): Promise<LoadedFunction[]>;
}

/** The names of functions: any other text is not looked up at all. */
const FUNCTION_NAME = /^([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)$/;

interface LoadedModule {
  /** Undefined if it is available. */
  unavailable: string | undefined;
  name: string;
  /** Its name in the registry. */
  file: string;
  functions: Map<string, LoadedFunction>;
}

/** Salt's modules that Brine does not have yet → what they belong to. */
const NOT_YET: Readonly<Record<string, string>> = {
  state: "States",
  schedule: "Schedules",
  beacons: "Beacons",
  slsutil: "Templates",
  jinja: "Templates",
};

/** What to add to the message about a function of a module that Brine does not have yet; empty for any other. */
export function notYet(module: string): string {
  if (!Object.hasOwn(NOT_YET, module)) return "";
  return ` ${NOT_YET[module]} are not in this release of Brine: its changelog says what is.`;
}

export interface FunctionTableOptions {
  /** Modules to leave out. */
  disabled?: readonly string[];
  /** The only modules to load; empty means all. */
  only?: readonly string[];
  /** Which module provides a name, even if another one claims it: name → module. */
  providers?: Readonly<Record<string, unknown>>;
}

/** The options of a host about its modules. */
export function functionTableOptions(opts: Record<string, unknown>): FunctionTableOptions {
  const names = (value: unknown) => Array.isArray(value) ? value.map(String) : [];
  const { disable_modules, whitelist_modules, providers } = opts;
  return {
    disabled: names(disable_modules),
    only: names(whitelist_modules),
    ...(isMap(providers) ? { providers: Object.fromEntries(entriesOf(providers)) } : {}),
  };
}

/** Adds the modules that were chosen for a name; one that does not exist changes nothing. */
function provided(registry: ModuleRegistry, providers: Readonly<Record<string, unknown>>): ModuleRegistry {
  const chosen = Object.entries(providers).filter(([, module]) => Object.hasOwn(registry, String(module)));
  if (chosen.length === 0) return registry;
  const functionsOf = async (name: string) => ({ module: { functions: (await registry[name]!()).module.functions } });
  return {
    ...registry,
    ...Object.fromEntries(chosen.map(([name, module]) => [name, () => functionsOf(String(module))])),
  };
}

/**
 * A table of the execution functions of a registry. Modules are loaded when they are first needed. One that throws is not
 * available, with its error as the reason.
 *
 * @param source the registry, or a function that returns it: called again after each {@link FunctionTable.reload}
 */
export function createFunctionTable(
  source: ModuleRegistry | (() => ModuleRegistry),
  context: () => Context,
  options: FunctionTableOptions = {},
): FunctionTable {
  return new LazyFunctionTable(typeof source === "function" ? source : () => source, context, options);
}

class LazyFunctionTable implements FunctionTable {
  readonly #source: () => ModuleRegistry;
  readonly #context: () => Context;
  readonly #providers: Readonly<Record<string, unknown>>;
  readonly #disabled: ReadonlySet<string>;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #loaded = new Map<string, Promise<LoadedModule>>();
  #registry: ModuleRegistry | undefined;

  constructor(source: () => ModuleRegistry, context: () => Context, options: FunctionTableOptions) {
    const { disabled, only = [], providers = {} } = options;
    this.#source = source;
    this.#context = context;
    this.#providers = providers;
    this.#disabled = new Set(disabled);
    this.#only = only.length === 0 ? undefined : new Set(only);
  }

  get #modules(): ModuleRegistry {
    return this.#registry ??= provided(this.#source(), this.#providers);
  }

  #allowed(name: string): boolean {
    return !this.#disabled.has(name) && (this.#only === undefined || this.#only.has(name));
  }

  #open(name: string): Promise<LoadedModule> {
    let found = this.#loaded.get(name);
    if (found === undefined) this.#loaded.set(name, found = loadModule(name, this.#modules[name]!, this.#context()));
    return found;
  }

  #all(): Promise<LoadedModule[]> {
    const names = Object.keys(this.#modules).filter((name) => this.#allowed(name));
    return Promise.all(names.map((name) => this.#open(name)));
  }

  async find(full: string): Promise<LoadedFunction | MissingFunction> {
    const [, module, fun] = FUNCTION_NAME.exec(full) ?? [];
    const missing = { message: `'${full}' is not available.${module === undefined ? "" : notYet(module)}` };
    if (module === undefined || fun === undefined) return missing;
    if (Object.hasOwn(this.#modules, module) && this.#allowed(module)) {
      const opened = await this.#open(module);
      if (opened.unavailable !== undefined) return { message: opened.unavailable };
      if (opened.name === module) return opened.functions.get(fun) ?? missing;
    }
    // The module may have another name than its file. Only then are all modules loaded.
    for (const opened of await this.#all()) {
      if (opened.name === module && opened.unavailable === undefined) return opened.functions.get(fun) ?? missing;
    }
    return missing;
  }

  async modules(): Promise<string[]> {
    const available = (await this.#all()).filter((module) => module.unavailable === undefined);
    return [...new Set(available.map((module) => module.name))].sort();
  }

  async providers(): Promise<Map<string, string>> {
    const available = (await this.#all()).filter(({ unavailable }) => unavailable === undefined);
    return new Map(available.map(({ name, file }) => [name, file]));
  }

  async unavailable(): Promise<Map<string, string>> {
    return new Map(
      (await this.#all()).flatMap(({ name, unavailable }) => unavailable === undefined ? [] : [[name, unavailable]]),
    );
  }

  reload(): void {
    this.#loaded.clear();
    this.#registry = undefined;
  }

  async list(): Promise<LoadedFunction[]> {
    // A module whose file has its name goes before others of that name, as in find(). Among the others the first counts.
    const rank = ({ name, file }: LoadedModule) => name === file ? 0 : 1;
    const found = new Map<string, LoadedFunction>();
    for (const module of [...await this.#all()].sort((a, b) => rank(a) - rank(b))) {
      for (const one of module.functions.values()) if (!found.has(one.name)) found.set(one.name, one);
    }
    return [...found.values()].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  }
}

/** Loads one module and asks it whether it is available; never rejects. */
async function loadModule(file: string, load: ModuleRegistry[string], context: Context): Promise<LoadedModule> {
  try {
    const { module } = await load();
    const virtual = module.virtual?.(context) ?? true;
    if (typeof virtual === "object") {
      const why = virtual.unavailable === "" ? "" : `: ${virtual.unavailable}`;
      return { unavailable: `'${file}' __virtual__ returned False${why}`, name: file, file, functions: new Map() };
    }
    const name = virtual === true ? file : virtual;
    const functions = new Map(
      Object.entries(module.functions).map(([fun, body]): [string, LoadedFunction] => [
        fun,
        { name: `${name}.${fun}`, function: body, signature: parseSignature(body.signature) },
      ]),
    );
    return { unavailable: undefined, name, file, functions };
  } catch (error) {
    context.log.error("module failed to load", { module: file, error: messageOf(error) });
    return { unavailable: `'${file}' failed to load: ${messageOf(error)}`, name: file, file, functions: new Map() };
  }
}
