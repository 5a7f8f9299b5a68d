import { WithheldReply } from "../../channel/req_server.ts";
import type { MasterServices } from "../services.ts";

/** Commands that a minion sends before it listens for jobs. */
const EARLY_COMMANDS: readonly unknown[] = ["_pillar", "_jobs"];

/**
 * Before a minion gets the jobs that are queued for it: resolves once it is on the disk that it may have them.
 *
 * @throws {WithheldReply} if that could not be written; the jobs stay queued, and the minion asks again
 */
export async function offerQueuedJobs({ ledger, store }: MasterServices, minion: string): Promise<void> {
  const since = store.losses;
  if (!ledger.offer(minion)) return;
  try {
    await store.durable();
    store.assertKept(since);
  } catch (cause) {
    throw new WithheldReply("It could not be stored which jobs a minion gets", { cause, id: minion });
  }
}

/**
 * Publishes the jobs that are queued for a minion which does not ask for them itself (`_jobs`), with the first
 * command that it sends once it listens.
 */
export function publishQueuedJobs(services: MasterServices, minion: string, cmd: unknown): void {
  if (!EARLY_COMMANDS.includes(cmd)) sendQueuedJobs(services, minion);
}

/** Publishes the jobs that are queued for a minion which does not ask for them itself. */
export function sendQueuedJobs(services: MasterServices, minion: string): void {
  const { ledger, presence } = services;
  if (ledger.size === 0 || presence.isBrine(minion) || !ledger.awaits(minion)) return;
  const send = () => {
    for (const load of ledger.take(minion)) services.send(load, [minion]);
  };
  // The job cache says itself that it cannot be written; the next command of the minion tries again.
  offerQueuedJobs(services, minion).then(send, () => {});
}
