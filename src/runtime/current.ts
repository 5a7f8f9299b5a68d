import type { Runtime } from "./mod.ts";

/**
 * The runtime that this program runs on. The one place that asks which it is: everything else takes a {@link Runtime}.
 *
 * @throws {TypeError} on a runtime without an adapter
 */
export async function currentRuntime(): Promise<Runtime> {
  const { Deno, Bun, process } = globalThis as {
    Deno?: unknown;
    Bun?: unknown;
    process?: { versions?: { node?: string } };
  };
  if (Deno !== undefined) return (await import("./deno/mod.ts")).denoRuntime();
  if (Bun !== undefined) return (await import("./bun/mod.ts")).bunRuntime();
  if (process?.versions?.node !== undefined) return (await import("./node/mod.ts")).nodeRuntime();
  throw new TypeError("No adapter for this runtime: Brine runs on Node, Bun and Deno; give a Runtime of your own");
}
