import type { HashName } from "../../runtime/crypto.ts";
import type { Packed } from "../../protocol/wire/msgpack.ts";
import type { BackendUpdate } from "./backend.ts";

/** Work that takes long with large files and trees: the worker processes of a master do it. */
export interface HeavyWork {
  /**
   * The digest of a file in hexadecimal.
   *
   * @param asker the minion that asks: its requests are bounded
   */
  digest(name: HashName, path: string, asker: string): Promise<string>;
  /** The reply to a command that lists an environment, packed. */
  list(load: Record<string, unknown>, asker: string): Promise<Packed>;
  /** Looks for changes in the named backends. */
  update(backends: readonly string[]): Promise<BackendUpdate[]>;
}
