declare const process: {
  versions: { node: string };
  getBuiltinModule(name: "node:v8"): { setFlagsFromString(flag: string): void };
};

/** Ten times V8's own counts of calls after which a function is compiled to machine code. */
const FLAGS = ["--invocation-count-for-maglev=4000", "--invocation-count-for-turbofan=30000"];
/** Releases of Node that have these flags. Others complain on stderr of what they do not know. */
const KNOWN = /^24\./;

/**
 * Has V8 compile less. For a run that ends within a second or two, what its compilers take on other threads is more than what they
 * save: a tenth of the processor time and of the memory of 500 states. A longer run has the same code a moment later.
 *
 * Called once Node's own modules are loaded, since what Node keeps of those compiled fits its own flags alone.
 */
export function optimizeLate(): void {
  if ("Bun" in globalThis || "Deno" in globalThis || !KNOWN.test(process.versions.node)) return;
  for (const flag of FLAGS) process.getBuiltinModule("node:v8").setFlagsFromString(flag);
}
