import type { Outcome } from "./outcome.ts";

/** The text that is shown for a minion that did not return. */
export function silentText(jid: string, outcome?: Outcome): string {
  const gone = outcome?.kind === "lost" || (outcome !== undefined && "sinceMs" in outcome);
  const why = gone ? "Not connected" : outcome?.kind === "cancelled" ? "Cancelled" : "No response";
  return `Minion did not return. [${why}]\n` +
    "The minions may not have all finished running and any remaining minions " +
    "will return upon completion. To look up the return data for this job later, run the following command:\n\n" +
    `salt-run jobs.lookup_jid ${jid}`;
}
