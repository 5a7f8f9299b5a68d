import type { JobPublisher } from "./job_publisher.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Virtual } from "./loaded_file.ts";
import { type Declare, type DeclareAll, declareFunction, declareFunctions, type Signature } from "./signature.ts";
import type { AuditReader } from "./audit.ts";
import type { JobCache } from "../job/job_cache.ts";
import type { BusChoice, HostMaster } from "./host_master.ts";
import type { FunctionCatalog } from "./function_catalog.ts";
import type { CompilePillar, RunnerPillar } from "./pillar_link.ts";
import { type Args, isMap, lookup } from "../../language/python/values.ts";

/** The reactor of the master on this host, for the runner `reactor`. */
export interface ReactorAccess {
  readonly isConfigured: boolean;
  /**
   * Sends a command to the running reactor, by events of the master's bus.
   *
   * @returns the answer; undefined if none comes within half a minute
   */
  ask(
    operation: "list" | "add" | "delete" | "is_leader" | "set_leader" | "status",
    fields: Record<string, unknown>,
  ): Promise<Record<string, unknown> | undefined>;
  /** The reactions that an event would cause. @param reactors SLS files to try. @default the files configured for the tag */
  test(tag: string, data: Record<string, unknown>, reactors: readonly string[] | undefined): Promise<unknown>;
}

/** One function that a job may call. */
export interface ExecutionFunction {
  /** Signature in Python's notation: `cmd, cwd=None, **kwargs` (see {@link parseSignature}); or a parsed one. */
  signature: string | Signature;
  /** Documentation, for `sys.doc` and for errors about wrong arguments. */
  doc: string;
  /** The outputter for the return. @default "nested" */
  out?: string;
  /**
   * True if the function cannot crash, leak or block the event loop, whatever its arguments: it then runs in the minion's own
   * process instead of a separate process. @default false
   */
  inline?: boolean;
  /** Runs the function; it may return a promise. */
  run(context: JobContext, args: Args): unknown;
}

/** Declares an execution function, with arguments typed by its signature. */
export const executionFunction: Declare<ExecutionFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const executionFunctions: DeclareAll<ExecutionFunction> = declareFunctions as DeclareAll<ExecutionFunction>;

/** The export `module` of a file under `plugins/modules/`. */
export interface ExecutionModule {
  /** True, another name to go by, or why it is not available on this host. */
  virtual?(context: Context): Virtual | Promise<Virtual>;
  /** Further names that it goes by. @default none */
  aliases?: readonly string[];
  /** The functions by name, without the module's name. */
  functions: Record<string, ExecutionFunction>;
}

/** The export `grains` of a file under `plugins/grains/`: facts, merged over earlier ones. */
export type GrainsFunction = (
  context: Pick<Context, "runtime" | "log" | "opts">,
) => Promise<Record<string, unknown>>;

/** A command has failed: the return is `ERROR: …`. Salt's CommandExecutionError. */
export class CommandExecutionError extends SaltError {
  /** Data that is shown below the message, in nested form. */
  readonly info: unknown;

  constructor(message: string, { cause, info }: { cause?: unknown; info?: unknown } = {}) {
    super("EXECUTION", message, { cause });
    this.info = info;
  }
}

/** The combination of arguments makes no sense: the return is `ERROR executing '<fun>': …`. Salt's SaltInvocationError. */
export class SaltInvocationError extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("INVOCATION", message, options);
  }
}

/** A program that the function needs is missing. Salt's CommandNotFoundError. */
export class CommandNotFoundError extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("NO_COMMAND", message, options);
  }
}

/** A value of the wrong kind: handled like wrong arguments, as a TypeError in a module of Salt is. */
export class InvalidArgumentsError extends TypeError {
  override name = "TypeError";
}

