import { entriesOf, isMap } from "../../language/python/containers.ts";
import type { Context } from "./context.ts";
import type { ExecutionFunction, ExecutionModule } from "./family.ts";
import type { FunctionCatalog, MissingFunction } from "./function_catalog.ts";
import { lentNames } from "./lent_files.ts";
import { type LoadedEntry, ModuleTable } from "./module_table.ts";

/** Where modules come from: name → how to load it. Nothing is loaded before it is asked for. */
export type ModuleRegistry = Record<string, () => Promise<{ module: ExecutionModule }>>;

/** A function that can be called. */
export type LoadedFunction = LoadedEntry<ExecutionFunction, ExecutionModule>;

/** The execution functions of a host. */
export interface FunctionTable extends FunctionCatalog {
  find(name: string): Promise<LoadedFunction | MissingFunction>;
  list(): Promise<LoadedFunction[]>;
  /** The functions of a module's file, whether or not it is the one for this host: name → function. */
  raw(file: string): Promise<ReadonlyMap<string, LoadedFunction> | undefined>;
}

export interface FunctionTableOptions {
  /** Modules to leave out. */
  disabled?: readonly string[];
  /** The only modules to load; empty means all. */
  only?: readonly string[];
  /** Modules whose functions are those of Salt's package where that has them. */
  preferred?: readonly string[];
  /** Which module provides a name, even if another one claims it: name → module. */
  providers?: Readonly<Record<string, unknown>>;
}

/** The options of a host about its modules. */
export function functionTableOptions(opts: Record<string, unknown>): FunctionTableOptions {
  const names = (value: unknown) => Array.isArray(value) ? value.map(String) : [];
  const { disable_modules, whitelist_modules, python_prefer, providers } = opts;
  return {
    disabled: names(disable_modules),
    only: names(whitelist_modules),
    preferred: names(python_prefer),
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

function loaders(registry: ModuleRegistry): Record<string, () => Promise<ExecutionModule>> {
  return Object.fromEntries(Object.entries(registry).map(([name, load]) => [name, async () => (await load()).module]));
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
  const { disabled, only = [], providers = {}, preferred } = options;
  const registry = typeof source === "function" ? source : () => source;
  let lent: ReturnType<typeof lentNames> | undefined;
  return new ModuleTable<ExecutionFunction, ExecutionModule>({
    registry: () => {
      lent = undefined;
      return loaders(provided(registry(), providers));
    },
    context,
    disabled: new Set(disabled),
    only: only.length === 0 ? undefined : new Set(only),
    preferred: new Set(preferred),
    lentAs: (entry, name) => (lent ??= lentNames(context(), "modules"))(entry, name),
  });
}
