/** Flags of V8 that a program sets while it runs. */

declare const process: {
  getBuiltinModule(name: "node:v8"): { setFlagsFromString(flag: string): void };
};

/** A flag as V8 has it by itself, and as it is set: `--name=number`, `--name`, `--no-name`. */
export interface V8Flag {
  usual: string;
  set: string;
}

/** How `load_code.ts`, which is outside of what it loads, gives that its way to set flags. */
export const SET_FLAGS: unique symbol = Symbol.for("brine.setFlags") as never;

const loader = globalThis as { [SET_FLAGS]?: (flags: readonly V8Flag[]) => void };

/** True if `load_code.ts` has loaded this program: it keeps compiled code itself. */
export const isBundled = (): boolean => loader[SET_FLAGS] !== undefined;

/** Sets flags. Code that is stored with other flags than it is loaded with is not taken: so all flags are set here. */
export function setFlags(flags: readonly V8Flag[]): void {
  const set = loader[SET_FLAGS];
  if (set !== undefined) return set(flags);
  for (const flag of flags) process.getBuiltinModule("node:v8").setFlagsFromString(flag.set);
}
