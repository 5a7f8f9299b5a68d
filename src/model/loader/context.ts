import type { AuditReader } from "./audit.ts";
import type { JobCache } from "../job/job_cache.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { BusChoice, HostMaster } from "./host_master.ts";
import type { FunctionCatalog } from "./function_catalog.ts";
import type { ReactorAccess } from "./reactor_access.ts";
import type { CompilePillar, RunnerPillar } from "./pillar_link.ts";

/** Jobs that this minion is running: what `saltutil` looks at. */
export interface JobControl {
  /** Every running job: `{jid, pid, fun, arg, tgt, tgt_type, user, ret}`. A promise in the process of a job. */
  running(): Record<string, unknown>[] | Promise<Record<string, unknown>[]>;
  /** Signals the processes of a job and ends it; undefined if no such job runs. */
  signal(jid: string, signal: number): { pid: number } | undefined | Promise<{ pid: number } | undefined>;
}

export interface MasterRequestOptions {
  /** Of one try, in milliseconds. @default 60000 */
  timeoutMs?: number;
  /** @default 3 */
  tries?: number;
  /** Leave bytes as they are: for the contents of files. @default false */
  raw?: boolean;
  /** The reply is encrypted for this minion alone and signed by the master: for pillar. @default false */
  private?: boolean;
}

/** The way to the master from inside a job. */
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
   * Fires an event on the minion's own bus and waits for the event that answers it; undefined if none comes in time. Absent
   * where there is no bus to listen to.
   *
   * @param answer tag of the event that is waited for
   */
  askLocal?(
    tag: string,
    data: Record<string, unknown>,
    answer: string,
    timeoutMs: number,
  ): Promise<Record<string, unknown> | undefined>;
}

/** The digest of a file, by Salt's names. */
export interface FileHash {
  hash_type: string;
  /** In hexadecimal. */
  hsum: string;
}

/** Where to put a file, and how it comes. */
export interface FetchOptions {
  /** @default the minion's `saltenv`, else `base`; a URL may name its own */
  saltenv?: string;
  /** Make the directories above it. @default false */
  makedirs?: boolean;
  /** Have the master compress pieces, from 1 to 9. @default 0 */
  gzip?: number;
  /** Of files that come over http: a digest in hexadecimal, bare or as `sha256=…`, that the content must have. */
  sourceHash?: string;
  /** Of files that come over http: ask whether the copy that is there is still good. @default false */
  useEtag?: boolean;
  /** Of files that come over https: false takes any certificate. @default true, unless the option `verify_ssl` is false */
  verify?: boolean;
}

/**
 * Files from wherever a minion gets them: `salt://`, of its master or of its own `file_roots`, http, https, and its own disk.
 *
 * What is fetched appears whole under its name or not at all. A file that cannot be had is undefined; what cannot be right
 * throws a `CommandExecutionError`.
 */
export interface Files {
  /** The same with other options: of the minion's own `file_roots`, if they say so. */
  withOptions(opts: Record<string, unknown>): Files;
  environments(): Promise<string[]>;
  /** Paths below the roots. @param options `prefix`: how they begin */
  list(
    what: "files" | "directories" | "emptyDirectories",
    options?: { saltenv?: string; prefix?: string },
  ): Promise<string[]>;
  /** Link → what it says. */
  links(options?: { saltenv?: string; prefix?: string }): Promise<Record<string, string>>;
  /** Names of the SLS files, with dots. */
  states(saltenv?: string): Promise<string[]>;
  /** @param path `salt://…`, or of this host */
  hash(path: string, saltenv?: string): Promise<FileHash | undefined>;
  /** The ten numbers of Python's `os.stat`. */
  stat(path: string, saltenv?: string): Promise<number[] | undefined>;
  /** Fetches `salt://…` to a path of this host, into the cache if it is empty. Resolves with its path. */
  fetch(path: string, destination: string, options?: FetchOptions): Promise<string | undefined>;
  /** Fetches a directory and everything below it. Resolves with the paths that were written. */
  fetchDirectory(path: string, destination: string, options?: FetchOptions): Promise<string[]>;
  /** As {@link Files.fetch}, from any URL. A file of this host stays where it is, and its path is given. */
  fetchUrl(url: string, destination: string, options?: FetchOptions): Promise<string | undefined>;
  /** The content, through the cache. */
  read(url: string, options?: FetchOptions): Promise<Uint8Array | undefined>;
  /** Fetches all files below a directory into the cache. Patterns are globs, or `E@` and a regular expression. */
  cacheDirectory(
    path: string,
    options?: { saltenv?: string; includeEmpty?: boolean; include?: string; exclude?: string },
  ): Promise<string[]>;
  /** Fetches all files of an environment; undefined for those that were removed meanwhile. */
  cacheMaster(saltenv?: string): Promise<(string | undefined)[]>;
  /** Copies a file of this host into the cache. */
  cacheLocal(path: string): string;
  /** Where the cache has that URL, be it there or not. */
  cachePath(url: string, saltenv?: string): string;
  /** Where the cache has it, if it has. */
  cached(path: string, saltenv?: string): string | undefined;
  /** Everything that the cache has of an environment, and of this host. */
  cachedFiles(saltenv?: string): string[];
  /** Sends a file of this host to the master, which keeps it below `parts`; false if it would not take it. */
  push(path: string, parts: readonly string[]): Promise<boolean>;
}

