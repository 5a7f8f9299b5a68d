/** Deno: Node's adapter, with the cipher that `node:crypto` lacks there, and with sockets that children do not inherit. */
import type { Runtime } from "../runtime.ts";
import { nodeFileSystem } from "../node/fs.ts";
import { nodeRuntime } from "../node/node_runtime.ts";
import { nodeNet } from "../node/net.ts";
import { nodeProcess } from "../node/process.ts";
import { closeOnExec } from "./close_on_exec.ts";
import { denoCrypto } from "./crypto.ts";
import { denoUnixDatagram } from "./unix_datagram.ts";
import type { InitGroups } from "../node/become.ts";

/** The part of Deno that is used here: its own types are not available to Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: { initgroups(name: Uint8Array, gid: number): number } };
}

/** Sets supplementary groups by the C library: Deno's `node:process` cannot. */
const denoInitGroups: InitGroups = (name, gid) => {
  const { Deno } = globalThis as unknown as { Deno: DenoForeign };
  if (Deno.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return false;
  try {
    const { symbols } = Deno.dlopen("libc.so.6", { initgroups: { parameters: ["buffer", "u32"], result: "i32" } });
    return symbols.initgroups(new TextEncoder().encode(`${name}\0`), gid) === 0;
  } catch {
    return false;
  }
};

interface DenoGlobal {
  version: { deno: string };
}

export function denoRuntime(): Runtime {
  const base = nodeRuntime();
  const { version } = (globalThis as unknown as { Deno: DenoGlobal }).Deno;
  const unixDatagram = denoUnixDatagram();
  const net = { ...nodeNet({ closeOnExec: closeOnExec() }), ...(unixDatagram === undefined ? {} : { unixDatagram }) };
  return {
    ...base,
    name: "deno",
    crypto: denoCrypto(),
    // File attributes are not copied: that needs a program with two descriptors, which Deno cannot pass.
    fs: nodeFileSystem(undefined, () => {}),
    net,
    process: nodeProcess({ initGroups: denoInitGroups }),
    host: { ...base.host, runtimeVersion: () => ["deno", version.deno] },
    http: {
      serve: async (handler, options) => (await import("./http.ts")).serveDenoHttp(handler, options, net),
      request: async (url, request) => (await import("../node/http_request.ts")).requestHttp(url, request),
    },
  };
}
