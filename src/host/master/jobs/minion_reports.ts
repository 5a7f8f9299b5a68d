/** What is common to reports of minions, whether they come to this master or through another one of its cluster. */
import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import type { JobLoad } from "../../../model/job/job_cache.ts";
import type { JobServices } from "./job_services.ts";

/**
 * Takes the list of jobs that a Brine minion knows, and returns the jobs that it should have. Queued jobs wait until the record that the
 * minion may have them is on the disk; if that fails, they follow as a publication.
 *
 * @param newest see {@link Ledger.present}
 */
export async function jobsFor(
  { ledger }: JobServices,
  minion: string,
  known: ReadonlySet<string>,
  newest: boolean,
): Promise<JobLoad[]> {
  // The list is taken before the disk is written: the minion may report more meanwhile.
  const jobs = ledger.present(minion, known, { complete: newest });
  const noting = ledger.offer(minion);
  if (noting === undefined) return jobs;
  await noting;
  const all = ledger.present(minion, known, { complete: false });
  ledger.answered(minion);
  return all;
}

/**
 * Resolves once a minion's statements about jobs are on the disk.
 *
 * @throws {WithheldReply} if they could not be written, neither now nor when the minion made them before: the minion repeats them
 */
export async function assertStatesKept(
  { ledger, store }: JobServices,
  jids: readonly string[],
  minion: string,
): Promise<void> {
  const text = "What a minion says of its jobs could not be stored";
  await store.durable().catch((cause) => {
    throw new WithheldReply(text, { cause, id: minion });
  });
  // What was said before may wait to be written again, and is not written because this was.
  const unsaved = jids.filter((jid) => ledger.isUnsaved(jid, minion));
  if (unsaved.length > 0) throw new WithheldReply(text, { id: minion, jids: unsaved });
}
