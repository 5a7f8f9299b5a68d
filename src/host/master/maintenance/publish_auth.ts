import { joinPath } from "../../../base/paths.ts";
import { isPlainJid, jidMs } from "../../../model/job/jid.ts";
import type { MasterServices } from "../services.ts";
import { inBatches } from "./in_batches.ts";

/** The most files in `publish_auth` that are kept: each job that a minion publishes makes one. */
const MAX_FILES = 50_000;

/**
 * Removes the files that say which minion may ask for the returns of a job (`publish_auth/<jid>`), once the job is too old,
 * and the oldest where there are too many. @returns how many
 */
export async function cleanPublishAuth(
  { opts, runtime: { fs, later } }: Pick<MasterServices, "opts" | "runtime">,
  beforeMs: number,
  signal: AbortSignal,
): Promise<number> {
  const directory = joinPath(opts.cachedir, "publish_auth");
  if (fs.stat(directory)?.kind !== "directory") return 0;
  const names = fs.list(directory).sort();
  let gone = 0;
  await inBatches(names, later, signal, (name, at) => {
    // The name of a valid file is a jid, which tells the time; a file with another name is useless.
    if (isPlainJid(name) && jidMs(name) >= beforeMs && names.length - at <= MAX_FILES) return;
    fs.remove(joinPath(directory, name), { recursive: true });
    gone++;
  });
  return gone;
}
