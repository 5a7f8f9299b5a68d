import { joinPath } from "../../config/paths.ts";
import { isPlainJid } from "../../job/jid.ts";
import type { JobContext } from "../../loader/context.ts";
import type { ExecutionFunction, ExecutionModule } from "../../loader/family.ts";
import { CommandExecutionError, InvalidArgumentsError } from "../../loader/family.ts";
import type { HostMaster } from "../../loader/host_master.ts";
import type { BoundArguments } from "../../loader/signature.ts";
import { listExtensions, syncModules } from "../../loader/sync.ts";
import { entriesOf, isMap } from "../../python/containers.ts";
import { repr, str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { compileGlob } from "../../target/glob.ts";
import { decode } from "../../wire/msgpack.ts";
import { clearGrainsCache } from "../grains_cache.ts";
import { keywords } from "../keywords.ts";
import { topEnvironments } from "./saltutil/top_environments.ts";

/** The running jobs, without the one that asks. */
async function running(context: JobContext): Promise<Record<string, unknown>[]> {
  return (await context.jobs.running()).filter(({ jid }) => jid !== context.jid);
}

const SIGNALS: Record<string, number> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, USR1: 10, USR2: 12, TERM: 15 };

function signalOf(value: unknown): number {
  const text = str(value).replace(/^SIG/i, "").toUpperCase();
  const number = Object.hasOwn(SIGNALS, text) ? SIGNALS[text]! : Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 64) {
    throw new InvalidArgumentsError(`The signal must be a number from 0 to 64, not ${str(value)}`);
  }
  return number;
}

async function signalJob(context: JobContext, jid: unknown, signal: number): Promise<string> {
  const wanted = str(jid);
  if (!(await running(context)).some((job) => job.jid === wanted)) return "";
  const reached = await context.jobs.signal(wanted, signal);
  if (reached === undefined) return `Job ${wanted} was not running and job data has been cleaned up`;
  return `Signal ${signal} sent to job ${wanted} at pid ${reached.pid}`;
}

async function signalAll(context: JobContext, signal: number): Promise<string[]> {
  const answers: string[] = [];
  for (const { jid } of await running(context)) answers.push(await signalJob(context, jid, signal));
  return answers;
}

/** Fires an event on the minion's own bus, which the minion obeys. */
function notifyMinion(context: JobContext, tag: string, data: Record<string, unknown>): boolean {
  if (context.master === undefined) return false;
  context.master.fireLocal(tag, data);
  return true;
}

/** Empties what a folder of the cache holds; true if there was such a folder. */
function empty(context: JobContext, folder: string): boolean {
  const { cachedir } = context.opts;
  const { fs } = context.runtime;
  // Never without a cache of its own: the path would be that of the system.
  if (typeof cachedir !== "string" || cachedir.replace(/\/+$/, "") === "") return false;
  const path = joinPath(cachedir, folder);
  if (fs.stat(path, { follow: false })?.kind !== "directory") return false;
  for (const name of fs.list(path)) fs.remove(joinPath(path, name), { recursive: true });
  return true;
}

/** What the minion keeps of the file server, the job cache and custom modules; its keys and running jobs stay. */
const CACHES = ["files", "localfiles", "extrn_files", "roots", "hash", "minion_jobs", "extmods"];

/** What was kept of a job; why there is nothing, as a sentence. */
function cachedJob(context: JobContext, jid: string): unknown {
  const { cachedir, cache_jobs: kept } = context.opts;
  const { fs } = context.runtime;
  // The caller chooses the folder: it must be one below, and no other.
  const path = typeof cachedir === "string" && isPlainJid(jid) ? joinPath(cachedir, "minion_jobs", jid) : undefined;
  if (path === undefined || fs.stat(path)?.kind !== "directory") {
    return truthy(kept)
      ? `Local jobs cache directory ${path ?? repr(jid)} not found`
      : "Local jobs cache directory not found; you may need to enable cache_jobs on this minion";
  }
  const data = fs.read(joinPath(path, "return.p"));
  const ret = data.length === 0 ? null : decode(data, { mode: "wire" });
  return isMap(ret) ? ret : null;
}

/** Removes the jobs of the cache that are older. */
function clearJobs(context: JobContext, hours: number): true {
  const { cachedir } = context.opts;
  const { fs, clock } = context.runtime;
  if (typeof cachedir !== "string" || cachedir === "") return true;
  const path = joinPath(cachedir, "minion_jobs");
  if (fs.stat(path)?.kind !== "directory") return true;
  for (const name of fs.list(path)) {
    const stat = fs.stat(joinPath(path, name), { follow: false });
    if (stat !== undefined && clock.now() - stat.mtimeMs > hours * 3_600_000) {
      fs.remove(joinPath(path, name), { recursive: true });
    }
  }
  return true;
}

