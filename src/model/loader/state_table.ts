import type { Context } from "./family.ts";
import { withCustomStates } from "./custom_states.ts";
import { lentNames } from "./lent_files.ts";
import { type LoadedEntry, ModuleTable } from "./module_table.ts";
import type { StateFunction, StateModule, StateRegistry } from "./states.ts";

export type LoadedState = LoadedEntry<StateFunction, StateModule>;

export type StateTable = ModuleTable<StateFunction, StateModule>;

/**
 * The state functions of a host: those of the registry, and custom ones of `_states`. A module is loaded on first use. The
 * option `disable_states` names modules to leave out, `whitelist_state_modules` the only ones to use.
 */
export function hostStates(
  states: StateRegistry,
  opts: Record<string, unknown>,
  context: () => Context,
): StateTable {
  const names = (value: unknown) => new Set(Array.isArray(value) ? value.map(String) : []);
  const only = names(opts.whitelist_state_modules);
  let lent: ReturnType<typeof lentNames> | undefined;
  return new ModuleTable({
    registry: () => {
      lent = undefined;
      const all = Object.entries(withCustomStates(states, context()));
      return Object.fromEntries(all.map(([name, load]) => [name, async () => (await load()).states]));
    },
    context,
    disabled: names(opts.disable_states),
    only: only.size === 0 ? undefined : only,
    preferred: names(opts.python_prefer),
    lentAs: (entry, name) => (lent ??= lentNames(context(), "states"))(entry, name),
  });
}
