import { isPlainJid } from "../../job/jid.ts";
import { shown } from "../ledger.ts";
import type { Load, MasterServices } from "../services.ts";

/**
 * The command `_jobs` of our own minions: what they are at, and what they should be at.
 *
 * `{present: true, known: [jid…]}` asks for the jobs that the minion should have; `states: [[jid, state, note]…]` tells of
 * jobs that have begun (`started`), or were ended there by an operator (`cancelled`). The answer is `{jobs: [load…]}`.
 */
export function minionJobs(services: MasterServices, load: Load, minion: string | undefined): unknown {
  const { ledger, presence } = services;
  if (minion === undefined) return {};
  presence.extend(minion);
  for (const entry of Array.isArray(load.states) ? load.states : []) {
    const [jid, state, note] = Array.isArray(entry) ? entry : [];
    if (typeof jid !== "string" || !isPlainJid(jid)) continue;
    if (state === "started") ledger.started(jid, minion);
    else if (state === "cancelled") ledger.cancelled(jid, minion, typeof note === "string" ? note : "");
  }
  if (load.present !== true) return { jobs: [] };
  return { jobs: ledger.present(minion, new Set(Array.isArray(load.known) ? load.known.map(String) : [])) };
}

/** Commands of programs on the master's host: whoever may publish may ask. */
function asked(
  answer: (services: MasterServices, load: Load) => unknown,
): (services: MasterServices, load: Load) => unknown {
  return (services, load) => {
    const who = services.credentials.byKey(load.user, load.key);
    if (who !== undefined && who.permissions === undefined) return answer(services, load);
    services.log.warning("question about jobs refused: its key is not valid", { user: load.user });
    return { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
  };
}

const NOT_A_JID = { error: { name: "SaltInvocationError", message: "The jid is not a job id: expected 20 digits" } };

/** `{jid}` → minion → `{outcome, at, …}`; times in seconds since the epoch. */
export const jobOutcomes = asked(async ({ ledger }, { jid }) => {
  if (!isPlainJid(jid)) return NOT_A_JID;
  return { outcomes: Object.fromEntries((await ledger.outcomes(jid)).map((one) => [one.minion, shown(one)])) };
});

/** `{jid, minion}` → the ids whose queued job was taken away; no minion means all. */
export const jobDequeue = asked(async (services, { jid, minion }) => {
  if (!isPlainJid(jid)) return NOT_A_JID;
  const cancelled = services.ledger.dequeue(jid, typeof minion === "string" ? minion : undefined);
  await services.store.durable();
  return { cancelled };
});

/** The minions that are connected: id → the address that they come from. */
export const connected = asked(({ presence }) => ({
  connected: Object.fromEntries(
    [...presence.remotes()].filter(([id]) => presence.connected(id)).map(([id, remote]) => [id, hostOf(remote)]),
  ),
}));

/** `10.0.0.7` of `tcp://10.0.0.7:51312`. */
function hostOf(remote: string): string {
  return remote.slice(remote.indexOf("://") + 3, remote.lastIndexOf(":")).replace(/^\[|\]$/g, "");
}

/** Open jobs, and the returns that were kept out of theirs. */
export const jobCounters = asked((services) => ({
  open: services.ledger.size,
  refused: { ...services.refused },
}));