/**
 * Kinds of custom modules, in the order in which Salt lists them: by the word after `sync_`, each with its folder if that has
 * another name, and whether the minion must refresh its grains or pillar rather than its modules.
 */
const KINDS: Record<string, { folder?: string; facts?: true }> = {
  clouds: {},
  beacons: {},
  modules: {},
  states: {},
  sdb: {},
  grains: { facts: true },
  renderers: {},
  returners: {},
  output: {},
  utils: {},
  log_handlers: {},
  executors: {},
  proxymodules: { folder: "proxy" },
  engines: {},
  thorium: {},
  serializers: {},
  matchers: {},
  pillar: { facts: true },
};

const SYNC = "saltenv=None, refresh=True, extmod_whitelist=None, extmod_blacklist=None";
const SYNC_FACTS = `${SYNC}, clean_pillar_cache=False`;
/** Kinds that need no refresh when they have changed. */
const QUIET: ReadonlySet<string> = new Set(["engines", "matchers", "proxymodules", "thorium"]);

function syncSignature(name: string, facts: boolean): string {
  if (name === "sdb") return SYNC.replace("refresh=True, ", "");
  return facts ? SYNC_FACTS : QUIET.has(name) ? SYNC.replace("refresh=True", "refresh=False") : SYNC;
}

/** The arguments of a sync function, with the environments that they stand for. */
async function withEnvironments(context: JobContext, args: BoundArguments): Promise<BoundArguments> {
  const given = args.saltenv ?? context.opts.saltenv ?? null;
  return { ...args, saltenv: given === null ? await topEnvironments(context) : given };
}

async function syncKind(context: JobContext, kind: string, args: BoundArguments): Promise<string[]> {
  const { saltenv, extmod_whitelist: whitelist, extmod_blacklist: blacklist } = args;
  const { changed, touched } = await syncModules(context, KINDS[kind]?.folder ?? kind, {
    saltenv,
    whitelist,
    blacklist,
  });
  // The next call within this job must find them.
  if (touched) context.functions.reload();
  if (kind === "grains") clearGrainsCache(context);
  return changed;
}

function refreshModules(context: JobContext): void {
  context.functions.reload();
  notifyMinion(context, "module_refresh", { notify: false });
}

function refreshFacts(context: JobContext, cleanCache: unknown): void {
  context.functions.reload();
  notifyMinion(context, "pillar_refresh", { clean_cache: truthy(cleanCache) });
}

function sync(name: string, kind = name): [string, ExecutionFunction] {
  return [`sync_${name}`, {
    signature: syncSignature(name, KINDS[kind]?.facts === true),
    doc:
      `Fetches the custom ${kind} of salt://_${
        KINDS[kind]?.folder ?? kind
      }, and returns the names of those that changed.\n\n` +
      `    salt '*' saltutil.sync_${name}\n    salt '*' saltutil.sync_${name} saltenv=base,dev extmod_whitelist=one,two`,
    async run(context, args) {
      const changed = await syncKind(context, kind, await withEnvironments(context, args));
      if (truthy(args.refresh ?? true)) {
        if (KINDS[kind]?.facts) refreshFacts(context, args.clean_pillar_cache);
        else refreshModules(context);
      }
      return changed;
    },
  }];
}

const COMMAND_KEYWORDS = "tgt, fun, arg=(), timeout=None, tgt_type='glob', ret='', kwarg=None, ssh=False, **kwargs";
const COMMAND_DOC = "\n\narg, kwarg: its arguments. timeout: seconds of silence. ret: where the returns go as well\n" +
  "batch: on so many at once, 3 or 25%. subset: on so many, taken by chance";

/** The master on this minion's host. */
function hostMaster(context: JobContext): HostMaster {
  if (context.hostMaster === undefined) {
    throw new CommandExecutionError("Only a minion on the host of a master can do this");
  }
  return context.hostMaster;
}

const mapOf = (name: string, value: unknown): Record<string, unknown> => {
  if (!truthy(value)) return {};
  if (!isMap(value)) throw new InvalidArgumentsError(`${name} must be a map, not ${repr(value)}`);
  return Object.fromEntries(entriesOf(value).map(([key, entry]) => [str(key), entry]));
};

/** Keyword arguments without those that a publication adds. */
function withoutPublication(kwargs: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(kwargs as object).filter(([name]) => !name.startsWith("__")));
}

