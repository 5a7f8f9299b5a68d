import { entriesOf, isMap } from "../../language/python/values.ts";
import type { Context, ExecutionFunction, ExecutionModule } from "./family.ts";
import type { FunctionCatalog, MissingFunction } from "./function_catalog.ts";
import { lentNames } from "./lent_files.ts";
import { type LoadedEntry, ModuleTable } from "./module_table.ts";

/** Modules: name → function that loads the module. Nothing is loaded before its first use. */
export type ModuleRegistry = Record<string, () => Promise<{ module: ExecutionModule }>>;

export type LoadedFunction = LoadedEntry<ExecutionFunction, ExecutionModule>;

export interface FunctionTable extends FunctionCatalog {
  find(name: string): Promise<LoadedFunction | MissingFunction>;
  list(): Promise<LoadedFunction[]>;
  /** The functions in a module's file, even if the module is not the one for this host: name → function. */
  raw(file: string): Promise<ReadonlyMap<string, LoadedFunction> | undefined>;
}

interface FunctionTableOptions {
  /** Modules to leave out. */
  disabled?: readonly string[];
  /** The only modules to load; empty means all. */
  only?: readonly string[];
  /** Modules whose functions come from Salt's package, if the package has them. */
  preferred?: readonly string[];
  /** Name → module that provides it, even if another module claims the name. */
  providers?: Readonly<Record<string, unknown>>;
}

/** The options of a host that concern its modules. */
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

/** Adds the modules that are chosen for a name. An unknown module has no effect. */
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
 * The table of a registry's execution functions. A module is loaded on first use; a module that throws is unavailable, with its
 * error as the reason.
 *
 * @param source the registry, or a function that returns it, which is called again after each {@link FunctionTable.reload}
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
