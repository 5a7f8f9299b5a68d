import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { needs, outcome, stateFunction } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { layoutName } from "../modules/keyboard.ts";

/** One of the two layouts: which functions read and set it, and what it is called. */
interface Layout {
  fun: "sys" | "x";
  word: string;
  longWord: string;
}

async function set(context: StateContext, name: unknown, { fun, word, longWord }: Layout): Promise<StateReturn> {
  if (await context.call(`keyboard.get_${fun}`) === name) {
    return outcome(name, true, `${word} layout ${str(name)} already set`);
  }
  layoutName(name);
  if (context.test) return outcome(name, null, `${word} layout ${str(name)} needs to be set`);
  return truthy(await context.call(`keyboard.set_${fun}`, [name]))
    ? outcome(name, true, `Set ${longWord} keyboard layout ${str(name)}`, { layout: name })
    : outcome(name, false, `Failed to set ${longWord} keyboard layout`);
}

const layout = (which: Layout) =>
  stateFunction({
    signature: "name",
    doc: `The keyboard of ${which.longWord} has that layout.`,
    run: (context, { name }) => set(context, name, which),
  });

export const states: StateModule = {
  virtual: needs("keyboard.get_sys", "keyboard module could not be loaded"),
  functions: {
    system: layout({ fun: "sys", word: "System", longWord: "system" }),
    xorg: layout({ fun: "x", word: "XOrg", longWord: "XOrg" }),
  },
};