async function command(context: JobContext, args: BoundArguments): Promise<Record<string, unknown>> {
  if (truthy(args.ssh)) {
    throw new CommandExecutionError("Cannot run this over SSH: there is no agentless mode. Leave out ssh=True");
  }
  const { batch, subset, ...named } = withoutPublication(args.kwargs);
  const unknown = Object.keys(named)[0];
  if (unknown !== undefined) {
    throw new InvalidArgumentsError(`${unknown} is no option of this: arguments of the function go into kwarg`);
  }
  const timeoutS = args.timeout === null ? undefined : Number(args.timeout);
  if (timeoutS !== undefined && !(timeoutS >= 0)) {
    throw new InvalidArgumentsError(`timeout must be a number of seconds, not ${repr(args.timeout)}`);
  }
  if (truthy(batch) && !/^(?:\d+|%\d+(?:\.\d+)?|\d+(?:\.\d+)?%)$/.test(str(batch))) {
    throw new InvalidArgumentsError(`batch must be of the form 10% or 3, not ${repr(batch)}`);
  }
  const keyword = mapOf("kwarg", args.kwarg);
  const positional = Array.isArray(args.arg) ? args.arg : [args.arg];
  const { tgt } = args;
  const request = {
    tgt: Array.isArray(tgt) ? tgt.map(str) : args.tgt_type === "list" ? str(tgt).split(",") : str(tgt),
    tgt_type: str(args.tgt_type),
    fun: Array.isArray(args.fun) ? args.fun.map(str) : str(args.fun),
    arg: Object.keys(keyword).length === 0 ? positional : [...positional, { __kwarg__: true, ...keyword }],
    ret: str(args.ret),
  };
  return await hostMaster(context).command(request, {
    ...(timeoutS === undefined ? {} : { timeoutS }),
    ...(truthy(batch) ? { batch: str(batch) } : {}),
    ...(truthy(subset) ? { subset: Math.max(1, Number(subset)) } : {}),
  });
}

async function runRunner(context: JobContext, args: BoundArguments): Promise<unknown> {
  const positional = args.arg === null ? [] : Array.isArray(args.arg) ? args.arg : [args.arg];
  const keyword = { ...mapOf("kwarg", args.kwarg), ...withoutPublication(args.kwargs) };
  const data = await hostMaster(context).runner(str(args.name), positional, keyword);
  return truthy(args.full_return) ? data : data.return;
}

/** Removes this minion's keys and the pinned key of the master. */
function forgetKeys(context: JobContext): null {
  const { pki_dir: directory } = context.opts;
  const { fs } = context.runtime;
  if (typeof directory !== "string" || directory === "" || fs.stat(directory)?.kind !== "directory") return null;
  for (const name of fs.list(directory)) {
    const path = joinPath(directory, name);
    if (fs.stat(path, { follow: false })?.kind !== "directory") fs.remove(path);
  }
  return null;
}

