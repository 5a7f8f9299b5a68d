import type { Runtime } from "./runtime.ts";

/**
 * Returns the runtime that this program runs on. The only place that detects it: everything else takes a {@link Runtime}.
 *
 * @example
 * ```ts
 * const runtime = await currentRuntime();
 * console.log(runtime.host.hostname().length > 0); // true
 * ```
 * @throws {TypeError} on a runtime without an adapter
 */
export async function currentRuntime(): Promise<Runtime> {
  const { Deno, Bun, process } = globalThis as {
    Deno?: unknown;
    Bun?: unknown;
    process?: { versions?: { node?: string } };
  };
  if (Deno !== undefined) return (await import("./deno/deno_runtime.ts")).denoRuntime();
  if (Bun !== undefined) return (await import("./bun/bun_runtime.ts")).bunRuntime();
  if (process?.versions?.node !== undefined) return (await import("./node/node_runtime.ts")).nodeRuntime();
  throw new TypeError(
    "No adapter for this runtime: Brine runs on Node, Bun and Deno; elsewhere, pass a Runtime",
  );
}