export interface RunnerFunction {
  /** Signature, as of an {@link ExecutionFunction}. */
  signature: string | Signature;
  doc: string;
  /** True if the arguments are secrets, which must not be fired on the bus. @default false */
  secret?: boolean;
  run(context: RunnerContext, args: Args): unknown;
}

/** Declares a function of a runner, with arguments typed by its signature. */
export const runnerFunction: Declare<RunnerFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const runnerFunctions: DeclareAll<RunnerFunction> = declareFunctions as DeclareAll<RunnerFunction>;

/** The export `runner` of a file under `plugins/runners/`. */
export interface RunnerModule {
  /** Name of the runner, if not that of its file. */
  name?: string;
  functions: Record<string, RunnerFunction>;
}

/** What a returner receives: on a minion, or on the master if the returner is the `ext_job_cache`. */
export interface ReturnerContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly opts: Record<string, unknown>;
  /** `--return_config`: options are first looked up under `<word>.<returner>.<option>`. */
  readonly retConfig?: string;
  /** `--return_kwargs`: options for this return only. */
  readonly retKwargs?: Record<string, unknown>;
}

export interface ReturnedEvent {
  /** Id that no other event of any master has: `<process of the master>-<number>`. */
  readonly id: string;
  readonly tag: string;
  readonly data: Record<string, unknown>;
}

/** Events to store together. */
export interface EventBatch {
  /** Id of the batch: the same if the same events are passed again, even by another process. */
  readonly id: string;
  readonly events: readonly ReturnedEvent[];
  /** True if the events were passed before, and it is unknown whether they were stored. */
  readonly again: boolean;
}

/** The store will never accept these events, so that another attempt is useless; other events may be accepted. */
export class EventsRefused extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("EVENTS_REFUSED", message, options);
  }
}

/** The export `returner` of a file under `plugins/returners/`. The last six functions are for an `ext_job_cache`. */
export interface ReturnerModule {
  /** Name of the returner, if not that of its file. */
  name?: string;
  /** True, or the reason why the returner cannot be used on this host. */
  virtual?(context: ReturnerContext): true | { unavailable: string };
  /** Options that a job may set (`--return_kwargs`): none of them may name a place or a secret. @default none */
  readonly fromJob?: readonly string[];
  /**
   * Stores one return: `{jid, id, fun, fun_args, return, retcode, success, …}`, as the minion sends it.
   *
   * @throws any error; the return still goes to the master
   */
  returner(context: ReturnerContext, ret: Record<string, unknown>): Promise<void>;
  saveLoad?(
    context: ReturnerContext,
    jid: string,
    load: Record<string, unknown>,
    minions: readonly string[],
  ): Promise<void>;
  /** The publication of a job; undefined if there is none. */
  getLoad?(context: ReturnerContext, jid: string): Promise<Record<string, unknown> | undefined>;
  /** The returns of a job: minion → return. */
  getJid?(
    context: ReturnerContext,
    jid: string,
  ): Promise<Record<string, { return: unknown; retcode?: unknown; success?: unknown; out?: string }>>;
  /** The stored jobs: jid → publication, newest first. */
  getJids?(context: ReturnerContext): AsyncIterable<[string, Record<string, unknown>]>;
  /**
   * Stores events of a master (`event_return`). Resolves when they are safely stored.
   *
   * @throws {EventsRefused} if another attempt would fail, too; after any other error the events are passed again, with growing
   * delays
   */
  eventReturn?(context: ReturnerContext, batch: EventBatch): Promise<void>;
  /** Closes connections that the returner keeps open. */
  close?(): Promise<void>;
  /** The functions of a custom one, as they are listed. @default those of this interface that it has */
  readonly listed?: ReadonlyMap<string, { signature: string | Signature; doc: string }>;
}

/** Returners: name → function that loads the returner. */
export type ReturnerRegistry = Record<string, () => Promise<{ returner: ReturnerModule }>>;

