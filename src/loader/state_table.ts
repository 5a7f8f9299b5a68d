import type { Context } from "./context.ts";
import { withCustomStates } from "./custom_states.ts";
import { type LoadedEntry, ModuleTable } from "./module_table.ts";
import type { StateFunction, StateModule, StateRegistry } from "./states.ts";

/** A state function that can be called. */
export type LoadedState = LoadedEntry<StateFunction, StateModule>;

/** The state functions of a host. */
export type StateTable = ModuleTable<StateFunction, StateModule>;

/**
 * The state functions of a host: those of the registry, and the custom ones of `_states`. Nothing is loaded before it is asked for.
 * The option `disable_states` names modules to leave out.
 */
export function hostStates(
  states: StateRegistry,
  opts: Record<string, unknown>,
  context: () => Context,
): StateTable {
  const { disable_states } = opts;
  return new ModuleTable({
    registry: () => {
      const all = Object.entries(withCustomStates(states, context()));
      return Object.fromEntries(all.map(([name, load]) => [name, async () => (await load()).states]));
    },
    context,
    disabled: new Set(Array.isArray(disable_states) ? disable_states.map(String) : []),
    only: undefined,
  });
}
