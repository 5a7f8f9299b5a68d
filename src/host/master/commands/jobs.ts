import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import { messageOf } from "../../../base/errors.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import type { JobCache, JobLoad } from "../../../model/job/job_cache.ts";
import type { Cluster } from "../cluster_contract.ts";
import { BEGUN_UNWRITTEN, ENDED, outcomeFields } from "../../../model/job/outcome.ts";
import { decode } from "../../../protocol/wire/msgpack.ts";
import { presentMinions } from "../presence.ts";
import type { Order } from "../presence.ts";
import { assertStatesKept, jobsFor } from "../jobs/minion_reports.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";
import { jobReturned } from "./return.ts";
import { syndicJobs } from "./syndic.ts";

type Services = JobServices & AccessServices & Pick<MasterServices, "engines">;

/** The most statements of one request of a minion that are passed on to other masters. */
const MAX_STATEMENTS = 10_000;
/** The most characters of the name of one run of a minion. */
const MAX_LIFE_CHARACTERS = 32;

/**
 * The command `_jobs` of Brine minions: reports the jobs that a minion has, and asks for those that it should have.
 *
 * `{present: true, known: [jid…]}` asks for the jobs that the minion should have; with `waiting: [jid…]`, which of these it has
 * not begun, the answer has in `over` those that are not wanted any more. `states: [[jid, state, note]…]` tells of
 * jobs that have begun (`started`), were ended there by an operator (`cancelled`), whose return it has handed in before (`over`), or that it was
 * asked about and does not have (`unknown`). The answer is `{jobs: [load…]}`. It comes when
 * what the minion does not say again is on the disk.
 *
 * `order: [life, number]` numbers the statements of one run of the minion: what a newer one has overtaken says nothing of
 * jobs that it could not know yet.
 *
 * `returns: [bytes…]` hands in several returns, each packed as the command `_return` has it; the answer is
 * `{kept: [true…]}`, false for those that the minion has to hand in again.
 */
export async function minionJobs(services: Services, load: Load, minion: string | undefined): Promise<unknown> {
  if (minion === undefined) return {};
  try {
    return await takeReport(services, load, minion);
  } catch (error) {
    throw WithheldReply.unlessForGood(error, "What a minion says of its jobs");
  }
}

async function takeReport(services: Services, load: Load, minion: string): Promise<unknown> {
  const { ledger, presence } = services;
  if (load.syndic === true) return syndicJobs(services, load, minion);
  services.syndics.isAlsoMinion(minion);
  const newest = presence.markBrine(minion, orderOf(load.order));
  if (Array.isArray(load.returns)) return returned(services, load.returns, load.ts, minion);
  const once = takeStates(services, load.states, minion);
  if (once.length > 0) await assertStatesKept(services, once, minion);
  const theirs = services.cluster === undefined ? [] : await tellOthers(services, services.cluster, load, minion);
  if (load.present !== true) return { jobs: [] };
  const known = new Set(Array.isArray(load.known) ? load.known.map(String) : []);
  const waiting = distinct(load.waiting);
  if (waiting !== undefined && !await ledger.notBegun(minion, waiting)) {
    throw new WithheldReply("Which jobs a minion had begun cannot be looked up", { id: minion });
  }
  const jobs = await jobsFor(services, minion, known, newest);
  if (theirs.length > 0) jobs.push(...theirs);
  jobs.sort((a, b) => String(a.jid) < String(b.jid) ? -1 : 1);
  presence.listensHere(minion);
  if (services.cluster !== undefined) {
    const { id: cluster } = services.cluster;
    return waiting === undefined
      ? { jobs, cluster }
      : { jobs, over: await overFor(services, waiting, minion), cluster };
  }
  if (waiting === undefined) return { jobs };
  return { jobs, over: waiting.filter((jid) => !ledger.awaitsEnd(jid, minion)) };
}

/** A list of texts from a minion, which may name a job as often as it likes: each job is looked up once. */
const distinct = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? [...new Set(value.map(String))] : undefined;

/**
 * Passes on what a minion states about jobs of other masters. Resolves to the jobs that the minion should have.
 *
 * @throws {WithheldReply} if the owner of a job has not recorded what the minion states only once
 */
async function tellOthers(services: Services, cluster: Cluster, load: Load, minion: string): Promise<JobLoad[]> {
  const { ledger } = services;
  const elsewhere = (jid: unknown): jid is string => isPlainJid(jid) && ledger.loadOf(jid) === undefined;
  const states = (Array.isArray(load.states) ? load.states : []).slice(0, MAX_STATEMENTS)
    .filter((entry): entry is [string, unknown, unknown] => Array.isArray(entry) && elsewhere(entry[0]))
    .map(([jid, state, note]) => [jid, String(state), typeof note === "string" ? note : ""] as const);
  const jids = (value: unknown) => distinct(value)?.slice(0, MAX_STATEMENTS);
  const known = load.present === true ? jids(load.known) ?? [] : undefined;
  if (states.length === 0 && known === undefined) return [];
  const order = orderOf(load.order);
  const waiting = load.present === true ? jids(load.waiting) : undefined;
  const { unwritten, jobs } = await cluster.tell({ minion, order, states, waiting, known });
  const open = new Set(unwritten);
  for (const jid of await overFor(services, unwritten, minion)) open.delete(jid);
  if (open.size > 0) {
    throw new WithheldReply("What a minion says of jobs of another master could not be stored", {
      jids: [...open],
      id: minion,
    });
  }
  return jobs;
}

