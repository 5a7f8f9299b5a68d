import type { JobServices } from "./job_services.ts";

/** Commands that a minion sends before it listens for jobs. */
const EARLY_COMMANDS: readonly unknown[] = ["_pillar", "_jobs"];

/**
 * Publishes the jobs that are queued for a minion which does not ask for them itself (`_jobs`), with the first
 * command that it sends once it listens.
 */
export function publishQueuedJobs(services: JobServices, minion: string, cmd: unknown): void {
  if (EARLY_COMMANDS.includes(cmd) || services.presence.isBrine(minion)) return;
  services.presence.listensHere(minion);
  sendQueuedJobs(services, minion);
}

/**
 * Publishes the jobs that are queued for a minion which does not ask for them itself: at once those whose record on the disk says that the
 * minion may have them, the others as soon as that record is written.
 */
export function sendQueuedJobs({ ledger, presence, send }: JobServices, minion: string): void {
  if (ledger.size === 0 || presence.isBrine(minion) || !ledger.awaits(minion)) return;
  void ledger.offer(minion);
  for (const load of ledger.take(minion)) send(load, [minion]);
}
