/** Deno: Node's adapter, with the cipher that `node:crypto` lacks there. */
import type { Runtime } from "../mod.ts";
import { nodeRuntime } from "../node/mod.ts";
import { denoCrypto } from "./crypto.ts";

interface DenoGlobal {
  version: { deno: string };
}

/** The runtime of a program on Deno. */
export function denoRuntime(): Runtime {
  const base = nodeRuntime();
  const { version } = (globalThis as unknown as { Deno: DenoGlobal }).Deno;
  return {
    ...base,
    name: "deno",
    crypto: denoCrypto(),
    host: { ...base.host, runtimeVersion: () => ["deno", version.deno] },
    http: { serve: async (handler, options) => (await import("./http.ts")).serveHttp(handler, options) },
  };
}