/**
 * What an execution module, grain or returner is given instead of its host: plugins import neither the master nor the
 * minion, nor each other.
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
  /** The execution functions, for `sys`. */
  readonly functions: FunctionCatalog;
  /** Empty under `salt-call --local`. */
  readonly jobs: JobControl;
  /** Undefined when there is no master. */
  readonly master: MasterLink | undefined;
  /** Absent on a host without a pillar compiler. */
  readonly compilePillar?: CompilePillar;
  /** Of the master, or without one of `file_roots`. */
  readonly files: Files;
  /** The master on this same host. Absent where a host cannot look for it. */
  readonly hostMaster?: HostMaster;
}

/** What a job has beside the {@link Context} of its minion. */
export interface JobContext extends Context {
  /** The return code of the job; a function may set it (`__context__["retcode"]`). Null: a command has none. */
  retcode: number | null;
  /** The publication that asked for this job; undefined under `salt-call`. */
  readonly load: Record<string, unknown> | undefined;
  /** The job's id, 20 digits. */
  readonly jid: string;
  /** Aborts when the job is killed: everything that it started must end. */
  readonly signal: AbortSignal;
  /** Adds a process that works for this job, so that it is signalled with the job. */
  ownProcess(pid: number): void;
  /**
   * Sends output to the caller while the function runs; undefined unless the caller asked for it (`--stream`). The promise
   * resolves when there is room for more; a function that reads a pipe must wait for it.
   */
  readonly output: ((stream: OutputStream, chunk: Uint8Array) => void | Promise<void>) | undefined;
  /** The user that commands run as where a call names none: the `runas` of a state (`__context__["runas"]`). */
  readonly runas?: string;
  /** Files whose functions stand for those of a module: `{pkg: "aptpkg"}`, as the `provider` of a state says. */
  readonly providers?: Readonly<Record<string, string>>;
  /**
   * The same job with other options, grains, pillar or files, and a return code of its own: what its `call` calls sees them, and nothing else
   * does.
   */
  with(
    other: Partial<
      Pick<
        JobContext,
        "opts" | "grains" | "pillar" | "retcode" | "signal" | "runas" | "providers" | "files" | "compilePillar"
      >
    >,
  ): JobContext;
}

/**
 * Which of a command's streams a piece of output is of.
 *
 * @internal
 */
export type OutputStream = "stdout" | "stderr";

/** What can be read of jobs anywhere. */
export type JobReader = Pick<JobCache, "load" | "hasLoad" | "minions" | "returns" | "outcomes" | "list">;

/** What the master knows of one minion from before; undefined for what it never heard. */
export interface MinionRecord {
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
}

/** What the master keeps of its minions, on its disk. */
export interface MinionRecords {
  /** Ids of the minions that something is kept of. */
  ids(): string[];
  data(id: string): MinionRecord | undefined;
  mine(id: string): Record<string, unknown> | undefined;
  saveData(id: string, data: MinionRecord): void;
  saveMine(id: string, mine: Record<string, unknown>): void;
  /** False if there was none. */
  flushMine(id: string): boolean;
}

