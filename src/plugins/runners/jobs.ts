import { jidToTime } from "../../job/jid.ts";
import { isPlainJid } from "../../job/jid.ts";
import type { JobListEntry, JobLoad, StoredReturn } from "../../job/job_cache.ts";
import type { RunnerContext } from "../../loader/context.ts";
import { type RunnerModule, SaltInvocationError } from "../../loader/family.ts";
import { matchExpression } from "../../target/expression.ts";
import { unpack } from "../../wire/msgpack.ts";

type Map_ = Record<string, unknown>;

const value = (stored: StoredReturn): unknown => unpack(stored.return, "bin");

/** How jobs are shown: the words of Salt's reports. */
function short(jid: string, load: JobLoad): Map_ {
  const { kwargs, metadata } = load as { kwargs?: Map_; metadata?: unknown };
  const meta = metadata ?? kwargs?.metadata;
  return {
    Function: load.fun ?? "unknown-function",
    Arguments: load.arg ?? [],
    Target: load.tgt ?? "unknown-target",
    "Target-type": load.tgt_type ?? "list",
    User: load.user ?? "root",
    ...(meta === undefined ? {} : { Metadata: meta }),
    StartTime: jidToTime(jid),
  };
}

function checkJid(jid: unknown): string {
  const text = String(jid);
  if (isPlainJid(text)) return text;
  throw new SaltInvocationError(`'${text}' is not a job id: expected 20 digits`);
}

/** A job with all that came back. */
function full(context: RunnerContext, jid: string): Map_ {
  const load = context.jobs.load(jid);
  const head = { jid };
  if (load === undefined) {
    return { ...head, Error: "Cannot contact returner or no job with this jid", StartTime: jidToTime(jid), Result: {} };
  }
  const result: Map_ = {};
  for (const stored of context.jobs.returns(jid)) {
    result[stored.minion] = {
      return: value(stored),
      ...(stored.retcode === undefined ? {} : { retcode: stored.retcode }),
      ...(stored.success === undefined ? {} : { success: stored.success }),
      ...(stored.out === undefined ? {} : { out: stored.out }),
    };
  }
  return { ...short(jid, load), ...head, Minions: context.jobs.minions(jid), Result: result };
}

const listOf = (wanted: unknown): string[] =>
  Array.isArray(wanted) ? wanted.map(String) : String(wanted).split(",").map((part) => part.trim());

/** A date as the searches take it: what JavaScript reads, or seconds since the epoch. */
function timeOf(text: unknown, name: string): number | undefined {
  if (text === null || text === undefined) return undefined;
  const ms = typeof text === "number"
    ? text * 1000
    : Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(String(text)) ? String(text) : `${text}Z`);
  if (Number.isNaN(ms)) {
    throw new SaltInvocationError(`'${text}' is not a valid ${name}: expected a date such as 2026-11-21 10:00`);
  }
  return ms;
}

interface Search {
  metadata?: unknown;
  fun?: unknown;
  target?: unknown;
  start?: unknown;
  end?: unknown;
}

function matches({ load }: JobListEntry, search: Search): boolean {
  if (search.fun !== null && search.fun !== undefined) {
    const functions = [load.fun].flat().map(String);
    if (!listOf(search.fun).some((pattern) => functions.some((fun) => matchExpression(fun, pattern)))) return false;
  }
  if (search.target !== null && search.target !== undefined) {
    const targets = [load.tgt].flat().map(String);
    if (!listOf(search.target).some((pattern) => targets.some((tgt) => matchExpression(tgt, pattern)))) return false;
  }
  if (typeof search.metadata === "object" && search.metadata !== null) {
    const held = (load.metadata ?? (load.kwargs as Map_ | undefined)?.metadata) as Map_ | undefined;
    if (!Object.entries(search.metadata).some(([key, wanted]) => held?.[key] === wanted)) return false;
  }
  return true;
}

function* find(context: RunnerContext, search: Search): Iterable<JobListEntry> {
  const fromMs = timeOf(search.start, "start_time");
  const untilMs = timeOf(search.end, "end_time");
  for (
    const entry of context.jobs.list({
      ...(fromMs === undefined ? {} : { fromMs }),
      ...(untilMs === undefined ? {} : { untilMs }),
    })
  ) {
    if (matches(entry, search)) yield entry;
  }
}