/** The jobs that this minion is running, for `saltutil`. */
export interface JobControl {
  /** All running jobs: `{jid, pid, fun, arg, tgt, tgt_type, user, ret}`. In the process of a job, a promise. */
  running(): Record<string, unknown>[] | Promise<Record<string, unknown>[]>;
  /** Sends a signal to the processes of a job, and ends the job; undefined if no such job runs. */
  signal(jid: string, signal: number): { pid: number } | undefined | Promise<{ pid: number } | undefined>;
}

export interface MasterRequestOptions {
  /** Timeout of one attempt, in milliseconds. @default 60000 */
  timeoutMs?: number;
  /** Number of attempts. @default 3 */
  tries?: number;
  /** Leave bytes in the reply as they are, for the contents of files. @default false */
  raw?: boolean;
  /** Require a reply that is encrypted for this minion only and signed by the master, for pillar. @default false */
  private?: boolean;
}

/** The connection to the master, for a job. */
export interface MasterLink {
  /** Fires an event on the master's bus. */
  fireEvent(tag: string, data: Record<string, unknown>): Promise<boolean>;
  /**
   * Sends a command of the request channel, such as `{cmd: "_mine_get", …}`, and resolves with the master's reply.
   *
   * @throws {TimeoutError} if it does not answer
   */
  request(load: Record<string, unknown>, options?: MasterRequestOptions): Promise<unknown>;
  /** Fires an event on the minion's own bus. */
  fireLocal(tag: string, data: Record<string, unknown>): void;
  /**
   * Fires an event on the minion's own bus and waits for the event that answers it; undefined if no answer comes in time.
   * Absent on a host that has no bus to listen to.
   *
   * @param answer tag of the answer
   */
  askLocal?(
    tag: string,
    data: Record<string, unknown>,
    answer: string,
    timeoutMs: number,
  ): Promise<Record<string, unknown> | undefined>;
}

/** The digest of a file, with field names as in Salt. */
export interface FileHash {
  hash_type: string;
  /** The digest in hexadecimal. */
  hsum: string;
}

export interface ListFilesOptions {
  /** The environment. @default the minion's `saltenv`, else `base` */
  saltenv?: string | undefined;
  /** The beginning of the paths. @default "" */
  prefix?: string;
}

/** Which files below a directory to fetch. Patterns are globs, or regular expressions after `E@`. @default all files */
export interface CacheDirectoryOptions {
  saltenv?: string | undefined;
  /** True also makes the empty directories. */
  includeEmpty?: boolean;
  include?: string | undefined;
  exclude?: string | undefined;
}

export interface FetchOptions {
  /** The environment. @default the minion's `saltenv`, else `base`; a URL may name its own */
  saltenv?: string | undefined;
  /** Create the directories above the destination. @default false */
  makedirs?: boolean | undefined;
  /** Have the master compress pieces, at level 1 to 9. @default 0: no compression */
  gzip?: number | undefined;
  /** For http: digest that the content must have, in hexadecimal, bare or as `sha256=…`. */
  sourceHash?: string | undefined;
  /** For http: ask the server whether the copy on this host is still current. @default false */
  useEtag?: boolean | undefined;
  /** For https: false accepts any certificate. @default true, unless the option `verify_ssl` is false */
  verify?: boolean | undefined;
}

/**
 * The files that a minion can use: `salt://` of its master or of its own `file_roots`, http, https, and files of its host.
 *
 * A fetched file appears whole under its name, or not at all. A missing file gives undefined; an invalid request throws a
 * `CommandExecutionError`.
 */
