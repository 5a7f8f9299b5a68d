/** Runners and what they are given: for `salt-run`, and for the processes that a master starts for them. */
import type { CollectOptions } from "../src/client/job_collector.ts";
import { LocalClient } from "../src/client/local_client.ts";
import { hasReturn } from "../src/client/outcome.ts";
import type { MasterOpts } from "../src/config/master_opts.ts";
import { joinPath } from "../src/config/paths.ts";
import { ConfigError, messageOf } from "../src/errors.ts";
import { type BusSender, sendToBus } from "../src/event/bus_client.ts";
import { runNew, runReturn } from "../src/event/tag.ts";
import { FileServer, openFiles } from "../src/fileserver/mod.ts";
import type { JobCache } from "../src/job/job_cache.ts";
import { NO_MATCH } from "../src/job/no_match.ts";
import type { Context, Files, JobReader, RunnerContext } from "../src/loader/context.ts";
import { notYet } from "../src/loader/loader.ts";
import { moduleNamed } from "../src/loader/module_named.ts";
import { type RunnerRegistry, withCustomRunners } from "../src/loader/custom_runners.ts";
import { withCustomReturners } from "../src/loader/custom_returners.ts";
import {
  InvalidArgumentsError,
  type ReturnerModule,
  type RunnerFunction,
  SaltInvocationError,
} from "../src/loader/family.ts";
import type { RunnerPillar } from "../src/loader/pillar_link.ts";
import { ArgumentMismatchError, bindArguments, parseSignature } from "../src/loader/signature.ts";
import { StreamedMap } from "../src/loader/streamed_map.ts";
import type { Logger } from "../src/log.ts";
import { argumentsOf, KeyDirectories, MinionCache, type RunnerJob, tokenFiles } from "../src/master/mod.ts";
import { traceback } from "../src/loader/traceback.ts";
import { returnerJobs } from "../src/plugins/returners/reader.ts";
import { RETURNERS } from "../src/plugins/returners/mod.ts";
import { RUNNERS } from "../src/plugins/runners/mod.ts";
import type { Runtime } from "../src/runtime/mod.ts";
import { eventStamp, packEvent } from "../src/wire/event_frame.ts";
import { encode } from "../src/wire/msgpack.ts";
import { openJobCache } from "./job_caches.ts";
import { openRunnerPillar } from "./pillar.ts";
import { previewTarget } from "./preview.ts";
import { runnerEvents } from "./runner_events.ts";
import { RunnerRecord } from "./runner_record.ts";

/** The function of that name, or undefined. */
async function find(runners: RunnerRegistry, name: string): Promise<RunnerFunction | undefined> {
  const [, module, fun] = /^([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)$/.exec(name) ?? [];
  if (module === undefined || fun === undefined) return undefined;
  const { functions = {} } = await moduleNamed(runners, "runner", module) ?? {};
  return Object.hasOwn(functions, fun) ? functions[fun] : undefined;
}

/** `name → text` of the functions that begin with a word; all for none. */
export async function documentation(runners: RunnerRegistry, prefix: string): Promise<Record<string, string>> {
  const docs: Record<string, string> = {};
  for (const module of Object.keys(runners).sort()) {
    const { functions, name: own = module } = (await runners[module]!()).runner;
    for (const fun of Object.keys(functions).sort()) {
      const name = `${own}.${fun}`;
      if (name === prefix || name.startsWith(prefix === "" ? "" : `${prefix}.`)) docs[name] = functions[fun]!.doc;
    }
  }
  return docs;
}

/** `name → text` of all wheel functions. */
async function wheelDocumentation(): Promise<Record<string, string>> {
  const { WHEELS } = await import("../src/plugins/wheel/mod.ts");
  const docs: [string, string][] = [];
  for (const module of Object.keys(WHEELS).sort()) {
    const { functions } = (await WHEELS[module]!()).wheel;
    for (const fun of Object.keys(functions).sort()) docs.push([`${module}.${fun}`, functions[fun]!.doc]);
  }
  return Object.fromEntries(docs);
}

/** Where a runner shows what it has to show beside its return. */
export interface Screen {
  /** Nobody looks: nothing is shown. */
  quiet: boolean;
  /** A return, or what a runner tells of its way; `own` is the outputter that it names itself. */
  show(data: unknown, own?: string): Promise<void>;
  /** A line of the runner's own. */
  line(text: string): void;
}

export interface RunnerHostOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  /** True if the job cache is known to be that of a Brine master. */
  isBrine: boolean;
  delimiter: string;
  /** The runner's own job id. */
  jid: string;
  /** True if the master has reserved it in the job cache. @default false */
  reserved?: boolean;
  screen: Screen;
  /** Called with what the bus is told of the return. */
  onReturn?(data: Record<string, unknown>): void;
}

