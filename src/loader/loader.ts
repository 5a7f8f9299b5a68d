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

/** What names a function: anything else is not looked up at all. */
const FUNCTION_NAME = /^([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)$/;

interface LoadedModule {
  /** Undefined if it is available. */
  unavailable: string | undefined;
  name: string;
  /** Its name in the registry. */
  file: string;
  functions: Map<string, LoadedFunction>;
}

/** Salt's modules of what Brine has not yet, and what that is. */
const NOT_YET: Readonly<Record<string, string>> = {
  state: "States",
  schedule: "Schedules",
  beacons: "Beacons",
  slsutil: "Templates",
  jinja: "Templates",
};

/** What to add of a function whose whole module is still to come; nothing of any other. */
export function notYet(module: string): string {
  if (!Object.hasOwn(NOT_YET, module)) return "";
  return ` ${NOT_YET[module]} are not in this release of Brine: its changelog says what is.`;
}

export interface FunctionTableOptions {
  /** Modules that are not to be there. */
  disabled?: readonly string[];
  /** The only modules that are to be there; empty means all. */
  only?: readonly string[];
  /** Which module stands behind a name, whatever others say of themselves: name → module. */
  providers?: Readonly<Record<string, unknown>>;
}

/** What the options of a host say about its modules. */
export function functionTableOptions(opts: Record<string, unknown>): FunctionTableOptions {
  const names = (value: unknown) => Array.isArray(value) ? value.map(String) : [];
  const { disable_modules, whitelist_modules, providers } = opts;
  return {
    disabled: names(disable_modules),
    only: names(whitelist_modules),
    ...(isMap(providers) ? { providers: Object.fromEntries(entriesOf(providers)) } : {}),
  };
}

/** Adds the modules that were chosen to stand behind a name; one that is not there leaves things as they are. */
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
 * A lazy table of execution functions over a registry. A module that throws on load is named with its error; the others
 * load.
 *
 * @param source the registry, or what gives it: asked again after each {@link FunctionTable.reload}
 */
export function createFunctionTable(
  source: ModuleRegistry | (() => ModuleRegistry),
  context: () => Context,
  options: FunctionTableOptions = {},
): FunctionTable {
  let current: ModuleRegistry | undefined;
  const registry = () =>
    current ??= provided(typeof source === "function" ? source() : source, options.providers ?? {});
  const loaded = new Map<string, Promise<LoadedModule>>();
  const disabled = new Set(options.disabled);
  const only = options.only === undefined || options.only.length === 0 ? undefined : new Set(options.only);
  const allowed = (name: string) => !disabled.has(name) && (only === undefined || only.has(name));

  const loadModule = async (name: string): Promise<LoadedModule> => {
    try {
      const { module } = await registry()[name]!();
      const virtual = module.virtual?.(context()) ?? true;
      if (typeof virtual === "object") {
        const why = virtual.unavailable === "" ? "" : `: ${virtual.unavailable}`;
        return { unavailable: `'${name}' __virtual__ returned False${why}`, name, file: name, functions: new Map() };
      }
      const own = virtual === true ? name : virtual;
      const functions = new Map(
        Object.entries(module.functions).map(([fun, body]): [string, LoadedFunction] => [
          fun,
          { name: `${own}.${fun}`, function: body, signature: parseSignature(body.signature) },
        ]),
      );
      return { unavailable: undefined, name: own, file: name, functions };
    } catch (error) {
      context().log.error("module failed to load", { module: name, error: messageOf(error) });
      return { unavailable: `'${name}' failed to load: ${messageOf(error)}`, name, file: name, functions: new Map() };
    }
  };
  const open = (name: string): Promise<LoadedModule> => {
    let found = loaded.get(name);
    if (found === undefined) loaded.set(name, found = loadModule(name));
    return found;
  };
  /** A module under its file's name goes before others that took that name, as it does when a function is looked up. */
  const rank = (module: LoadedModule) => module.name === module.file ? 0 : 1;
  const all = async () => await Promise.all(Object.keys(registry()).filter(allowed).map(open));

  return {
    async find(full) {
      const [, module, fun] = FUNCTION_NAME.exec(full) ?? [];
      const missing = { message: `'${full}' is not available.${module === undefined ? "" : notYet(module)}` };
      if (module === undefined || fun === undefined) return missing;
      if (Object.hasOwn(registry(), module) && allowed(module)) {
        const opened = await open(module);
        if (opened.unavailable !== undefined) return { message: opened.unavailable };
        if (opened.name === module) return opened.functions.get(fun) ?? missing;
      }
      // Under another name than its file's: only then are the other modules worth opening.
      for (const opened of await all()) {
        if (opened.name === module && opened.unavailable === undefined) return opened.functions.get(fun) ?? missing;
      }
      return missing;
    },
    async modules() {
      const available = (await all()).filter((module) => module.unavailable === undefined);
      return [...new Set(available.map((module) => module.name))].sort();
    },
    async providers() {
      const names = Object.keys(registry()).filter(allowed);
      const opened = await Promise.all(names.map(open));
      return new Map(
        opened.flatMap((module, at) => module.unavailable === undefined ? [[module.name, names[at]!]] : []),
      );
    },
    async unavailable() {
      return new Map(
        (await all()).flatMap(({ name, unavailable }) => unavailable === undefined ? [] : [[name, unavailable]]),
      );
    },
    reload() {
      loaded.clear();
      current = undefined;
    },
    async list() {
      const found = new Map<string, LoadedFunction>();
      // Of two modules that go by one name, the first has it, or the one that was chosen for it.
      const modules = await all();
      for (const module of [...modules].sort((a, b) => rank(a) - rank(b))) {
        for (const one of module.functions.values()) if (!found.has(one.name)) found.set(one.name, one);
      }
      return [...found.values()].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    },
  };
}
