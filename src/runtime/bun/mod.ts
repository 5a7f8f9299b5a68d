/** Bun: Node's adapter as it is; measured, Bun's own sockets and files bring nothing that is worth a second path. */
import type { Runtime } from "../mod.ts";
import { nodeRuntime } from "../node/mod.ts";

interface BunGlobal {
  version: string;
}

/** The runtime of a program on Bun. */
export function bunRuntime(): Runtime {
  const base = nodeRuntime();
  const { version } = (globalThis as unknown as { Bun: BunGlobal }).Bun;
  return {
    ...base,
    name: "bun",
    host: { ...base.host, runtimeVersion: () => ["bun", version] },
    http: { serve: async (handler, options) => (await import("./http.ts")).serveHttp(handler, options) },
    // By its path: of a file: URL Bun overlooks what comes after the question mark, and a changed file stays as it was.
    importFile: (path, stamp) => import(`${path}?${encodeURIComponent(stamp)}`),
  };
}
