import { joinPath } from "../../base/paths.ts";
import { type JobListEntry, summaryOf } from "../../model/job/job_cache.ts";
import { isPlainJid, jidMs } from "../../model/job/jid.ts";
import { ENDED, type TargetOutcome } from "../../model/job/outcome.ts";
import type { JobReader, RunnerContext, RunnerFunction, RunnerModule } from "../../model/loader/family.ts";
import { runnerFunction, runnerFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { StreamedMap } from "../../model/loader/streamed_map.ts";
import { isMap, truthy } from "../../language/python/values.ts";
import { decode } from "../../protocol/wire/msgpack.ts";
import {
  counts,
  fullReport,
  NOT_ON_RECORD,
  notedEnd,
  outcomeReport,
  readRecorded,
  type Report,
  reportedValue,
  shortReport,
  startTime,
} from "./job_report.ts";
import { checkCount, checkJid, search } from "./job_search.ts";

/** Functions by which programs and pages ask for other jobs. */
const ASKS_FOR_JOBS: readonly string[] = ["saltutil.find_job", "saltutil.running"];

type Args = Parameters<RunnerFunction["run"]>[1];

/** Where the jobs are read from: the source that the call names, else the configured one. */
async function source(context: RunnerContext, args: Args): Promise<JobReader> {
  const name = args.ext_source;
  const jobs = await context.jobsFrom(name === null || name === undefined || name === "" ? undefined : String(name));
  if (truthy(args.display_progress)) {
    await context.progress?.({ message: `Reading jobs from ${name ?? context.opts.master_job_cache}` });
  }
  return jobs;
}

/** Data with the outputter that the caller asked for, if any. */
const printed = (data: unknown, outputter: unknown): unknown =>
  truthy(outputter) ? { outputter: String(outputter), data } : data;

/** Refuses anything but a jid: the caller may pass any text. */
async function anyReport(context: RunnerContext, args: Args, jid: string): Promise<Report> {
  if (isPlainJid(jid)) return await fullReport(context, await source(context, args), jid);
  return { Error: NOT_ON_RECORD, StartTime: startTime(jid), Result: {} };
}

async function outcome(context: RunnerContext, args: Args): Promise<Report> {
  const jid = checkJid(args.jid);
  const jobs = await source(context, args);
  const { load, outcomes: recorded } = await readRecorded(jobs, jid);
  const outcomes = load === undefined || jobs !== context.jobs ? recorded : await withPresence(context, jid, recorded);
  const { StartTime, ...head } = load === undefined
    ? { Error: NOT_ON_RECORD, StartTime: startTime(jid) }
    : shortReport(jid, summaryOf(load));
  return {
    jid,
    ...head,
    StartTime,
    Counts: counts(outcomes),
    Outcomes: Object.fromEntries(outcomes.map((one) => [one.minion, outcomeReport(one)])),
  };
}

/** Jobs whose outcomes are counted in one call: what a page of a list shows. */
const MOST_COUNTED = 200;

/** How long a job took until its last return; undefined without one. */
function secondsOf(jid: string, outcomes: readonly TargetOutcome[]): number | undefined {
  const times = outcomes.filter(({ state, atMs }) => ANSWERED.has(state) && !Number.isNaN(atMs)).map(({ atMs }) =>
    atMs
  );
  const last = times.reduce((latest, atMs) => Math.max(latest, atMs), -Infinity);
  return last < jidMs(jid) ? undefined : (last - jidMs(jid)) / 1000;
}

const ANSWERED: ReadonlySet<string> = new Set(["returned", "failed"]);

/** What the running master knows beyond its records: the minions that are not connected, and since when. */
async function withPresence(context: RunnerContext, jid: string, recorded: TargetOutcome[]): Promise<TargetOutcome[]> {
  let live: Record<string, { since?: number; note?: string }>;
  try {
    const reply = await context.ask("job_outcomes", { jid }) as { outcomes?: typeof live } | null;
    live = reply?.outcomes ?? {};
  } catch {
    // No master is running, or it is real Salt: only the records are available.
    return recorded;
  }
  return recorded.map((outcome) => {
    const { since, note } = live[outcome.minion] ?? {};
    if (ENDED.has(outcome.state) || since === undefined) return outcome;
    return { ...outcome, sinceMs: since * 1000, ...(note === undefined ? {} : { note }) };
  });
}

/** The part of the master's answer that was asked for. @throws {SaltInvocationError} with what it refused */
function answered(answer: unknown, part?: string): unknown {
  if (!isMap(answer) || answer instanceof Map) return answer;
  const { error } = answer as { error?: { message?: unknown } };
  if (error !== undefined) throw new SaltInvocationError(String(error?.message ?? error));
  return part === undefined ? answer : answer[part] ?? answer;
}

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "active(display_progress: bool=False)": {
      doc: "The jobs that are running now, according to the minions.",
      async run(context, args): Promise<Report> {
        const answers = await context.command({ tgt: "*", fun: "saltutil.running" }) ?? {};
        const progress = async (message: string) => {
          if (args.display_progress) await context.progress?.({ message });
        };
        await progress(`Asked for running jobs: ${Object.keys(answers).join(", ")}`);
        const found: Record<string, Report & { Running: Report[]; Returned: string[] }> = {};
        for (const [minion, jobs] of Object.entries(answers)) {
          await progress(`Answer of ${minion}`);
          if (!Array.isArray(jobs)) continue;
          for (const job of jobs) {
            if (!isMap(job)) continue;
            const fields = job instanceof Map ? Object.fromEntries(job) : job;
            const jid = String(fields.jid);
            const entry = found[jid] ??= { ...shortReport(jid, summaryOf(fields)), Running: [], Returned: [] };
            entry.Running.push({ [minion]: fields.pid ?? null });
          }
        }
        const jobs = await context.jobsFrom(undefined);
        for (const [jid, entry] of Object.entries(found)) {
          entry.Returned.push(...(await jobs.returns(jid)).map(({ minion }) => minion));
        }
        return found;
      },
    },
    /** Returns by minion, with the outputter that the first of them names, if any. */
    "lookup_jid(jid, ext_source=None, returned: bool=True, missing: bool=False, display_progress: bool=False)": {
      doc:
        "What came back from a job: minion → return; with missing=True also who has not returned.\n\n    salt-run jobs.lookup_jid 20261121101500000000",
      async run(context, args): Promise<unknown> {
        const jid = checkJid(args.jid);
        const jobs = await source(context, args);
        const stored = await jobs.returns(jid);
        const data: Report = {};
        for (const one of stored) {
          if (args.display_progress) await context.progress?.({ message: one.minion });
          if (args.returned) data[one.minion] = reportedValue(one);
        }
        if (args.missing) {
          const back = new Set(stored.map(({ minion }) => minion));
          for (const id of await jobs.minions(jid)) if (!back.has(id)) data[id] = "Minion did not return";
        }
        return printed(data, stored[0]?.out);
      },
    },
    "list_job(jid, ext_source=None, display_progress=False)": {
      doc: "All details of a job.\n\n    salt-run jobs.list_job 20261121101500000000",
      run: async (context, args) => {
        const jid = String(args.jid);
        return { jid, ...await anyReport(context, args, jid) };
      },
    },
    list_jobs: runnerFunction({
      signature:
        "ext_source=None, outputter=None, search_metadata=None, search_function=None, search_target=None, start_time=None, end_time=None, display_progress=False, search_user=None, search_outcome=None",
      doc:
        "Jobs that are on record, all or those that a search finds.\n\n    salt-run jobs.list_jobs search_function='test.*' start_time='2026-11-21 10:00'\n    salt-run jobs.list_jobs search_outcome=failed search_user=root",
      async run(context, args): Promise<unknown> {
        const jobs = await source(context, args);
        const found = search(jobs, {
          metadata: args.search_metadata,
          fun: args.search_function,
          target: args.search_target,
          user: args.search_user,
          outcome: args.search_outcome,
          start: args.start_time,
          end: args.end_time,
        }, { oldestFirst: true });
        const entries = async function* (): AsyncIterable<[string, Report]> {
          for await (const page of found) {
            for (const { jid, summary } of page) {
              const report = shortReport(jid, summary);
              const end = notedEnd(context, jobs, jid);
              if (end !== undefined) report.EndTime = end;
              yield [jid, report];
            }
          }
        };
        return printed(new StreamedMap(entries()), args.outputter);
      },
    }),
    "list_jobs_filter(count, filter_find_job: bool=True, ext_source=None, outputter=None, display_progress=False)": {
      doc:
        "The last so many jobs, without those that only ask for other jobs.\n\n    salt-run jobs.list_jobs_filter 50",
      async run(context, args): Promise<unknown> {
        const count = checkCount(args.count);
        const jobs = await source(context, args);
        const kept: JobListEntry[] = [];
        search: for await (const page of search(jobs, {})) {
          for (const entry of page) {
            if (kept.length >= count) break search;
            if (args.filter_find_job && entry.summary.fun === "saltutil.find_job") continue;
            kept.push(entry);
          }
        }
        const data = kept.reverse().map(({ jid, summary }) => {
          const { StartTime, ...rest } = shortReport(jid, summary);
          return { ...rest, JID: jid, StartTime };
        });
        return printed(data, args.outputter);
      },
    },
    "print_job(jid, ext_source=None)": {
      doc: "A job and its returns, under its id.\n\n    salt-run jobs.print_job 20261121101500000000",
      run: async (context, args) => {
        const jid = String(args.jid);
        return { [jid]: await anyReport(context, args, jid) };
      },
    },
    "last_run(ext_source=None, outputter=None, metadata=None, function=None, target=None, display_progress=False)": {
      doc:
        "The newest job, or the newest that a search finds; False for none.\n\n    salt-run jobs.last_run function='cmd.run'",
      async run(context, args): Promise<unknown> {
        const jobs = await source(context, args);
        for await (const page of search(jobs, { metadata: args.metadata, fun: args.function, target: args.target })) {
          const [newest] = page;
          if (newest === undefined) continue;
          return printed({ [newest.jid]: await fullReport(context, jobs, newest.jid) }, args.outputter);
        }
        return false;
      },
    },
    "last(search_function=None, ext_source=None)": {
      doc:
        "The outcomes of the newest job, without those that only ask for other jobs; False for none.\n\n    salt-run jobs.last\n    salt-run jobs.last search_function='state.*'",
      async run(context, args): Promise<unknown> {
        const jobs = await source(context, args);
        for await (const page of search(jobs, { fun: args.search_function })) {
          const newest = page.find(({ summary }) => !ASKS_FOR_JOBS.includes(String(summary.fun)));
          if (newest !== undefined) return await outcome(context, { ...args, jid: newest.jid });
        }
        return false;
      },
    },
    "exit_success(jid, ext_source=None)": {
      doc: "Whether each minion's return is a true value.\n\n    salt-run jobs.exit_success 20261121101500000000",
      async run(context, args): Promise<Record<string, boolean>> {
        const jid = checkJid(args.jid);
        const jobs = await source(context, args);
        const found: Record<string, boolean> = {};
        for (const id of await jobs.minions(jid)) found[id] = false;
        for (const stored of await jobs.returns(jid)) if (truthy(reportedValue(stored))) found[stored.minion] = true;
        return found;
      },
    },
    /** Jobs that the master itself runs, as it has noted them in its files. */
    "master()": {
      doc: "Jobs that the master itself is running.",
      run({ runtime, opts }): Report[] {
        const { fs, process } = runtime;
        const directory = joinPath(String(opts.cachedir), "proc");
        if (fs.stat(directory)?.kind !== "directory") return [];
        const found: Report[] = [];
        for (const name of fs.list(directory)) {
          try {
            const job = decode(fs.read(joinPath(directory, name)), { mode: "bin" });
            if (isMap(job) && !(job instanceof Map) && typeof job.pid === "number" && process.alive(job.pid)) {
              found.push(job);
            }
          } catch {
            // It ended while we looked, or was being written.
          }
        }
        return found;
      },
    },
    "get_jid(jid, ext_source=None)": {
      doc:
        "What each minion has sent back of a job: its return, retcode and success.\n\n    salt-run jobs.get_jid 20261121101500000000",
      run: async (context, args) => {
        const jid = checkJid(args.jid);
        return (await fullReport(context, await source(context, args), jid)).Result;
      },
    },
    "outcome(jid, ext_source=None)": {
      doc:
        "How each target of a job stands: published, started, returned, failed, timed out, lost, queued, expired or cancelled.\n\n    salt-run jobs.outcome 20261121101500000000",
      run: outcome,
    },
    /**
     * The number of targets with each outcome: jid → outcome → number. Unknown jobs are left out, as are those whose target the
     * `minion` was not, if one is named. With `durations` each has `Seconds`, from the start of the job to the last return.
     */
    "tally(jids, ext_source=None, minion=None, durations: bool=False)": {
      doc:
        "How many targets of each of these jobs have come to which outcome; jids are a list, or separated by commas. minion: of this one alone. durations: with the seconds until the last return.\n\n    salt-run jobs.tally 20261121101500000000,20261121101600000000",
      async run(context, args): Promise<Report> {
        const jids = [args.jids].flat(2).flatMap((one) => String(one).split(",")).map((jid) => checkJid(jid.trim()));
        if (jids.length > MOST_COUNTED) {
          throw new SaltInvocationError(
            `Cannot count the outcomes of ${jids.length} jobs at once: ${MOST_COUNTED} are the most`,
          );
        }
        const only = args.minion === null || args.minion === undefined ? undefined : String(args.minion);
        const jobs = await source(context, args);
        const found: Report = {};
        for (const jid of new Set(jids)) {
          const { load, outcomes: all } = await readRecorded(jobs, jid);
          const outcomes = only === undefined ? all : all.filter(({ minion }) => minion === only);
          if (outcomes.length === 0 && (load === undefined || only !== undefined)) continue;
          const seconds = args.durations ? secondsOf(jid, outcomes) : undefined;
          found[jid] = { ...counts(outcomes), ...(seconds === undefined ? {} : { Seconds: seconds }) };
        }
        return found;
      },
    },
    "queued()": {
      doc: "The jobs that are queued for disconnected minions, and when they expire.",
      async run(context): Promise<Report> {
        const byJob = new Map<string, TargetOutcome[]>();
        for (const { jid, outcome } of await context.jobs.inState("queued")) {
          const others = byJob.get(jid);
          if (others === undefined) byJob.set(jid, [outcome]);
          else others.push(outcome);
        }
        const found: Report = {};
        for (const [jid, outcomes] of byJob) {
          const load = await context.jobs.load(jid);
          found[jid] = {
            ...(load === undefined ? {} : shortReport(jid, summaryOf(load))),
            Queued: Object.fromEntries(outcomes.map((one) => {
              const { Outcome: _outcome, ...rest } = outcomeReport(one);
              return [one.minion, rest];
            })),
          };
        }
        return found;
      },
    },
    "dequeue(jid, minion=None)": {
      doc:
        "Dequeues a job for all minions that it waits for, or for one of them.\n\n    salt-run jobs.dequeue 20261121101500000000 minion=web1",
      run: async (context, { jid, minion }) => {
        const who = minion === null || minion === undefined ? {} : { minion: String(minion) };
        return answered(await context.ask("job_dequeue", { jid: checkJid(jid), ...who }), "cancelled");
      },
    },
    "refused()": {
      doc: "The number of returns that the running master has refused, by reason.",
      run: async (context) => answered(await context.ask("job_counters", {}), "refused"),
    },
    "open()": {
      doc:
        "The jobs that have not ended, by the record of the running master, the latest first: how many targets are open, and how many of these queued. No minion is asked.",
      run: async (context) => answered(await context.ask("open_jobs", {}), "jobs"),
    },
    "counters()": {
      doc: "The running master's counters of jobs: the open ones, and the refused returns.",
      run: async (context) => answered(await context.ask("job_counters", {})),
    },
  }),
};