/** The job cache as whichever master runs here keeps it: Brine's in one file, real Salt's in directories. */
async function jobCacheOf({ runtime, opts, isBrine }: RunnerHostOptions) {
  const kept = isBrine || runtime.fs.stat(joinPath(opts.cachedir, "jobs.sqlite"))?.kind === "file";
  const name = opts.master_job_cache !== "sqlite" || kept ? opts.master_job_cache : "local_cache";
  return await openJobCache(runtime, { ...opts, master_job_cache: name });
}

/** What is read of jobs elsewhere than where the master keeps them. */
class JobSources {
  readonly #host: RunnerHostOptions;
  readonly #own: JobCache;
  readonly #caches = new Map<string, JobCache>();
  readonly #returners: ReturnerModule[] = [];

  constructor(host: RunnerHostOptions, own: JobCache) {
    this.#host = host;
    this.#own = own;
  }

  /** @throws {SaltInvocationError} naming what there is, if there is no such source */
  async find(source: string | undefined): Promise<JobReader> {
    const { runtime, log, opts } = this.#host;
    const name = source ?? opts.ext_job_cache;
    if (name === "") return this.#own;
    // Both a returner and a job cache may go by this name; the one that the master keeps its jobs in is known to be it.
    if (source !== undefined && source === opts.master_job_cache) return this.#own;
    const returners = withCustomReturners(RETURNERS, { runtime, log, opts: opts });
    const returner = await moduleNamed(returners, "returner", name);
    if (returner !== undefined) {
      this.#returners.push(returner);
      return returnerJobs(name, returner, { runtime, log, opts: opts });
    }
    try {
      const open = this.#caches.get(name) ?? await openJobCache(runtime, { ...opts, master_job_cache: name });
      this.#caches.set(name, open);
      return open;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const known = Object.keys(returners).join(", ");
      throw new SaltInvocationError(
        `Cannot read jobs from '${name}': it is no returner (there are ${known}), and no job cache either: ` +
          messageOf(error),
      );
    }
  }

