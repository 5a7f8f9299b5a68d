import {
  executionFunction,
  executionFunctions,
  type ExecutionModule,
  InvalidArgumentsError,
} from "../../model/loader/family.ts";
import { listExtensions } from "../../model/loader/sync.ts";
import { str, truthy } from "../../language/python/values.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { clearGrainsCache } from "../grains_cache.ts";
import { keywords } from "../keywords.ts";
import { cachedJob, clearCaches, clearJobs, forgetKeys } from "./saltutil/caches.ts";
import { COMMAND_DOC, COMMAND_KEYWORDS, hostCommand, runRunner, runWheel } from "./saltutil/host_master.ts";
import { runningJobs, signalAll, signalJob, signalOf } from "./saltutil/jobs.ts";
import {
  KINDS,
  notifyMinion,
  refreshFacts,
  refreshModules,
  sync,
  SYNC_FACTS,
  syncKind,
  withEnvironments,
} from "./saltutil/sync.ts";

const REFRESH_PILLAR = executionFunction({
  inline: true,
  signature: "wait: bool=False, timeout=30, clean_cache: bool=True",
  doc: "Refreshes the pillar of the minion. `wait` waits for it, at most `timeout` seconds.\n\n" +
    "    salt '*' saltutil.refresh_pillar\n    salt '*' saltutil.refresh_pillar wait=True timeout=60",
  async run(context, { wait, timeout, clean_cache }) {
    const data = { clean_cache };
    const ask = context.master?.askLocal;
    if (!wait || ask === undefined) return notifyMinion(context, "pillar_refresh", data);
    const seconds = Number(timeout);
    if (!Number.isFinite(seconds) || seconds < 0) {
      throw new InvalidArgumentsError(`timeout must be a number of seconds from 0 on, not ${str(timeout)}`);
    }
    const done = await ask("pillar_refresh", data, "/salt/minion/minion_pillar_refresh_complete", seconds * 1000);
    if (done?.complete !== true) {
      context.log.warning(`Pillar refresh did not complete within timeout ${str(timeout)}`);
    }
    return true;
  },
});

const refresh = (tag: string, what: string) =>
  executionFunction({
    inline: true,
    signature: "",
    doc: `Makes the minion reload ${what}.`,
    run(context) {
      notifyMinion(context, tag, {});
      return true;
    },
  });

