import { messageOf } from "../../../base/errors.ts";
import { joinPath } from "../../../base/paths.ts";
import { KEY } from "../../../model/event/tag.ts";
import { KEY_DIRECTORIES } from "../keys/key_directories.ts";
import type { MasterServices } from "../services.ts";
import { inBatches } from "./leftovers.ts";

type Services = Pick<MasterServices, "bus" | "keyAdmin" | "keys" | "log" | "opts" | "runtime">;

/**
 * Removes keys that have waited for an operator longer than `pending_key_ttl`, and denied keys of that age. A minion that is
 * still there sends its key again with its next sign-in.
 *
 * @returns how many were removed
 */
export async function expirePendingKeys(services: Services, signal: AbortSignal): Promise<number> {
  const { opts, keys, bus, log, runtime } = services;
  const { fs, clock } = runtime;
  const before = clock.now() - opts.pending_key_ttl * 1000;
  const admin = services.keyAdmin.as({ user: opts.user, via: "expiry" });
  let gone = 0;
  for (const state of ["pre", "denied"] as const) {
    await inBatches(keys.list(state), (call) => runtime.later(call), signal, (id) => {
      const stat = fs.stat(joinPath(opts.pki_dir, KEY_DIRECTORIES[state], id));
      if (stat?.kind !== "file" || stat.mtimeMs >= before) return;
      try {
        const pem = keys.read(state, id) ?? "";
        keys.remove(state, id);
        admin.note("expire", id, state, pem);
        bus.fire(KEY, { result: true, act: "delete", id, reason: "expired" });
        gone++;
      } catch (error) {
        log.warning("expired key not deleted", { id, directory: KEY_DIRECTORIES[state], error: messageOf(error) });
      }
    });
  }
  if (gone > 0) await admin.saved();
  return gone;
}
