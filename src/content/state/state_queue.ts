import { joinPath } from "../../base/paths.ts";
import { str } from "../../language/python/values.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** Directory with one file for each queued state job; as in Salt, each master has its own directory. */
export function stateQueueDirectory({ cachedir, master }: Readonly<Record<string, unknown>>): string {
  const name = master === null || master === undefined ? "" : [master].flat().map(str).join(",");
  const own = name === "" ? "_default" : name.replace(/[^A-Za-z0-9._-]/g, "_");
  return joinPath(str(cachedir), "queues", own, "state_queue");
}

/** The queued jobs of such a directory: jid → path of the job's file. */
export function queuedJobs(fs: FileSystem, directory: string): Map<string, string> {
  if (fs.stat(directory)?.kind !== "directory") return new Map();
  return new Map(
    fs.list(directory).flatMap((name): [string, string][] => {
      const jid = /^queued_\d+_(\w+)\.p$/.exec(name)?.[1];
      return jid === undefined ? [] : [[jid, joinPath(directory, name)]];
    }),
  );
}

/** The files of one queued job, whichever master the job is from. */
function filesOf(fs: FileSystem, cachedir: string, jid: string): string[] {
  const queues = joinPath(cachedir, "queues");
  if (fs.stat(queues)?.kind !== "directory") return [];
  return fs.list(queues).flatMap((name) => {
    const path = queuedJobs(fs, joinPath(queues, name, "state_queue")).get(jid);
    return path === undefined ? [] : [path];
  });
}

/**
 * True for a job that was still queued when its minion stopped and had run no state: such a job may run again. The job's file
 * is removed in any case.
 *
 * @param fun the job's function: if there are several, some may have run before the queued one
 */
export function takeOutOfQueue(fs: FileSystem, cachedir: string, jid: string, fun: unknown): boolean {
  const files = filesOf(fs, cachedir, jid);
  for (const path of files) fs.remove(path);
  return files.length > 0 && typeof fun === "string" && fun.startsWith("state.") && !hasRun(fs, cachedir, jid);
}

/** True if states of a job have started: the run then has a record. */
function hasRun(fs: FileSystem, cachedir: string, jid: string): boolean {
  const records = joinPath(cachedir, "state_runs");
  return fs.stat(records)?.kind === "directory" && fs.list(records).some((name) => name.startsWith(`${jid}-`));
}