export interface Files {
  /** The same files with other options, which may select the minion's own `file_roots`. */
  withOptions(opts: Record<string, unknown>): Files;
  environments(): Promise<string[]>;
  /** Lists paths below the roots. */
  list(what: "files" | "directories" | "emptyDirectories", options?: ListFilesOptions): Promise<string[]>;
  /** Lists links: path → target as the link states it. */
  links(options?: ListFilesOptions): Promise<Record<string, string>>;
  /** Names of the SLS files, in dotted form. */
  states(saltenv?: string): Promise<string[]>;
  /** @param path `salt://…`, or a path of this host */
  hash(path: string, saltenv?: string): Promise<FileHash | undefined>;
  /** The ten numbers of Python's `os.stat`. */
  stat(path: string, saltenv?: string): Promise<number[] | undefined>;
  /** Fetches `salt://…` to a path of this host; to the cache if `destination` is empty. Resolves with the path of the file. */
  fetch(path: string, destination: string, options?: FetchOptions): Promise<string | undefined>;
  /** Fetches a directory with everything below it. Resolves with the written paths. */
  fetchDirectory(path: string, destination: string, options?: FetchOptions): Promise<string[]>;
  /** Like {@link Files.fetch}, from any URL. For a file of this host, it resolves with the path and copies nothing. */
  fetchUrl(url: string, destination: string, options?: FetchOptions): Promise<string | undefined>;
  /** Fetches a file into the cache, and returns its content. */
  read(url: string, options?: FetchOptions): Promise<Uint8Array | undefined>;
  /** Fetches all files below a directory into the cache. */
  cacheDirectory(path: string, options?: CacheDirectoryOptions): Promise<string[]>;
  /** Fetches all files of an environment into the cache; undefined for files that were removed in the meantime. */
  cacheMaster(saltenv?: string): Promise<(string | undefined)[]>;
  /** Copies a file of this host into the cache. */
  cacheLocal(path: string): string;
  /** The path in the cache for a URL, whether the file is cached or not. */
  cachePath(url: string, saltenv?: string): string;
  /** The path of a file in the cache; undefined if the file is not cached. */
  cached(path: string, saltenv?: string): string | undefined;
  /** All cached files of an environment, and the cached copies of files of this host. */
  cachedFiles(saltenv?: string): string[];
  /** Sends a file of this host to the master, which stores it below `parts`; false if the master refuses it. */
  push(path: string, parts: readonly string[]): Promise<boolean>;
}

/**
 * What an execution module, grain or returner receives from its host. Plugins import neither the master nor the minion, nor
 * each other.
 *
 * @internal
 */
