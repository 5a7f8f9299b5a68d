/** Node, through the `node:` modules; Bun and Deno have them, too, and build on this adapter. */
import { systemClock } from "../../base/async/clock.ts";
import type { Runtime } from "../runtime.ts";
import { builtin } from "./builtin.ts";
import { nodeCrypto } from "./crypto.ts";
import { nodeDatabases } from "./database.ts";
import { nodeFileSystem } from "./fs.ts";
import { nodeHost } from "./host.ts";
import { nodeNet } from "./net.ts";
import { fifoPipes, nodeStreams } from "./pipes.ts";
import { nodeProcess } from "./process.ts";

declare function setImmediate(callback: () => void): unknown;

export function nodeRuntime(): Runtime {
  return {
    name: "node",
    clock: systemClock,
    crypto: nodeCrypto(),
    databases: nodeDatabases(),
    fs: nodeFileSystem(),
    host: nodeHost(),
    // Only the gateway serves HTTP: other programs should not have to load the packages for it.
    http: {
      serve: async (handler, options) => (await import("./http.ts")).serveHttp(handler, options),
      request: async (url, request) => (await import("./http_request.ts")).requestHttp(url, request),
    },
    net: nodeNet(),
    process: nodeProcess({ pipes: fifoPipes(nodeStreams) }),
    random: Math.random,
    later: (callback) => void setImmediate(callback),
    importFile: (path, version) =>
      import(`${builtin("node:url").pathToFileURL(path).href}?${encodeURIComponent(version)}`),
  };
}