/** The minion itself: its jobs, its caches, and its refreshes. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "running()": {
      inline: true,
      doc: "The running jobs, without this one.\n\n    salt '*' saltutil.running",
      run: runningJobs,
    },
    "find_job(jid: str)": {
      inline: true,
      doc: "The running job with this jid, or an empty map. Masters ask minions that have not returned.\n\n" +
        "    salt '*' saltutil.find_job 20240101000000000000",
      run: async (context, { jid }) => (await runningJobs(context)).find((job) => job.jid === jid) ?? {},
    },
    "is_running(fun: str)": {
      inline: true,
      doc: "The running jobs whose function a glob matches.\n\n    salt '*' saltutil.is_running 'state.*'",
      async run(context, { fun }) {
        const matches = compileGlob(fun);
        return (await runningJobs(context)).filter((job) => [job.fun].flat().some((name) => matches(str(name))));
      },
    },
    "signal_job(jid, sig)": {
      inline: true,
      doc: "Sends a signal to a job.\n\n    salt '*' saltutil.signal_job 20240101000000000000 15",
      run: (context, { jid, sig }) => signalJob(context, jid, signalOf(sig)),
    },
    "term_job(jid)": {
      inline: true,
      doc: "Sends SIGTERM to a job.\n\n    salt '*' saltutil.term_job 20240101000000000000",
      run: (context, { jid }) => signalJob(context, jid, 15),
    },
    "kill_job(jid)": {
      inline: true,
      doc: "Kills a job.\n\n    salt '*' saltutil.kill_job 20240101000000000000",
      run: (context, { jid }) => signalJob(context, jid, 9),
    },
    "term_all_jobs()": {
      inline: true,
      doc: "Sends SIGTERM to all other jobs.\n\n    salt '*' saltutil.term_all_jobs",
      run: (context) => signalAll(context, 15),
    },
    "kill_all_jobs()": {
      inline: true,
      doc: "Kills all other jobs.\n\n    salt '*' saltutil.kill_all_jobs",
      run: (context) => signalAll(context, 9),
    },
    "find_cached_job(jid: str)": {
      inline: true,
      doc: "The stored return of a job (option cache_jobs), with everything that was sent.\n\n" +
        "    salt '*' saltutil.find_cached_job 20240101000000000000",
      run: (context, { jid }) => cachedJob(context, jid),
    },
    clear_cache: clearCaches,
    "clear_job_cache(hours=24)": {
      doc:
        "Removes jobs from the cache of the minion that are older.\n\n    salt '*' saltutil.clear_job_cache hours=12",
      run(context, { hours }) {
        const age = Number(hours);
        if (!Number.isFinite(age) || age < 0) {
          throw new InvalidArgumentsError(`hours must be a number from 0 on, not ${str(hours)}`);
        }
        return clearJobs(context, age);
      },
    },
    "refresh_modules(**kwargs)": {
      inline: true,
      doc: "Makes the minion check again which modules are available.\n\n    salt '*' saltutil.refresh_modules",
      run(context) {
        refreshModules(context);
        return true;
      },
    },
    "refresh_grains(**kwargs)": {
      inline: true,
      doc:
        "Refreshes the grains of the minion, and then its pillar unless refresh_pillar=False; clean_pillar_cache=True\n" +
        "is for the master not to answer from its pillar cache.\n\n    salt '*' saltutil.refresh_grains",
      run(context, { kwargs }) {
        const { refresh_pillar = true, clean_pillar_cache } = keywords(kwargs, "refresh_pillar", "clean_pillar_cache");
        clearGrainsCache(context);
        // Either event makes the minion refresh its grains and its modules.
        if (truthy(refresh_pillar)) refreshFacts(context, clean_pillar_cache);
        else refreshModules(context);
        return true;
      },
    },
    "revoke_auth(preserve_minion_cache: bool=False)": {
      doc: "Makes the master delete the key of this minion and the data cached for it.\n\n" +
        "    salt web1 saltutil.revoke_auth",
      async run(context, { preserve_minion_cache: preserve }) {
        if (context.master === undefined) return false;
        const load = { cmd: "revoke_auth", preserve_minion_cache: preserve };
        // A master that does not allow this returns the load.
        return await context.master.request(load) === true;
      },
    },
    regen_keys: forgetKeys,
    [`cmd(${COMMAND_KEYWORDS})` as const]: {
      doc: "Runs a function on minions of the master on this host: id → {ret, retcode, jid}.\n\n" +
        `    salt master1 saltutil.cmd 'web*' test.echo arg='[hello]'${COMMAND_DOC}`,
      run: hostCommand,
    },
    [`cmd_iter(${COMMAND_KEYWORDS})` as const]: {
      doc: "The same as saltutil.cmd: a job has one return.\n\n" +
        `    salt master1 saltutil.cmd_iter 'web*' test.ping${COMMAND_DOC}`,
      run: hostCommand,
    },
    runner: runRunner,
    wheel: runWheel,
    refresh_pillar: REFRESH_PILLAR,
    pillar_refresh: { ...REFRESH_PILLAR, doc: "The same as saltutil.refresh_pillar." },
    refresh_beacons: refresh("beacons_refresh", "beacons"),
    refresh_matchers: refresh("matchers_refresh", "matchers"),
    "list_extmods()": {
      doc: "The custom modules that were synced, by kind.\n\n    salt '*' saltutil.list_extmods",
      run: listExtensions,
    },
    [`sync_all(${SYNC_FACTS})` as const]: {
      doc: "Fetches custom modules of all kinds, and returns the names of those that changed.\n\n" +
        "    salt '*' saltutil.sync_all\n    salt '*' saltutil.sync_all extmod_whitelist='{modules: [one]}'",
      async run(context, args) {
        const changed: Record<string, string[]> = {};
        const where = await withEnvironments(context, args);
        for (const kind of Object.keys(KINDS)) {
          // With a master, external pillars are the master's.
          if (kind === "pillar" && context.opts.file_client !== "local") continue;
          changed[kind] = await syncKind(context, kind, where);
        }
        if (truthy(args.refresh)) refreshFacts(context, args.clean_pillar_cache);
        return changed;
      },
    },
    ...Object.fromEntries([...Object.keys(KINDS).map((kind) => sync(kind)), sync("outputters", "output")]),
  }),
};