  async close(): Promise<void> {
    for (const cache of this.#caches.values()) await cache.close();
    for (const returner of new Set(this.#returners)) await returner.close?.();
  }
}

/** The fewest bytes that an entry of a long return has in an event. */
const LEAST_ENTRY = 100;
/** Bytes of a list of jobs that its own record keeps: it is on record already, and lists are asked for again and again. */
const LISTED_BYTES = 65_536;

/** Notes what passes by, as far as it fits into an event. */
function overheard(map: StreamedMap, maxBytes: number): { map: StreamedMap; value(most?: number): unknown } {
  let kept: Record<string, unknown> | undefined = {};
  const most = maxBytes / LEAST_ENTRY;
  const entries = async function* (): AsyncIterable<readonly [string, unknown]> {
    let count = 0;
    for await (const entry of map) {
      if (++count > most) kept = undefined;
      else if (kept !== undefined) kept[entry[0]] = entry[1];
      yield entry;
    }
  };
  // An event's own trimming looks at single values, and here it is their number that makes it large.
  const value = (fits = maxBytes) => kept === undefined || encode(kept, "bin").length > fits ? "VALUE_TRIMMED" : kept;
  return { map: new StreamedMap(entries()), value };
}

/** A return with its own outputter, or just the data. */
function partsOf(result: unknown): { data: unknown; outputter?: string } {
  const { data, outputter } = (typeof result === "object" && result !== null ? result : {}) as Record<string, unknown>;
  return data !== undefined && typeof outputter === "string" ? { data, outputter } : { data: result };
}

/** Calls an execution function on this host, with the master's configuration for options and no minion about it. */
async function callHere(
  { runtime, log, opts }: { runtime: Runtime; log: Logger; opts: MasterOpts },
  fun: string,
  positional: unknown[],
  keyword: Record<string, unknown>,
): Promise<unknown> {
  const [{ callFunction, MissingFunctionError }, { MODULES }, { gatherGrains }, { hostContext, hostFunctions }] =
    await Promise
      .all([
        import("../src/minion/processes/executor.ts"),
        import("../src/plugins/modules/mod.ts"),
        import("../src/plugins/grains/mod.ts"),
        import("../src/loader/host_context.ts"),
      ]);
  const values: Record<string, unknown> = { ...opts, file_client: "local" };
  const grains = await gatherGrains({ runtime, log, opts: values });
  const functions = hostFunctions(MODULES, {}, () => base);
  const base: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts: values,
    grains,
    pillar: {},
    jobs: { running: () => [], signal: () => undefined },
    master: undefined,
    files: openFiles({ runtime, log: log.child("files"), opts: values, request: undefined }),
  });
  const named = Object.keys(keyword).length === 0 ? [] : [{ __kwarg__: true, ...keyword }];
  try {
    return (await callFunction({
      functions,
      context: () => base,
      load: { fun, arg: [...positional, ...named] },
      published: {},
    }))
      .return;
  } catch (error) {
    if (!(error instanceof MissingFunctionError)) throw error;
    return `'${fun}' is not available.`;
  }
}

/** What stands for arguments that are secrets. */
const HIDDEN = ["** hidden **"];

/** A function as it is called. */
interface Call {
  fun: string;
  jid: string;
  user: string;
  /** Positional arguments, and a map of the named ones behind them. */
  args: readonly unknown[];
  /** The arguments must not be told of. */
  secret: boolean;
}

/** What runners run with; {@link RunnerHost.close} ends its connections. */
export class RunnerHost {
  readonly runners: RunnerRegistry;
  readonly #options: RunnerHostOptions;
  readonly #context: RunnerContext;
  readonly #fire: (tag: string, data: Record<string, unknown>) => void;
  readonly #record: RunnerRecord;
  readonly #close: () => Promise<void>;

  private constructor(
    options: RunnerHostOptions,
    runners: RunnerRegistry,
    context: RunnerContext,
    record: RunnerRecord,
    fire: (tag: string, data: Record<string, unknown>) => void,
    close: () => Promise<void>,
  ) {
    this.#options = options;
    this.runners = runners;
    this.#context = context;
    this.#record = record;
    this.#fire = fire;
    this.#close = close;
  }

