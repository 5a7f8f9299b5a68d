/** What Brine needs from a runtime: interfaces only. The adapters are in the subfolders, one for each runtime. */
import type { Clock } from "../base/async/clock.ts";
import type { Crypto } from "./crypto.ts";
import type { Databases } from "./database.ts";
import type { FileSystem } from "./fs.ts";
import type { Host } from "./host.ts";
import type { Http } from "./http.ts";
import type { Net } from "./net.ts";
import type { ProcessHost } from "./process.ts";

/** Everything below the core, as one argument. Two of them can live in one process. */
export interface Runtime {
  /** `"node"`, `"bun"`, `"deno"` or `"memory"`: for reports and grains, never to branch on. */
  readonly name: string;
  /** Time and timers. */
  readonly clock: Clock;
  /** Hashes, ciphers and signatures. */
  readonly crypto: Crypto;
  /** SQLite databases. */
  readonly databases: Databases;
  /** Files, read and written synchronously. */
  readonly fs: FileSystem;
  /** Facts of this machine: its name, users and addresses. */
  readonly host: Host;
  /** HTTP servers. */
  readonly http: Http;
  /** Byte streams: TCP and Unix sockets. */
  readonly net: Net;
  /** This process, and the programs that it starts. */
  readonly process: ProcessHost;
  /** A random number in [0, 1), for jitter, never for secrets. */
  random(): number;
  /** Runs `callback` in the next turn of the event loop, after pending I/O. */
  later(callback: () => void): void;
  /**
   * Loads a JavaScript or TypeScript file and returns its exports. The same path and version are loaded once.
   *
   * @param version changes when the file does: it is then loaded again
   */
  importFile(path: string, version: string): Promise<Record<string, unknown>>;
}
