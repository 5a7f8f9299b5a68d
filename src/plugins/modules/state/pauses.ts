import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import { isJid } from "../../../model/job/jid.ts";
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { readPacked, writePacked } from "./packed_files.ts";

/** `{id or __all__: {duration, kill}}` */
type Pauses = Map<string, Record<string, unknown>>;

const ALL = "__all__";
/** Milliseconds between looks at a pause. */
const LOOK_MS = 1000;

/** Milliseconds in which a pause by another process is not looked for again: states that have nothing to do take less. */
const RECENT_MS = 2;
/** How many pauses this process has changed: a state of a run may pause the run itself. */
let changes = 0;

const directoryOf = ({ opts }: Pick<JobContext, "opts">) => joinPath(str(opts.cachedir), "state_pause");

/** @throws {SaltInvocationError} for what is no jid: it becomes the name of a file */
function pathOf(context: JobContext, jid: unknown): string {
  const name = str(jid);
  if (!isJid(name)) throw new SaltInvocationError(`Cannot use "${name}" as a job id: expected its 20 digits`);
  return joinPath(directoryOf(context), name);
}

function read(context: JobContext, path: string): Pauses {
  const data = readPacked(context, path);
  const known = isMap(data) ? entriesOf(data) : [];
  return new Map(known.map(([id, how]) => [str(id), isMap(how) ? Object.fromEntries(entriesOf(how)) : {}]));
}

function change(context: JobContext, jid: unknown, edit: (pauses: Pauses) => void): null {
  const path = pathOf(context, jid);
  const pauses = read(context, path);
  edit(pauses);
  writePacked(context, path, pauses);
  changes++;
  return null;
}

const idOf = (id: unknown): string => id === null || id === undefined ? ALL : str(id);

/** Tells the log of a job that a pause cannot stop, or not yet. The return is empty in any case, as in Salt. */
async function warnUnlessRunning(context: JobContext, jid: unknown): Promise<void> {
  // The runs of a master's runners are no jobs of a minion: the runner looks them up itself.
  if (context.hostMaster?.isOwn === true) return;
  const jobs = await context.jobs.running();
  if (!jobs.some((job) => str(job.jid) === str(jid))) {
    context.log.warning("no job with this id is running: the pause holds for a later job with this id", {
      jid: str(jid),
    });
  }
}

/** Has a job wait before a state, or before its next one. @param duration seconds; none for as long as the pause is there */
export async function pauseRun(context: JobContext, jid: unknown, id: unknown, duration: unknown): Promise<null> {
  const seconds = truthy(duration ?? null) ? Math.trunc(Number(duration)) : undefined;
  if (Number.isNaN(seconds)) throw new SaltInvocationError(`Cannot pause for "${str(duration)}": expected seconds`);
  change(context, jid, (pauses) => {
    pauses.set(idOf(id), { ...pauses.get(idOf(id)), ...seconds === undefined ? {} : { duration: seconds } });
  });
  await warnUnlessRunning(context, jid);
  return null;
}

/** Ends a job before a state, or before its next one. */
export async function softKill(context: JobContext, jid: unknown, id: unknown): Promise<null> {
  change(context, jid, (pauses) => void pauses.set(idOf(id), { ...pauses.get(idOf(id)), kill: true }));
  await warnUnlessRunning(context, jid);
  return null;
}

/** Lets a job go on. */
export function resume(context: JobContext, jid: unknown, id: unknown): null {
  return change(context, jid, (pauses) => {
    const isPaused = idOf(id) === ALL ? pauses.size > 0 : pauses.has(idOf(id));
    if (!isPaused) context.log.warning("nothing to resume: no such pause", { jid: str(jid), state: idOf(id) });
    if (idOf(id) === ALL) pauses.clear();
    pauses.delete(idOf(id));
  });
}

/** The pauses of running jobs: jid → id → how. Those of jobs that have ended are removed. */
export async function pausesOf(context: JobContext, jid: unknown): Promise<Record<string, unknown>> {
  const { fs } = context.runtime;
  const directory = directoryOf(context);
  if (fs.stat(directory) === undefined) return {};
  const wanted = jid === null || jid === undefined ? fs.list(directory) : [jid].flat().map(str);
  const active = new Set((await context.jobs.running()).map((job) => str(job.jid)));
  const found: Record<string, unknown> = {};
  for (const name of wanted.filter(isJid)) {
    const path = joinPath(directory, name);
    if (active.has(name)) found[name] = Object.fromEntries(read(context, path));
    else fs.remove(path);
  }
  return found;
}

export function removePauses(context: JobContext): void {
  if (isJid(context.jid)) context.runtime.fs.remove(pathOf(context, context.jid));
}

/**
 * Tells of each state of a job whether it may run: at once, unless the job is paused; false if the run is to end before it.
 *
 * @see salt/state.py State.check_pause
 */
export function pauseCheck(context: JobContext): (low: LowChunk) => boolean | Promise<boolean> {
  const { runtime: { clock, fs }, jid } = context;
  if (!isJid(jid)) return () => true;
  const path = pathOf(context, jid);
  let looked = { at: -Infinity, changes };
  return (low) => {
    const at = clock.elapsed();
    if (at - looked.at < RECENT_MS && looked.changes === changes) return true;
    if (fs.stat(path) !== undefined) return waited(context, path, low);
    looked = { at, changes };
    return true;
  };
}

async function waited(context: JobContext, path: string, low: LowChunk): Promise<boolean> {
  const { runtime: { clock, fs }, log, signal } = context;
  const start = clock.now();
  while (fs.stat(path) !== undefined) {
    let how: Record<string, unknown> | undefined;
    try {
      const pauses = read(context, path);
      how = pauses.get(str(low.__id__ ?? null)) ?? pauses.get(ALL);
    } catch (error) {
      log.error("Failed to read in pause data", { path, error: messageOf(error) });
    }
    if (how === undefined) return true;
    const duration = lookup(how, "duration");
    if (duration !== undefined && clock.now() - start > Number(duration) * 1000) return true;
    if (Object.hasOwn(how, "kill")) return false;
    await clock.sleep(LOOK_MS, signal);
  }
  return true;
}
