declare const process: {
  versions: { node: string };
  getBuiltinModule(name: "node:v8"): { setFlagsFromString(flag: string): void };
};

/** Sets flags of V8, each as `--name=number`. */
type SetFlags = (flags: readonly LateFlag[]) => void;

/** A flag of V8, its own number, and ours. */
export interface LateFlag {
  name: string;
  usual: number;
  late: number;
}

/** Ten times V8's own numbers of calls after which a function is compiled to machine code. */
const FLAGS: readonly LateFlag[] = [
  { name: "--invocation-count-for-maglev", usual: 400, late: 4000 },
  { name: "--invocation-count-for-turbofan", usual: 10_000, late: 30_000 },
];
/** Node releases with these flags. Other releases complain about unknown flags on stderr. */
const KNOWN = /^24\./;

/** How `load_code.ts`, which is outside of what it loads, gives that its way to set flags. */
export const SET_FLAGS: unique symbol = Symbol.for("brine.setFlags") as never;

const loader = globalThis as { [SET_FLAGS]?: SetFlags };

/** True if `load_code.ts` has loaded this program: it keeps compiled code itself. */
export const isBundled = (): boolean => loader[SET_FLAGS] !== undefined;

/**
 * Makes V8 compile fewer functions. In a run of a second or two, its compilers (on other threads) cost more than they save: a
 * tenth of the processor time and memory of 500 states. In a longer run, functions are compiled a moment later.
 *
 * Call this after Node's own modules are loaded: the code that Node has cached for them is valid only with Node's own flags.
 */
export function optimizeLate(): void {
  if ("Bun" in globalThis || "Deno" in globalThis || !KNOWN.test(process.versions.node)) return;
  const set = loader[SET_FLAGS];
  if (set !== undefined) return set(FLAGS);
  for (const { name, late } of FLAGS) process.getBuiltinModule("node:v8").setFlagsFromString(`${name}=${late}`);
}