  static async open(options: RunnerHostOptions): Promise<RunnerHost> {
    const { runtime, log, opts, delimiter, jid, screen } = options;
    const runners = runnersOf(runtime, log, opts);
    let bus: BusSender | undefined;
    try {
      bus = await sendToBus(runtime.net, { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pull.ipc") });
    } catch {
      log.debug("no master is running: the runner's events reach nobody");
    }
    const fire = (tag: string, data: Record<string, unknown>) =>
      bus?.send(packEvent(tag, data, { now: runtime.clock.now(), maxBytes: opts.max_event_size }));
    let client: LocalClient | undefined;
    let files: FileServer | undefined;
    let fetched: Files | undefined;
    let pillar: RunnerPillar | undefined;
    const jobs = await jobCacheOf(options);
    const sources = new JobSources(options, jobs);
    const runnerContext: RunnerContext = {
      runtime,
      log,
      opts,
      jobs,
      jobsFrom: (source) => sources.find(source),
      async ask(command, load) {
        client ??= await LocalClient.open({ runtime, log, opts, checked: false });
        return await client.ask(command, load);
      },
      async makeToken(credentials) {
        client ??= await LocalClient.open({ runtime, log, opts, checked: false });
        return await client.send({ ...credentials, cmd: "mk_token" });
      },
      deleteToken: (token) => tokenFiles(runtime, log, opts).remove(token),
      minions: new MinionCache(runtime.fs, log, opts.cachedir),
      documentation: (of) => of === "wheel" ? wheelDocumentation() : documentation(runners, ""),
      callFunction: (fun, positional, keyword) => callHere({ runtime, log, opts }, fun, positional, keyword),
      get files() {
        return files ??= new FileServer({
          runtime,
          log: log.child("fileserver"),
          opts,
          fire: (tag, data) => void fire(tag, data),
        });
      },
      get fetched() {
        return fetched ??= openFiles({ runtime, log: log.child("files"), opts, request: undefined });
      },
      get pillar() {
        return pillar ??= openRunnerPillar(runtime, opts, log);
      },
      accepted: () => new KeyDirectories(runtime.fs, runtime.crypto, opts.pki_dir).list("accepted"),
      expand: (target) => previewTarget({ runtime, log, delimiter }, opts, target),
      async command(request, how = {}) {
        client ??= await LocalClient.open({ runtime, log, opts, checked: false });
        const collect: CollectOptions = {
          timeoutMs: how.timeoutMs ?? opts.timeout * 1000,
          gatherMs: how.gatherMs ?? opts.gather_job_timeout * 1000,
        };
        const returns: Record<string, unknown> = {};
        let any = false;
        for await (const outcome of client.run(request, collect)) {
          any = true;
          if (hasReturn(outcome)) returns[outcome.id] = outcome.return;
        }
        if (!any) screen.line(NO_MATCH);
        return any ? returns : undefined;
      },
      fire: (tag, data) => Promise.resolve(fire(tag, data)),
      async progress(data) {
        fire(`salt/run/${jid}/progress`, data);
        const event = { ...data, _stamp: eventStamp(runtime.clock.now()) };
        const own = typeof data.outputter === "string" ? data.outputter : undefined;
        if (!screen.quiet) await screen.show({ event, suffix: "progress" }, own);
      },
      print: (line) => {
        if (!screen.quiet) screen.line(line);
      },
      write: (line) => screen.line(line),
      events: (choice, wants) =>
        runnerEvents({ runtime, opts, skip: runNew(jid), bounded: options.reserved === true }, choice, wants),
    };

    const close = async () => {
      await bus?.close();
      await client?.close();
      await sources.close();
      await jobs.close();
    };
    const record = new RunnerRecord({ runtime, log, opts, jobs, jid, reserved: options.reserved === true });
    return new RunnerHost(options, runners, runnerContext, record, (tag, data) => void fire(tag, data), close);
  }

  close(): Promise<void> {
    return this.#close();
  }

  async find(name: string): Promise<RunnerFunction | undefined> {
    return await find(this.runners, name);
  }

  #told(jid: string, data: Record<string, unknown>): void {
    this.#options.onReturn?.(data);
    this.#fire(runReturn(jid), data);
  }

  /** Puts the end of a function on record, then tells the bus. */
  async #ended(
    call: Call,
    end: { return: unknown; success: boolean; retcode?: number },
    recorded: unknown = end.return,
  ): Promise<void> {
    const { fun, jid, user, secret, args } = call;
    await this.#record.end(fun, user, args, { ...end, return: recorded, secret });
    this.#told(jid, { fun, jid, user, fun_args: secret ? HIDDEN : args, ...end });
  }

  /** Takes the jid and tells the bus that a function begins. */
  async #begins({ fun, jid, user, secret, args }: Call): Promise<void> {
    await this.#record.begin();
    this.#fire(runNew(jid), { fun, jid, user, fun_args: secret ? HIDDEN : args });
  }