/** What the master serves under `salt://`. Each may be asked of some backends: `roots`, `a,b`, `-a`. */
export interface ServedFiles {
  /** @throws {RangeError} naming a backend that is not configured, as the others do */
  backends(wanted?: unknown): { readonly name: string }[];
  environments(backend?: unknown): string[];
  /** @param load `{saltenv, fsbackend, prefix}` */
  list(load: Record<string, unknown>, what: "files" | "dirs" | "empty_dirs"): Promise<string[]>;
  links(load: Record<string, unknown>): Promise<Record<string, string>>;
  /** Looks for changes, and fires events about them with `fileserver_events`. */
  update(backend?: unknown): Promise<unknown>;
  /** Deletes what backends have fetched. */
  clearCache(backend?: unknown): { done: string[]; errors: string[] };
  /** Locks remotes against updates, or unlocks them. @param remote a glob of addresses */
  setLocks(how: "lock" | "clear", backend?: unknown, remote?: string): { done: string[]; errors: string[] };
  /** Deletes cached listings: backend → environments. */
  forgetLists(saltenvs: readonly string[] | undefined, backend?: unknown): Record<string, string[]>;
}

/** What a runner is given: the master's side of things, as a program on its host sees it. */
export interface RunnerContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The id of this master, which it has as a minion, too. */
  readonly id: string;
  /** The id of the job that this run is. */
  readonly jid: string;
  /** Set by a runner that has failed although it returns. @default 0 */
  retcode?: number;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  /** Jobs and returns, as the master keeps them. */
  readonly jobs: JobCache;
  /** Jobs as another place has them, by the name of a returner (`ext_source`); as the master keeps them for none. */
  jobsFrom(source: string | undefined): Promise<JobReader>;
  /**
   * Asks the running master, with the key of this host: `job_outcomes`, `job_dequeue`, `job_counters`, `engine_status`.
   *
   * @throws {ClientError} if there is no master, or it is not Brine's
   */
  ask(command: string, load: Record<string, unknown>): Promise<unknown>;
  /**
   * Has the master make a token for a caller that authenticates (`eauth`, `username`, `password`); empty text for any other.
   *
   * @throws {ClientError} if there is no master
   */
  makeToken(credentials: Record<string, unknown>): Promise<unknown>;
  /** Revokes a token. @returns false if there is none */
  deleteToken(token: unknown): boolean;
  /** @throws {ConfigError} if the master's options of files cannot be used */
  readonly files: ServedFiles;
  /** The same files as a client gets them, into the master's own cache. */
  readonly fetched: Files;
  /** Absent on a host without a pillar compiler. */
  readonly pillar?: RunnerPillar;
  /** Absent on a host without a reactor. */
  readonly reactor?: ReactorAccess;
  /** The audit log of this host's master. */
  readonly audit: AuditReader;
  /** Ids of the accepted keys. */
  accepted(): string[];
  /** Ids that a target matches, as far as the master knows. */
  expand(target: { tgt: unknown; tgt_type: string }): string[];
  /** The same without minions that only might match: those without cached data. Empty for a target that cannot be read. */
  expandKnown(target: { tgt: unknown; tgt_type: string }): string[];
  readonly minions: MinionRecords;
  /** Documentation of all functions of runners, or of wheel modules: name → text. */
  documentation(of?: "runner" | "wheel"): Promise<Record<string, string>>;
  /**
   * Calls an execution function on the master's own host.
   *
   * @returns Salt's message if the function does not exist
   * @throws what the function throws
   */
  callFunction(fun: string, positional: unknown[], keyword: Record<string, unknown>): Promise<unknown>;
  /** Runs a job on minions: id → return, without minions that did not answer. Undefined if no minion matches. */
  command(
    request: { tgt: string | string[]; tgt_type?: string; fun: string; arg?: unknown[]; ret?: string; jid?: string },
    options?: { timeoutMs?: number; gatherMs?: number },
  ): Promise<Record<string, unknown> | undefined>;
  /**
   * Has the master run a wheel function, with the rights of this host.
   *
   * @returns what it returns
   * @throws {CommandExecutionError} if it failed
   * @throws {ClientError} if there is no master
   */
  wheel(fun: string, args: unknown[]): Promise<unknown>;
  /** Fires an event on the master's bus. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /** Reports how far the runner is: on the bus and on the screen. */
  progress?(data: Record<string, unknown>): Promise<void>;
  /** Prints a line that is not the runner's return. */
  print(line: string): void;
  /** Prints a line that is what the caller asked for, also where returns are not to be shown. */
  write(line: string): void;
  /**
   * Events of a bus on this host from now on. The bus is waited for as long as it is not there; leaving the loop ends it.
   *
   * @throws {CommandExecutionError} after a while, if no signal can end this runner
   */
  events(
    choice: BusChoice,
    wants: (tag: string) => boolean,
  ): AsyncIterable<{ tag: string; data: Record<string, unknown> }>;
}
