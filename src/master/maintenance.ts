import { joinPath } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import type { MasterServices } from "./services.ts";

/** Looked for once a second: an operator who deletes a key expects it to take hold now. */
const ROTATION_CHECK_MS = 1000;
const EXPIRY_CHECK_MS = 3_600_000;
const SHRINK_CHECK_MS = 60_000;

/** True, and the file is gone, if somebody asks for a new master key by `<cachedir>/.dfn`. */
function rotationAsked({ opts, runtime: { fs } }: MasterServices, id: string): boolean {
  const path = joinPath(opts.cachedir, ".dfn");
  const stat = fs.stat(path);
  if (stat?.kind !== "file") return false;
  const owner = fs.readText(path).trim();
  // 3006 drops an empty file, 3007 one with the id of the master that it is for.
  if (owner !== "" && owner !== id) return false;
  fs.remove(path);
  return stat.mode === 0o400;
}

/**
 * What a master does by itself: rotates its key when asked or when its time has come, and removes old jobs. Returns when the
 * signal aborts.
 *
 * @param id the master's own
 */
export async function maintain(services: MasterServices, id: string, signal: AbortSignal): Promise<void> {
  const { opts, jobs, log, runtime: { clock } } = services;
  let rotatedMs = clock.now();
  let expiredMs = -Infinity;
  let shrunkMs = -Infinity;
  let lookedMs = -Infinity;
  while (!signal.aborted) {
    try {
      services.ledger.tick();
      const aged = opts.publish_session > 0 && clock.now() - rotatedMs >= opts.publish_session * 1000;
      if (rotationAsked(services, id) || aged) {
        services.rotateMasterKey();
        rotatedMs = clock.now();
      }
      if (opts.keep_jobs_seconds > 0 && clock.now() - expiredMs >= EXPIRY_CHECK_MS) {
        expiredMs = clock.now();
        const gone = await jobs.expire(expiredMs - opts.keep_jobs_seconds * 1000);
        if (gone > 0) log.info("old jobs removed", { jobs: gone });
        const tokens = services.externalAuth.sweep();
        if (tokens > 0) log.info("expired tokens removed", { tokens });
      }
      if (opts.brine_job_cache_bytes > 0 && clock.now() - shrunkMs >= SHRINK_CHECK_MS) {
        shrunkMs = clock.now();
        const gone = await jobs.shrink(opts.brine_job_cache_bytes);
        if (gone > 0) log.info("oldest jobs removed: brine_job_cache_bytes is reached", { jobs: gone });
      }
      if (opts.fileserver_events && clock.now() - lookedMs >= opts.fileserver_interval * 1000) {
        lookedMs = clock.now();
        await services.files.update();
      }
    } catch (error) {
      log.error("maintenance failed", { error: messageOf(error) });
    }
    await clock.sleep(ROTATION_CHECK_MS, signal).catch(() => {});
  }
}
