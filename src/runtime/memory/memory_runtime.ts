/**
 * A runtime without an operating system: files, network, processes and time are objects in one process. Tests and
 * simulations run whole fleets in it.
 */
import type { Clock } from "../../base/async/clock.ts";
import { SystemError } from "../../base/errors.ts";
import type { Crypto } from "../crypto.ts";
import type { Host } from "../host.ts";
import type { Http } from "../http.ts";
import type { Runtime } from "../runtime.ts";
import type { Net } from "../net.ts";
import { memoryFileSystem } from "./fs.ts";
import { memoryHttp } from "./http.ts";
import { memoryNet } from "./net.ts";
import { memoryProcess, type MemoryProcessOptions } from "./process.ts";
import { concat } from "../bytes.ts";

/** Cryptography without threads: the simulated clock must not advance while a thread still works. */
function onTheLoop(crypto: Crypto): Crypto {
  return {
    ...crypto,
    // deno-lint-ignore require-await
    pkcs1SignAsync: async (hash, key, data) => crypto.pkcs1Sign(hash, key, data),
    // deno-lint-ignore require-await
    aes192CbcEncryptLong: async (key, iv, parts, room) => crypto.aes192CbcEncrypt(key, iv, concat(parts), room),
    // deno-lint-ignore require-await
    aes192CbcDecryptLong: async (key, iv, data) => crypto.aes192CbcDecrypt(key, iv, data),
  };
}

export * from "./fs.ts";
export * from "./http.ts";
export * from "./net.ts";
export * from "./process.ts";

interface MemoryRuntimeOptions {
  clock: Clock;
  /** The cryptography of a real runtime: the memory runtime has none. Threads are not used. */
  crypto: Crypto;
  /** The network. Runtimes with the same network can reach each other. @default a separate network */
  net?: Net;
  /** The HTTP servers. Runtimes with the same `http` can reach each other's servers. @default separate servers */
  http?: Http;
  /** The name of the simulated machine. @default "memory" */
  hostname?: string;
  /** The name of the current user. @default "root" */
  user?: string;
  process?: MemoryProcessOptions;
  /** The source of random numbers in [0, 1). @default always 0.5 */
  random?(): number;
  /** Calls back in a later turn of the event loop. @default the runtime's `setImmediate` */
  later?(callback: () => void): void;
}

declare function setTimeout(callback: () => void, ms: number): unknown;

function memoryHost(hostname: string, user: string, uid: number, gid: number): Host {
  return {
    hostname: () => hostname,
    machine: () => "x86_64",
    kernelRelease: () => "0.0.0",
    kernelVersion: () => "#1",
    cpus: () => [{ model: "memory" }],
    totalMemory: () => 2 ** 30,
    interfaces: () => ({
      lo: [{
        family: "IPv4",
        address: "127.0.0.1",
        netmask: "255.0.0.0",
        cidr: "127.0.0.1/8",
        internal: true,
        mac: "00:00:00:00:00:00",
      }],
    }),
    canonicalName: () => Promise.resolve(undefined),
    addresses: (name, family) => Promise.resolve(name === "localhost" ? [family === 4 ? "127.0.0.1" : "::1"] : []),
    user: () => ({ name: user, uid, gid, home: user === "root" ? "/root" : `/home/${user}` }),
    runtimeVersion: () => ["memory", "0"],
  };
}

/** A runtime in memory, with an empty disk. It has no SQL: use the job cache `memory` or `local_cache`. */
export function memoryRuntime(options: MemoryRuntimeOptions): Runtime {
  const { clock, hostname = "memory", user = "root" } = options;
  const { uid = 0, gid = 0 } = options.process ?? {};
  const immediate = (globalThis as { setImmediate?: (callback: () => void) => unknown }).setImmediate;
  const later = options.later ??
    ((callback: () => void) => void (immediate === undefined ? setTimeout(callback, 0) : immediate(callback)));
  return {
    name: "memory",
    clock,
    crypto: onTheLoop(options.crypto),
    databases: {
      open(path) {
        throw new SystemError("ENOTSUP", `Cannot open the database "${path}": the memory runtime has no SQL`, { path });
      },
    },
    fs: memoryFileSystem({ clock, uid, gid }),
    host: memoryHost(hostname, user, uid, gid),
    http: options.http ?? memoryHttp(clock),
    net: options.net ?? memoryNet({ later }),
    process: memoryProcess(options.process),
    random: options.random ?? (() => 0.5),
    later,
    importFile: (path) =>
      Promise.reject(
        new SystemError("ENOTSUP", `Cannot load "${path}": the memory runtime has no code`, { path }),
      ),
  };
}