/** Returns by minion; with the outputter that they name, if one does. */
function lookup(context: RunnerContext, jid: string, missing: boolean): unknown {
  const data: Map_ = {};
  let out: string | undefined;
  for (const stored of context.jobs.returns(jid)) {
    data[stored.minion] = value(stored);
    out ??= stored.out;
  }
  if (missing) {
    for (const id of context.jobs.minions(jid)) if (!(id in data)) data[id] = "Minion did not return";
  }
  return out === undefined ? data : { outputter: out, data };
}

async function active(context: RunnerContext): Promise<Map_> {
  const answers = await context.command({ tgt: "*", fun: "saltutil.running" }) ?? {};
  const found: Record<string, Map_> = {};
  for (const [minion, jobs] of Object.entries(answers)) {
    if (!Array.isArray(jobs)) continue;
    for (const job of jobs as Map_[]) {
      const jid = String(job.jid);
      const entry = found[jid] ??= {
        ...short(jid, { fun: job.fun, arg: job.arg, tgt: job.tgt, tgt_type: job.tgt_type, user: job.user }),
        Running: [],
        Returned: [],
      };
      (entry.Running as Map_[]).push({ [minion]: job.pid });
    }
  }
  for (const jid of Object.keys(found)) found[jid]!.Returned = context.jobs.returns(jid).map(({ minion }) => minion);
  return found;
}

export const runner: RunnerModule = {
  functions: {
    active: {
      signature: "display_progress=False",
      doc: "Jobs that are running now, as the minions themselves tell.",
      run: (context) => active(context),
    },
    lookup_jid: {
      signature: "jid, ext_source=None, returned=True, missing=False, display_progress=False",
      doc: "What came back from a job: minion → return.\n\n    salt-run jobs.lookup_jid 20261121101500000000",
      run: (context, { jid, missing }) => lookup(context, checkJid(jid), missing === true),
    },
    list_job: {
      signature: "jid, ext_source=None, display_progress=False",
      doc: "Everything that is known of a job.",
      run: (context, { jid }) => full(context, checkJid(jid)),
    },
    list_jobs: {
      signature:
        "ext_source=None, outputter=None, search_metadata=None, search_function=None, search_target=None, start_time=None, end_time=None, display_progress=False",
      doc:
        "Jobs that are on record, all or those that a search finds.\n\n    salt-run jobs.list_jobs search_function='test.*'",
      run: (context, args) => {
        const search = {
          metadata: args.search_metadata,
          fun: args.search_function,
          target: args.search_target,
          start: args.start_time,
          end: args.end_time,
        };
        const found = [...find(context, search)].reverse();
        return Object.fromEntries(found.map(({ jid, load }) => [jid, short(jid, load)]));
      },
    },
    list_jobs_filter: {
      signature: "count, filter_find_job=True, ext_source=None, outputter=None, display_progress=False",
      doc: "The last so many jobs, without those that only ask for other jobs.",
      run: (context, { count, filter_find_job }) => {
        const kept: JobListEntry[] = [];
        for (const entry of find(context, {})) {
          if (filter_find_job !== false && entry.load.fun === "saltutil.find_job") continue;
          if (kept.length >= Number(count)) break;
          kept.push(entry);
        }
        return Object.fromEntries(kept.reverse().map(({ jid, load }) => [jid, short(jid, load)]));
      },
    },
    print_job: {
      signature: "jid, ext_source=None",
      doc: "A job and its returns, under its id.",
      run: (context, { jid }) => {
        const { jid: _jid, ...rest } = full(context, checkJid(jid));
        return { [String(jid)]: rest };
      },
    },
    last_run: {
      signature: "ext_source=None, outputter=None, metadata=None, function=None, target=None, display_progress=False",
      doc: "The newest job, or the newest that a search finds.",
      run: (context, args) => {
        for (const { jid } of find(context, { metadata: args.metadata, fun: args.function, target: args.target })) {
          const { jid: _jid, ...rest } = full(context, jid);
          return { [jid]: rest };
        }
        return false;
      },
    },
    exit_success: {
      signature: "jid, ext_source=None",
      doc: "Whether each minion's return is a true value.",
      run: (context, { jid }) => {
        const plain = checkJid(jid);
        const returned = new Map(context.jobs.returns(plain).map((stored) => [stored.minion, stored]));
        return Object.fromEntries(
          context.jobs.minions(plain).map((id) => {
            const stored = returned.get(id);
            const back = stored === undefined ? undefined : value(stored);
            const code = typeof stored?.retcode === "number" ? stored.retcode : 0;
            return [id, Boolean(back) && code === 0];
          }),
        );
      },
    },
  },
};
