/** Bun: Node's adapter, with datagrams to Unix sockets; measured, Bun's own sockets and files gain too little for a second implementation. */
import type { Runtime } from "../runtime.ts";
import { nodeRuntime } from "../node/node_runtime.ts";
import { fifoPipes } from "../node/pipes.ts";
import { nodeProcess } from "../node/process.ts";
import { bunCrypto } from "./crypto.ts";
import { bunStreams } from "./descriptor_streams.ts";
import { withEmbeddedFiles } from "./embedded_files.ts";
import { bunUnixDatagram } from "./unix_datagram.ts";

interface BunGlobal {
  version: string;
}

/** The runtime of a program on Bun. */
export function bunRuntime(): Runtime {
  const base = nodeRuntime();
  const { version } = (globalThis as unknown as { Bun: BunGlobal }).Bun;
  const unixDatagram = bunUnixDatagram();
  // A program that was compiled to one file has other files embedded in it.
  const net = { ...base.net, ...(unixDatagram === undefined ? {} : { unixDatagram }) };
  const fs = import.meta.url.includes("/$bunfs/") ? withEmbeddedFiles(base.fs, process.execPath) : base.fs;
  return {
    ...base,
    name: "bun",
    crypto: bunCrypto(),
    fs,
    net,
    process: nodeProcess({ pipes: fifoPipes(bunStreams) }),
    host: { ...base.host, runtimeVersion: () => ["bun", version] },
    http: {
      serve: async (handler, options) => (await import("./http.ts")).serveHttp(handler, options, net),
      request: async (url, request) => (await import("../node/http_request.ts")).requestHttp(url, request),
    },
    // Imported by path: Bun ignores the query of a file: URL, so a changed file would not be loaded again.
    importFile: (path, stamp) => import(`${path}?${encodeURIComponent(stamp)}`),
  };
}