  /** Tells the bus that there is no such function. @returns what to show of it */
  missing(name: string, words: readonly unknown[]): string {
    const { jid } = this.#options;
    const text = `'${name}' is not available.${notYet(name.split(".")[0]!)}`;
    this.#told(jid, { fun: name, fun_args: words, jid, success: false, return: text, retcode: 254 });
    return text;
  }

  /** Runs one function for a caller of the master; whatever becomes of it is told to the bus. */
  async answer({ fun, low, user }: Pick<RunnerJob, "fun" | "low" | "user">): Promise<void> {
    const found = await this.find(fun);
    if (found === undefined) return void this.missing(fun, []);
    try {
      const { args, kwargs } = argumentsOf(low, fun, parseSignature(found.signature));
      await this.run(found, fun, { positional: [...args], keyword: new Map(Object.entries(kwargs)), user });
    } catch (error) {
      await this.#failed(fun, user, `Exception occurred in runner ${fun}: ${messageOf(error)}`);
    }
  }

  /** A function could not be called. */
  async #failed(name: string, user: string, text: string): Promise<void> {
    const call: Call = { fun: `runner.${name}`, jid: this.#options.jid, user, args: [], secret: false };
    await this.#begins(call);
    await this.#ended(call, { return: text, success: false, retcode: 1 });
  }

  /**
   * Runs one function, and tells the bus of its beginning and its return.
   *
   * @returns the exit code of a program that only does this
   */
  async run(
    found: RunnerFunction,
    name: string,
    { positional, keyword, user }: { positional: unknown[]; keyword: Map<string, unknown>; user: string },
  ): Promise<number> {
    const { jid, opts, screen } = this.#options;
    const { quiet } = screen;
    const show = async (data: unknown, own?: string) => {
      if (!quiet) await screen.show(data, own);
    };
    const funArgs = keyword.size === 0 ? positional : [...positional, Object.fromEntries(keyword)];
    const call: Call = { fun: `runner.${name}`, jid, user, args: funArgs, secret: found.secret === true };
    await this.#begins(call);
    let shown = async () => {};
    try {
      const bound = bindArguments(
        name.slice(name.indexOf(".") + 1),
        parseSignature(found.signature),
        positional,
        keyword,
      );
      const result = await found.run(this.#context, bound) ?? null;
      const { data, outputter } = partsOf(result);
      let told: unknown = result;
      let recorded: unknown = result;
      if (data instanceof StreamedMap) {
        // Its entries are read as they are printed, and reading can fail as the function can.
        const { map, value } = overheard(data, opts.max_event_size);
        if (quiet) { for await (const _entry of map); }
        await show(map, outputter);
        const shaped = (value: unknown) => outputter === undefined ? value : { data: value, outputter };
        told = shaped(value());
        recorded = shaped(value(Math.min(LISTED_BYTES, opts.max_event_size)));
      } else {
        shown = () => show(data, outputter);
      }
      await this.#ended(call, { success: true, return: told }, recorded);
    } catch (error) {
      if (
        error instanceof ArgumentMismatchError || error instanceof SaltInvocationError ||
        error instanceof InvalidArgumentsError
      ) {
        const text = `\nPassed invalid arguments: ${messageOf(error)}\n\nUsage:\n${
          found.doc === "" ? "None" : found.doc
        }`;
        await this.#ended(call, { success: false, return: text });
        await show(text);
        return 0;
      }
      const text = `Exception occurred in runner ${name}: ${traceback(error)}`;
      await this.#ended(call, { success: false, return: text, retcode: 1 });
      await show(text);
      return 1;
    }
    await shown();
    return 0;
  }
}

/** The runners of Brine and those of one's own. */
export function runnersOf(runtime: Runtime, log: Logger, opts: MasterOpts): RunnerRegistry {
  return withCustomRunners(RUNNERS, { runtime, log: log.child("runner"), opts });
}