/** Returns those of a minion's jobs that have ended for it, by the ledger or the job cache. */
async function overFor({ ledger, jobs }: Services, jids: readonly string[], minion: string): Promise<string[]> {
  const over: string[] = [];
  for (const jid of jids.slice(0, MAX_STATEMENTS)) {
    if (!isPlainJid(jid)) continue;
    if (ledger.loadOf(jid) !== undefined) {
      if (!ledger.awaitsEnd(jid, minion)) over.push(jid);
      continue;
    }
    if (await isOver(jobs, jid, minion)) over.push(jid);
  }
  return over;
}

/** True if the job cache has a return of the minion: the returns of other minions, which may be large, are not read. */
async function isOver(jobs: JobCache, jid: string, minion: string): Promise<boolean> {
  if (await jobs.hasReturn(jid, minion)) return true;
  const saved = (await jobs.outcomes(jid)).find((one) => one.minion === minion);
  // A job whose beginning only its master has recorded must not begin again.
  if (saved !== undefined) return ENDED.has(saved.state) || saved.note === BEGUN_UNWRITTEN;
  return !(await jobs.minions(jid)).includes(minion);
}

/** Enters a minion's statements about its jobs in the ledger. Returns the jobs whose statements the minion does not repeat. */
function takeStates({ ledger }: Services, states: unknown, minion: string): string[] {
  const once: string[] = [];
  for (const entry of Array.isArray(states) ? states : []) {
    const [jid, state, note] = Array.isArray(entry) ? entry : [];
    if (typeof jid !== "string" || !isPlainJid(jid)) continue;
    const text = typeof note === "string" ? note : "";
    ledger.says(minion, jid, state, text);
    if (state === "cancelled" || text === BEGUN_UNWRITTEN) once.push(jid);
  }
  return once;
}

function orderOf(value: unknown): Order | undefined {
  const [life, number] = Array.isArray(value) ? value : [];
  if (typeof life !== "string" || life.length > MAX_LIFE_CHARACTERS || !Number.isSafeInteger(number)) return undefined;
  return { life, number };
}

/** Stores returns that arrive together, together. @param ts the time of the request, which the events of the returns have */
async function returned(
  services: Services,
  returns: readonly unknown[],
  ts: unknown,
  minion: string,
): Promise<unknown> {
  const kept = await Promise.all(returns.map(async (packed): Promise<boolean> => {
    try {
      const load = packed instanceof Uint8Array ? decode(packed, { mode: "wire", keep: ["return"] }) : undefined;
      await jobReturned(services, isRecord(load) ? { ...load, ts } : {}, minion);
    } catch (error) {
      if (error instanceof WithheldReply) return false;
      // The return counts as kept: the minion must not send it again, since the same error would follow.
      services.log.error("return could not be handled", { minion, error: messageOf(error) });
    }
    return true;
  }));
  return { kept };
}

/** Makes a command for programs on the master's host: only callers that may do everything can call it. */
function asked(
  answer: (services: Services, load: Load) => unknown,
): (services: Services, load: Load) => unknown {
  return (services, load) => {
    const who = services.callers.byKey(load.user, load.key);
    if (who !== undefined && who.permissions === undefined) return answer(services, load);
    services.log.warning("request about jobs refused: invalid key", { user: load.user });
    return { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
  };
}

const NOT_A_JID = { error: { name: "SaltInvocationError", message: "The jid is not a job id: expected 20 digits" } };

/** `{jid}` → minion → `{outcome, at, …}`; times in seconds since the epoch. */
export const jobOutcomes = asked(async ({ ledger }, { jid }) => {
  if (!isPlainJid(jid)) return NOT_A_JID;
  return { outcomes: Object.fromEntries((await ledger.outcomes(jid)).map((one) => [one.minion, outcomeFields(one)])) };
});

/** `{jid, minion}` → the ids whose queued job was cancelled; without `minion`, all of them. */
export const jobDequeue = asked(async (services, { jid, minion }) => {
  if (!isPlainJid(jid)) return NOT_A_JID;
  const cancelled = services.ledger.dequeue(jid, typeof minion === "string" ? minion : undefined);
  await services.store.durable();
  return { cancelled };
});

/** The connected minions whose keys are accepted: id → address. */
export const connected = asked((services) => {
  const present = new Set(presentMinions(services));
  return {
    connected: Object.fromEntries(
      [...services.presence.remotes()].filter(([id]) => present.has(id)).map(([id, remote]) => [id, hostOf(remote)]),
    ),
  };
});

/** `10.0.0.7` of `tcp://10.0.0.7:51312`. */
function hostOf(remote: string): string {
  return remote.slice(remote.indexOf("://") + 3, remote.lastIndexOf(":")).replace(/^\[|\]$/g, "");
}

/** The numbers of open jobs and of refused returns. */
export const jobCounters = asked((services) => ({
  open: services.ledger.size,
  refused: { ...services.refused },
}));

/** The most open jobs that one answer names. */
const MAX_OPEN = 10_000;

/** The latest open jobs: jid → `{open, queued}`, how many targets have not ended and how many of these are queued. */
export const openJobs = asked(({ ledger }) => {
  const latest = [...ledger.standings()].sort((a, b) => a.jid < b.jid ? 1 : -1).slice(0, MAX_OPEN);
  return { jobs: Object.fromEntries(latest.map(({ jid, open, queued }) => [jid, { open, queued }])) };
});

/** The state of this master's cluster, as in the status report; null without a cluster. */
export const clusterStatus = asked((services) => ({ cluster: services.cluster?.status() ?? null }));

/** The state of each engine of this master: name → {@link EngineStatus}. */
export const engineStatus = asked(async ({ engines }) => ({ engines: await engines?.report() ?? {} }));
