import { joinPath } from "../../../base/paths.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import type { MasterServices } from "../services.ts";

/**
 * Keeps `<pki_dir>/minions/.key_cache`, a msgpack list of the accepted ids, which programs of real Salt read in place of the
 * directory with `key_cache: sched`. This master itself never reads it: it is as old as `loop_interval`.
 *
 * @see salt/master.py handle_key_cache
 */
export class KeyCache {
  readonly #services: Pick<MasterServices, "opts" | "runtime" | "keys">;
  #written: readonly string[] | undefined;

  constructor(services: Pick<MasterServices, "opts" | "runtime" | "keys">) {
    this.#services = services;
  }

  /** Writes the file if it is missing or the accepted keys have changed. */
  write(): void {
    const { opts, runtime: { fs }, keys } = this.#services;
    const path = joinPath(opts.pki_dir, "minions", ".key_cache");
    const ids = keys.list("accepted");
    if (isSame(ids, this.#written) && fs.stat(path) !== undefined) return;
    fs.write(path, encode(ids, "bin"), { mode: 0o600 });
    this.#written = ids;
  }
}

function isSame(a: readonly string[], b: readonly string[] | undefined): boolean {
  return a === b || b !== undefined && a.length === b.length && a.every((id, at) => id === b[at]);
}
