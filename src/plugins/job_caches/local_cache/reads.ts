import { joinPath } from "../../../base/paths.ts";
import type { JobListEntry, JobLoad, JobSearch, StoredReturn } from "../../../model/job/job_cache.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import { ENDED, type TargetOutcome } from "../../../model/job/outcome.ts";
import type { Packed } from "../../../protocol/wire/msgpack.ts";
import { allMinions, byMinion, type LocalJobReads } from "../parts.ts";
import { sifted } from "../search.ts";
import { outcomeContent, readOutcomes } from "./outcome_file.ts";
import { isWholeReturn, type LocalStore, OUTCOMES_FILE } from "./store.ts";

/** What is read of one job, and the short lists of jobs that a master looks after. */
export function jobReads(store: LocalStore): LocalJobReads {
  const outcomes = (jid: string) => outcomesOf(store, jid);
  return {
    load: (jid) => store.read(store.fileOf(jid, ".load.p")) as JobLoad | undefined,
    hasLoad: (jid) => store.isFile(store.fileOf(jid, ".load.p")),
    hasReturn: (jid, minion) => isMinionId(minion) && isWholeReturn(store, store.fileOf(jid, minion)),
    minions: (jid) => minionsOf(store, jid),
    returns: (jid) => returnsOf(store, jid),
    outcomes,
    unsettled: () => store.unsettled(),
    inState(state) {
      // A target that has ended may be one of a settled job.
      const jids = ENDED.has(state) ? store.known().map(({ jid }) => jid) : store.unsettled();
      return jids.flatMap((jid) =>
        outcomes(jid).filter((outcome) => outcome.state === state).map((outcome) => ({ jid, outcome }))
      );
    },
  };
}

/** The entries of a list, oldest or newest first, each from the file of its load. */
export function* jobEntries(store: LocalStore, reads: LocalJobReads, search: JobSearch): Iterable<JobListEntry> {
  const { fromMs = 0, untilMs = Infinity, oldestFirst = false } = search;
  const found = store.known((created) => created >= fromMs && created <= untilMs);
  const loadOf = ({ path }: { path: string }) => store.read(joinPath(path, ".load.p")) as JobLoad | undefined;
  yield* sifted(oldestFirst ? found : found.reverse(), search, loadOf, reads);
}

function outcomesOf(store: LocalStore, jid: string): TargetOutcome[] {
  // The name of earlier releases, for a whole list.
  const earlier = store.read(store.fileOf(jid, ".outcomes.p"));
  const file = outcomeContent(store.fs, store.fileOf(jid, OUTCOMES_FILE));
  return readOutcomes(file, Array.isArray(earlier) ? earlier as TargetOutcome[] : []).outcomes;
}

/** From `.minions.p` and, with syndics, `.minions.<syndic>.p`. */
function minionsOf(store: LocalStore, jid: string): string[] {
  const directory = store.directoryOf(jid);
  const files = store.namesIn(directory).filter((name) => /^\.minions(?:\..*)?\.p$/s.test(name));
  const lists = files.map((name) => store.read(joinPath(directory, name)));
  return allMinions(lists.filter(Array.isArray).map((ids) => ids.map(String)));
}

function returnsOf(store: LocalStore, jid: string): StoredReturn[] {
  const directory = store.directoryOf(jid);
  const found: StoredReturn[] = [];
  for (const minion of store.namesIn(directory)) {
    const own = joinPath(directory, minion);
    if (!store.isDirectory(own)) continue;
    const path = joinPath(own, "return.p");
    const fields = store.read(path, ["return"]) as { return: Packed; retcode?: unknown; success?: unknown } | undefined;
    if (fields?.return === undefined) continue;
    const out = store.read(joinPath(own, "out.p"));
    found.push({
      minion,
      return: fields.return,
      retcode: fields.retcode,
      success: fields.success,
      ...(typeof out === "string" ? { out } : {}),
      storedMs: store.fs.stat(path)?.mtimeMs ?? 0,
    });
  }
  return found.sort(byMinion);
}
