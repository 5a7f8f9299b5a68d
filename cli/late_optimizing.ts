import { setFlags, type V8Flag } from "./v8_flags.ts";

declare const process: { versions: { node: string } };

/** Ten times V8's own numbers of calls after which a function is compiled to machine code, or three times. */
export const LATE_FLAGS: readonly V8Flag[] = [
  { usual: "--invocation-count-for-maglev=400", set: "--invocation-count-for-maglev=4000" },
  { usual: "--invocation-count-for-turbofan=10000", set: "--invocation-count-for-turbofan=30000" },
];
/** Node releases with these flags. Other releases complain about unknown flags on stderr. */
const KNOWN = /^24\./;

/**
 * Makes V8 compile fewer functions. In a run of a second or two, its compilers (on other threads) cost more than they save: a
 * sixth of the processor time and memory of 500 states. In a longer run, functions are compiled a moment later.
 *
 * Call this after Node's own modules are loaded: the code that Node has cached for them is valid only with Node's own flags.
 */
export function optimizeLate(): void {
  if ("Bun" in globalThis || "Deno" in globalThis || !KNOWN.test(process.versions.node)) return;
  setFlags(LATE_FLAGS);
}
