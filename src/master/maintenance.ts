import { keepJobsSeconds } from "../config/keep_jobs.ts";
import { joinPath } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import { isPlainJid, jidMs } from "../job/jid.ts";
import type { MasterServices } from "./services.ts";

/** Checked once a second: an operator who deletes a key expects it to take effect now. */
const ROTATION_CHECK_MS = 1000;
const EXPIRY_CHECK_MS = 3_600_000;
const SHRINK_CHECK_MS = 60_000;

/** True if a new master key is requested by the file `<cachedir>/.dfn`, which is removed. */
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

/** Files of this kind kept at most: each job that a minion publishes makes one. */
const MOST_PUBLISH_AUTH = 50_000;

/**
 * Removes the files that say which minion may ask for the returns of a job (`publish_auth/<jid>`), once the job is too old,
 * and the oldest where there are too many.
 */
export function cleanPublishAuth({ opts, runtime: { fs } }: MasterServices, beforeMs: number): number {
  const directory = joinPath(opts.cachedir, "publish_auth");
  if (fs.stat(directory)?.kind !== "directory") return 0;
  const names = fs.list(directory).sort();
  let gone = 0;
  for (const [at, name] of names.entries()) {
    // The name is a jid, which tells the time; a file with another name is of no use.
    if (isPlainJid(name) && jidMs(name) >= beforeMs && names.length - at <= MOST_PUBLISH_AUTH) continue;
    fs.remove(joinPath(directory, name));
    gone++;
  }
  return gone;
}

/**
 * Periodic work of a master: rotates its key on request or when it is due, and removes old jobs. Returns when the
 * signal aborts.
 *
 * @param id the master's own
 */
export async function maintain(services: MasterServices, id: string, signal: AbortSignal): Promise<void> {
  const { opts, jobs, log, runtime: { clock } } = services;
  const keptSeconds = keepJobsSeconds(opts);
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
      if (keptSeconds > 0 && clock.now() - expiredMs >= EXPIRY_CHECK_MS) {
        expiredMs = clock.now();
        const gone = await jobs.expire(expiredMs - keptSeconds * 1000);
        if (gone > 0) log.info("old jobs removed", { jobs: gone });
        cleanPublishAuth(services, expiredMs - keptSeconds * 1000);
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
