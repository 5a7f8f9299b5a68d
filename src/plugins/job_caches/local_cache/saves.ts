import { joinPath } from "../../../base/paths.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import { jidToTime, newJid } from "../../../model/job/jid.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import type { LocalJobSaves } from "../parts.ts";
import { outcomeContent, outcomeRecord, readOutcomes } from "./outcome_file.ts";
import { isWholeReturn, type LocalStore, OUTCOMES_FILE } from "./store.ts";

/** Names in a job's directory that a minion's own directory cannot have. */
const FILES = /^(?:jid|nocache|endtime|\.load\.p|\.outcomes(?:\.p)?|\.minions(?:\..*)?\.p)$/s;

/** True if a minion has not returned: there is nothing in its place, or what a loss of power has left of a return. */
function isFree(store: LocalStore, own: string): boolean {
  const kind = store.fs.stat(own, { follow: false })?.kind;
  return kind === undefined || kind === "directory" && !isWholeReturn(store, own);
}

/** What a master saves, each as files that the next flush answers for. */
export function jobSaves(
  store: LocalStore,
  storeEndtime: boolean,
): Omit<LocalJobSaves, "reserve"> & { reserve(jid: string, options?: { nocache?: boolean }): boolean } {
  const { fs, clock, changes } = store;
  return {
    reserve(jid, { nocache = false } = {}) {
      if (fs.stat(store.directoryOf(jid)) !== undefined) return false;
      return changes.saving(() => {
        const directory = store.prepare(jid);
        if (nocache) changes.write(directory, "nocache", "");
        return true;
      });
    },
    saveLoad(jid, load, minions) {
      changes.saving(() => {
        const directory = store.prepare(jid);
        changes.write(directory, ".minions.p", encode(minions, "bin"));
        // Before the load: one without a mark would never be looked after again.
        store.markUnsettled(jid);
        if (!store.isFile(joinPath(directory, ".load.p"))) changes.write(directory, ".load.p", encode(load, "bin"));
      });
    },
    saveMinions(jid, minions, syndic = "") {
      if (syndic !== "" && !isMinionId(syndic)) {
        throw new RangeError(`Cannot save minions: "${syndic}" is not a minion id`);
      }
      const name = syndic === "" ? ".minions.p" : `.minions.${syndic}.p`;
      changes.saving(() => changes.write(store.prepare(jid), name, encode(minions, "bin")));
    },
    saveReturn(jid, { minion, return: value, retcode, success, out }) {
      if (!isMinionId(minion)) throw new RangeError(`Cannot save a return: "${minion}" is not a minion id`);
      const before = store.directoryOf(jid);
      if (store.isFile(joinPath(before, "nocache"))) return true;
      if (FILES.test(minion) || !isFree(store, joinPath(before, minion))) return false;
      return changes.saving(() => {
        const own = joinPath(store.prepare(jid), minion);
        changes.makeDirectory(own);
        if (out !== undefined) changes.write(own, "out.p", encode(out, "bin"));
        changes.write(own, "return.p", encode({ return: value, retcode, success }, "bin"));
        if (storeEndtime) store.updateEndtime(jid, jidToTime(newJid(clock)));
        return true;
      });
    },
    saveOutcomes(jid, changed) {
      changes.saving(() => {
        const path = joinPath(store.prepare(jid), OUTCOMES_FILE);
        changes.append(path, readOutcomes(outcomeContent(fs, path)).whole, outcomeRecord(changed));
      });
    },
    settle: (jid) => store.settle(jid),
  };
}