export interface Context {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly opts: Record<string, unknown>;
  readonly grains: Record<string, unknown>;
  readonly pillar: Record<string, unknown>;
  /** Calls another execution function with positional and keyword arguments, as `__salt__["mod.fun"](…)` does. */
  call(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
  /** The execution functions of this host, for `sys`. */
  readonly functions: FunctionCatalog;
  /** The running jobs; none under `salt-call --local`. */
  readonly jobs: JobControl;
  /** The connection to the master; undefined without a master. */
  readonly master: MasterLink | undefined;
  /** Compiles the minion's pillar; absent on a host without a pillar compiler. */
  readonly compilePillar?: CompilePillar;
  /** Files of the master, or without a master those of `file_roots`. */
  readonly files: Files;
  /** The master on the same host; absent on a host that cannot look for one. */
  readonly hostMaster?: HostMaster | undefined;
}

/** What a job receives in addition to the {@link Context} of its minion. */
export interface JobContext extends Context {
  /** The return code of the job; a function may set it (`__context__["retcode"]`). Null: a command has no code. */
  retcode: number | null;
  /** The publication of this job. */
  readonly load: Record<string, unknown>;
  /** The job's id, 20 digits. */
  readonly jid: string;
  /** Aborts when the job is killed: everything that the job started must end. */
  readonly signal: AbortSignal;
  /** Adds a process of this job, so that signals to the job reach the process. */
  ownProcess(pid: number): void;
  /**
   * Sends output to the caller while the function runs; undefined unless the caller asked for output (`--stream`). The promise
   * resolves when there is room for more, and a function that reads a pipe must wait for it.
   */
  readonly output: ((stream: OutputStream, chunk: Uint8Array) => void | Promise<void>) | undefined;
  /** The user for commands whose call names none: the `runas` of a state (`__context__["runas"]`). */
  readonly runas?: string;
  /** Module → file whose functions replace those of the module: `{pkg: "aptpkg"}`, from the `provider` of a state. */
  readonly providers?: Readonly<Record<string, string>>;
  /** How many calls of `state` this one is inside of: their templates may call them, too. */
  readonly nested?: number;
  /**
   * A copy of the context with other options, grains, pillar or files, and its own return code. Only functions called through
   * the copy see the new values.
   */
  with(
    other: Partial<
      Pick<
        JobContext,
        | "opts"
        | "grains"
        | "pillar"
        | "retcode"
        | "signal"
        | "runas"
        | "providers"
        | "files"
        | "compilePillar"
        | "nested"
      >
    >,
  ): JobContext;
}

/**
 * The stream of a command that a piece of output belongs to.
 *
 * @internal
 */
export type OutputStream = "stdout" | "stderr";

export type JobReader = Pick<JobCache, "load" | "hasLoad" | "minions" | "returns" | "outcomes" | "list">;

/** The cached data of one minion; undefined if the master has none. */
interface MinionRecord {
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
}

/** The minions' data that the master stores on disk. */
interface MinionRecords {
  ids(): string[];
  data(id: string): MinionRecord | undefined;
  mine(id: string): Record<string, unknown> | undefined;
  saveData(id: string, data: MinionRecord): void;
  saveMine(id: string, mine: Record<string, unknown>): void;
  /** Deletes a minion's mine. @returns false if there was none */
  flushMine(id: string): boolean;
}

/** The files that the master serves under `salt://`. A function may be limited to some backends: `roots`, `a,b`, `-a`. */
interface ServedFiles {
  /** @throws {RangeError} naming a backend that is not configured; the other functions throw it, too */
  backends(wanted?: unknown): { readonly name: string }[];
  environments(backend?: unknown): string[];
  /** @param load `{saltenv, fsbackend, prefix}` */
  list(load: Record<string, unknown>, what: "files" | "dirs" | "empty_dirs"): Promise<string[]>;
  links(load: Record<string, unknown>): Promise<Record<string, string>>;
  /** Looks for changes; with `fileserver_events` also fires events about them. */
  update(backend?: unknown): Promise<unknown>;
  /** Deletes the fetched files of backends. */
  clearCache(backend?: unknown): { done: string[]; errors: string[] };
  /** Locks remotes against updates, or unlocks them. @param remote a glob of addresses */
  setLocks(how: "lock" | "clear", backend?: unknown, remote?: string): { done: string[]; errors: string[] };
  /** Deletes cached listings. @returns backend → environments */
  forgetLists(saltenvs: readonly string[] | undefined, backend?: unknown): Record<string, string[]>;
}

/** What a runner receives: the master's functions, as a program on the same host can use them. */
export interface RunnerContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Id of this master, which is also its id as a minion. */
  readonly id: string;
  readonly jid: string;
  /** Set by a runner that has failed although it returns. @default 0 */
  retcode?: number;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  /** Jobs and returns in the master's job cache. */
  readonly jobs: JobCache;
  /** Jobs in the store of a returner (`ext_source`); those of the master's job cache if `source` is undefined. */
  jobsFrom(source: string | undefined): Promise<JobReader>;
  /**
   * Sends a command to the running master, with the key of this host: `job_outcomes`, `job_dequeue`, `job_counters`,
   * `engine_status`.
   *
   * @throws {ClientError} if no master runs, or it is not a Brine master
   */
  ask(command: string, load: Record<string, unknown>): Promise<unknown>;
  /**
   * Makes the master create a token for a caller that authenticates (`eauth`, `username`, `password`); an empty text for any
   * other.
   *
   * @throws {ClientError} if no master runs
   */
  makeToken(credentials: Record<string, unknown>): Promise<unknown>;
  /** Revokes a token. @returns false if there is none */
  deleteToken(token: unknown): boolean;
  /** @throws {ConfigError} if the master's options of the file server cannot be used */
  readonly files: ServedFiles;
  /** The same files as a client sees them, with the master's own cache. */
  readonly fetched: Files;
  /** Absent on a host without a pillar compiler. */
  readonly pillar?: RunnerPillar;
  /** Absent on a host without a reactor. */
  readonly reactor?: ReactorAccess;
  /** The audit log of this host's master. */
  readonly audit: AuditReader;
  accepted(): string[];
  /** Ids that a target may match, as far as the master knows. */
  expand(target: { tgt: unknown; tgt_type: string }): string[];
  /** Ids that a target matches by cached data: minions without cached data are left out. Empty for a malformed target. */
  expandKnown(target: { tgt: unknown; tgt_type: string }): string[];
  readonly minions: MinionRecords;
  /** Documentation of all functions of runners, or of wheel modules: name → text. */
  documentation(of?: "runner" | "wheel"): Promise<Record<string, string>>;
  /**
   * Calls an execution function on the master's host.
   *
   * @returns Salt's message if the function does not exist
   * @throws what the function throws
   */
  callFunction(fun: string, positional: unknown[], keyword: Record<string, unknown>): Promise<unknown>;
  /** Runs a job on minions: id → return; minions that did not answer are left out. Undefined if no minion matches. */
  command(
    request: { tgt: string | string[]; tgt_type?: string; fun: string; arg?: unknown[]; ret?: string; jid?: string },
    options?: { timeoutMs?: number; gatherMs?: number },
  ): Promise<Record<string, unknown> | undefined>;
  /** Jobs that are published without waiting for them. */
  readonly jobPublisher: JobPublisher;
  /**
   * Makes the master run a wheel function, with the permissions of this host.
   *
   * @returns the return of the function
   * @throws {CommandExecutionError} if the function failed
   * @throws {ClientError} if no master runs
   */
  wheel(fun: string, args: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
  /** Fires an event on the master's bus. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /** Reports progress of the runner, on the bus and on the screen. */
  progress?(data: Record<string, unknown>): Promise<void>;
  /** Prints a line in addition to the runner's return. */
  print(line: string): void;
  /** Prints a line that the caller asked for, even if returns are not shown. */
  write(line: string): void;
  /**
   * Events of a bus on this host, from now on. If the bus is missing, it is waited for; leaving the loop ends the wait.
   *
   * @throws {CommandExecutionError} after a while, if nothing can end this runner by a signal
   */
  events(
    choice: BusChoice,
    wants: (tag: string) => boolean,
  ): AsyncIterable<{ tag: string; data: Record<string, unknown> }>;
}

/** Errors that hosts distinguish, by name, because custom code cannot import their classes. */
const KINDS: Record<string, (message: string, cause: unknown) => Error> = {
  CommandExecutionError: (message, cause) => {
    const info = isMap(cause) ? lookup(cause, "info") : (cause as { info?: unknown }).info;
    return new CommandExecutionError(message, { cause, ...(info === undefined ? {} : { info }) });
  },
  SaltInvocationError: (message) => new SaltInvocationError(message),
  CommandNotFoundError: (message) => new CommandNotFoundError(message),
  TypeError: (message) => new InvalidArgumentsError(message),
};

/**
 * Converts an error of a custom module to the host's error of the same name; an error of any other name is returned unchanged.
 *
 * @param message text of the new error. @default the message of `cause`
 */
export function knownError(kind: unknown, cause: unknown, message = messageOf(cause)): unknown {
  const make = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (make === undefined) return cause;
  const error = make(message, cause);
  // Keep the stack: the module's author needs the place of the error.
  if (cause instanceof Error && cause.stack !== undefined) error.stack = cause.stack;
  return error;
}
