import type { MasterServices } from "../services.ts";

/** Commands that a minion sends before it listens for jobs. */
const EARLY_COMMANDS: readonly unknown[] = ["_pillar", "_jobs"];

/**
 * Publishes the jobs that are queued for a minion which does not ask for them itself (`_jobs`), with the first
 * command that it sends once it listens.
 */
export function publishQueuedJobs(services: MasterServices, minion: string, cmd: unknown): void {
  const { ledger, presence } = services;
  if (ledger.size === 0 || EARLY_COMMANDS.includes(cmd) || presence.isBrine(minion) || !ledger.awaits(minion)) return;
  for (const load of ledger.take(minion)) services.send(load, [minion]);
}