const REFRESH_PILLAR: ExecutionFunction = {
  inline: true,
  signature: "wait=False, timeout=30, clean_cache=True",
  doc: "Refreshes the pillar of the minion. `wait` waits for it, at most `timeout` seconds.\n\n" +
    "    salt '*' saltutil.refresh_pillar\n    salt '*' saltutil.refresh_pillar wait=True timeout=60",
  async run(context, { wait, timeout, clean_cache }) {
    const data = { clean_cache: truthy(clean_cache) };
    const ask = context.master?.askLocal;
    if (!truthy(wait) || ask === undefined) return notifyMinion(context, "pillar_refresh", data);
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
};

const refresh = (tag: string, what: string): ExecutionFunction => ({
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
  functions: {
    running: {
      inline: true,
      signature: "",
      doc: "The running jobs, without this one.\n\n    salt '*' saltutil.running",
      run: running,
    },
    find_job: {
      inline: true,
      signature: "jid",
      doc: "The running job with this jid, or an empty map. Masters ask minions that have not returned.\n\n" +
        "    salt '*' saltutil.find_job 20240101000000000000",
      run: async (context, { jid }) => (await running(context)).find((job) => job.jid === str(jid)) ?? {},
    },
    is_running: {
      inline: true,
      signature: "fun",
      doc: "The running jobs whose function a glob matches.\n\n    salt '*' saltutil.is_running 'state.*'",
      async run(context, { fun }) {
        const matches = compileGlob(str(fun));
        return (await running(context)).filter((job) => [job.fun].flat().some((name) => matches(str(name))));
      },
    },
    signal_job: {
      inline: true,
      signature: "jid, sig",
      doc: "Sends a signal to a job.\n\n    salt '*' saltutil.signal_job 20240101000000000000 15",
      run: (context, { jid, sig }) => signalJob(context, jid, signalOf(sig)),
    },
    term_job: {
      inline: true,
      signature: "jid",
      doc: "Sends SIGTERM to a job.\n\n    salt '*' saltutil.term_job 20240101000000000000",
      run: (context, { jid }) => signalJob(context, jid, 15),
    },
    kill_job: {
      inline: true,
      signature: "jid",
      doc: "Kills a job.\n\n    salt '*' saltutil.kill_job 20240101000000000000",
      run: (context, { jid }) => signalJob(context, jid, 9),
    },
    term_all_jobs: {
      inline: true,
      signature: "",
      doc: "Sends SIGTERM to all other jobs.\n\n    salt '*' saltutil.term_all_jobs",
      run: (context) => signalAll(context, 15),
    },
    kill_all_jobs: {
      inline: true,
      signature: "",
      doc: "Kills all other jobs.\n\n    salt '*' saltutil.kill_all_jobs",
      run: (context) => signalAll(context, 9),
    },
    find_cached_job: {
      inline: true,
      signature: "jid",
      doc: "The stored return of a job (option cache_jobs), with everything that was sent.\n\n" +
        "    salt '*' saltutil.find_cached_job 20240101000000000000",
      run: (context, { jid }) => cachedJob(context, str(jid)),
    },
    clear_cache: {
      signature: "",
      doc: "Empties the caches of the minion; keys and running jobs stay.\n\n    salt '*' saltutil.clear_cache",
      run(context) {
        for (const folder of CACHES) empty(context, folder);
        return true;
      },
    },
    clear_job_cache: {
      signature: "hours=24",
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
    refresh_modules: {
      inline: true,
      signature: "**kwargs",
      doc: "Makes the minion check again which modules are available.\n\n    salt '*' saltutil.refresh_modules",
      run(context) {
        refreshModules(context);
        return true;
      },
    },
    refresh_grains: {
      inline: true,
      signature: "**kwargs",
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
    revoke_auth: {
      signature: "preserve_minion_cache=False",
      doc: "Makes the master delete the key of this minion and the data cached for it.\n\n" +
        "    salt web1 saltutil.revoke_auth",
      async run(context, { preserve_minion_cache: preserve }) {
        if (context.master === undefined) return false;
        const load = { cmd: "revoke_auth", preserve_minion_cache: truthy(preserve) };
        // A master that does not allow this returns the load.
        return await context.master.request(load) === true;
      },
    },
    regen_keys: {
      signature: "",
      doc:
        "Removes the keys of this minion and the one of its master: it makes new ones when it starts again, and the\n" +
        "master has to accept those.\n\n    salt '*' saltutil.regen_keys",
      run: forgetKeys,
    },
    cmd: {
      signature: COMMAND_KEYWORDS,
      doc: "Runs a function on minions of the master on this host: id → {ret, retcode, jid}.\n\n" +
        `    salt master1 saltutil.cmd 'web*' test.echo arg='[hello]'${COMMAND_DOC}`,
      run: command,
    },
    cmd_iter: {
      signature: COMMAND_KEYWORDS,
      doc: "The same as saltutil.cmd: a job has one return.\n\n" +
        `    salt master1 saltutil.cmd_iter 'web*' test.ping${COMMAND_DOC}`,
      run: command,
    },
    runner: {
      signature: "name, arg=None, kwarg=None, full_return=False, saltenv='base', jid=None, **kwargs",
      doc: "Runs a runner of the master on this host.\n\n    salt master1 saltutil.runner jobs.list_jobs\n" +
        "    salt master1 saltutil.runner test.arg arg='[baz]' kwarg='{foo: bar}'\n\n" +
        "full_return: with the events that the master fires",
      run: runRunner,
    },
    wheel: {
      signature: "name, *args, **kwargs",
      doc: "Runs a wheel function on the master of this host, and returns the event of its end.\n\n" +
        "    salt master1 saltutil.wheel key.accept web1",
      run: (context, { name, args, kwargs }) =>
        hostMaster(context).wheel(str(name), args as unknown[], withoutPublication(kwargs)),
    },
    refresh_pillar: REFRESH_PILLAR,
    pillar_refresh: { ...REFRESH_PILLAR, doc: "The same as saltutil.refresh_pillar." },
    refresh_beacons: refresh("beacons_refresh", "beacons"),
    refresh_matchers: refresh("matchers_refresh", "matchers"),
    list_extmods: {
      signature: "",
      doc: "The custom modules that were synced, by kind.\n\n    salt '*' saltutil.list_extmods",
      run: listExtensions,
    },
    sync_all: {
      signature: SYNC_FACTS,
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
  },
};
