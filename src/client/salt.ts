/** The interface of Salt for scripts: the same for a master on this host and for one that is reached over HTTP. */
import type {
  AnyRunner,
  AnyWheel,
  FunctionArguments,
  FunctionReturn,
  Functions,
  RunnerArguments,
  RunnerReturn,
  WheelArguments,
  WheelReturn,
} from "./functions/call_types.ts";
import type { CollectOptions } from "./job_collector.ts";
import type { Outcome } from "./outcome.ts";
import type { Previewed, Published, PublishRequest } from "./publish_request.ts";

/** The options of one call. */
export interface CallOptions {
  /** The time for the call in milliseconds, after which it rejects with the code `TIMEOUT`. @default 60000, for runners 300000 */
  timeoutMs?: number;
  /** Ends the wait: the call then rejects with the signal's reason. Work that the master has begun continues. */
  signal?: AbortSignal;
}

/**
 * A job for {@link Salt.run}: for a known function, the arguments have to fit its signature.
 *
 * @typeParam Fun the function, or a list of several
 */
export type JobRequest<Fun extends Functions = string | string[]> =
  & Omit<PublishRequest, "fun" | "arg" | "kwarg">
  & { fun: Fun }
  & FunctionArguments<Fun>;

/**
 * A runner function and its arguments, `arg` by position and `kwarg` by name; both may be left out.
 *
 * @typeParam Fun the function, such as `"manage.up"`
 */
export type RunnerCall<Fun extends AnyRunner = string> = { fun: Fun } & RunnerArguments<Fun>;

/**
 * A wheel function and its arguments, which are all named: `kwarg`, which may be left out.
 *
 * @typeParam Fun the function, such as `"key.list_all"`
 */
export type WheelCall<Fun extends AnyWheel = string> = { fun: Fun } & WheelArguments<Fun>;

/** The outcomes of a job, one for each target, as they come. The job is published when the first outcome is requested. */
export interface JobRun<Return = unknown> extends AsyncGenerator<Outcome<Return>, Published | undefined, void> {
  /** Waits for the end of the job; returns the outcomes that have not been read yet, in the order in which they came. */
  all(): Promise<Outcome<Return>[]>;
}

/** An event of the master's bus. */
export interface SaltEvent {
  /** The tag of the event, such as `salt/job/<jid>/ret/<id>`. */
  tag: string;
  /** The data of the event; `_stamp` is its time in UTC. */
  data: Record<string, unknown>;
  /** The id, for {@link EventsOptions.after}; `""` if events have no ids: on the master's host, and with Salt's salt-api. */
  id: string;
}

/** The options of a feed of events. */
export interface EventsOptions {
  /** A glob of the events' tags, in which `*` also matches slashes: `salt/job/*`. @default all events */
  tag?: string;
  /** The id of the last event that the caller has: later events come first, if the server still has them. */
  after?: string;
  /**
   * Called when events were lost, before the next one is yielded: after a disconnection that was too long, or because the
   * caller reads too slowly.
   *
   * @param count the most events that were lost, of all tags; undefined if not known
   */
  onMissed?(count: number | undefined): void;
  /**
   * The most events that wait for the caller, on the master's host. Over HTTP this has no effect: the server disconnects a slow
   * reader, and the client continues at the same event.
   *
   * @default 10000
   */
  buffer?: number;
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal;
}

/** Events as they happen, until the loop is left. The feed listens once the first event is requested, or {@link EventFeed.ready} is called. */
export interface EventFeed extends AsyncGenerator<SaltEvent, void, void> {
  /** Begins to listen; once it has resolved, no later event is missed. */
  ready(): Promise<void>;
}

/** A job in the master's list. */
export interface ListedJob {
  /** The job's id, 20 digits. */
  jid: string;
  /** The function, or several functions. */
  fun: string | string[];
  /** The arguments of the job. */
  arg: unknown[];
  /** The target, as given by the caller. */
  tgt: string | string[];
  /** The type of the target, such as `"glob"`. */
  tgtType: string;
  /** The user who published the job. */
  user: string;
  /** When the job was published, in milliseconds since the epoch, if the master's jids are in UTC; 0 if the jid has no time. */
  startMs: number;
  /** The metadata that the caller has set. */
  metadata?: unknown;
}

/** A job with its outcomes so far. */
export interface RecordedJob extends ListedJob {
  /** The minions that it was published for. */
  minions: string[];
  /** The outcome of each minion; `no answer` if there is neither a return nor an outcome that the master keeps. */
  outcomes: Outcome[];
}

/** The options for listing jobs. */
export interface ListJobsOptions extends CallOptions {
  /** The most jobs to list; the latest are listed. @default 100 */
  limit?: number;
  /** Only jobs before this job id. @default all */
  before?: string;
}

/** Jobs that the master has on record. */
export interface Jobs {
  /** Lists jobs, latest first, without those by which clients ask about other jobs (`saltutil.find_job`). */
  list(options?: ListJobsOptions): Promise<ListedJob[]>;
  /** Reads a job with the outcome of each of its targets. @throws {ClientError} `UNKNOWN_JOB` */
  one(jid: string, options?: CallOptions): Promise<RecordedJob>;
  /** Reads the current outcome of each target of a job. @throws {ClientError} `UNKNOWN_JOB` */
  outcomes(jid: string, options?: CallOptions): Promise<Outcome[]>;
  /** Follows the outcomes of a job: recorded ones first, the others as they come. @throws {ClientError} `UNKNOWN_JOB` */
  follow(jid: string, options?: CollectOptions): JobRun;
  /**
   * Ends a job: removes it from the queue for minions that are not connected, and sends `saltutil.kill_job` to minions that have not
   * finished it.
   *
   * @returns the ids of both
   * @throws {ClientError} `UNKNOWN_JOB`
   */
  cancel(jid: string, options?: CallOptions): Promise<string[]>;
}

/** The master's data about a minion; nothing is sent to the minion. */
export interface KnownMinion {
  /** The minion's id. */
  id: string;
  /** The minion's grains as the master saw them last; undefined if the master has none. */
  grains: Record<string, unknown> | undefined;
  /** True if the minion is connected now. */
  connected: boolean;
}

/** The options for listing minions. */
export interface ListMinionsOptions extends CallOptions {
  /** A target, which the master matches with the grains that it has. @default "*", all minions with an accepted key */
  tgt?: string;
  /** The type of the target. @default "glob" */
  tgtType?: string;
}

/** The minions with an accepted key. */
export interface Minions {
  /** Lists minions, sorted by id. */
  list(options?: ListMinionsOptions): Promise<KnownMinion[]>;
  /** The sorted ids of the connected minions, and of the others. */
  presence(options?: CallOptions): Promise<{ connected: string[]; away: string[] }>;
}

/** The status of a key; a key with the status `pre` waits for a decision. */
export type KeyStatus = "accepted" | "pre" | "rejected" | "denied";

/** The fingerprint of a key, to be compared with the output of `salt-call --local key.finger` on the minion. */
export interface KeyFingerprint {
  /** The minion's id. */
  id: string;
  /** The status of the key. */
  status: KeyStatus;
  /** The fingerprint: pairs of hex digits, separated by colons. */
  fingerprint: string;
}

/** Keys of minions. Each `match` is a glob of ids. */
export interface Keys {
  /** The ids of each status, sorted. */
  list(options?: CallOptions): Promise<Record<KeyStatus, string[]>>;
  /** Accepts pending keys. @returns the ids that match and are accepted now */
  accept(match: string, options?: CallOptions & { rejected?: boolean; denied?: boolean }): Promise<string[]>;
  /** Rejects pending keys. @returns the ids that match and are rejected now */
  reject(match: string, options?: CallOptions & { accepted?: boolean; denied?: boolean }): Promise<string[]>;
  /** Deletes keys of any status. @returns the ids that were deleted */
  delete(match: string, options?: CallOptions): Promise<string[]>;
  /** The fingerprints of keys, sorted by id. @throws {ClientError} `UNKNOWN_KEY` for an id without a key, if `match` is not a glob */
  fingerprint(match: string, options?: CallOptions): Promise<KeyFingerprint[]>;
}

/** Previews of targets, without a job. */
export interface Targets {
  /**
   * The minions that a job would be published for, by the master's rules; nothing is sent to them. Without a function, the
   * preview is for `test.ping`.
   *
   * @throws {ClientError} `NOT_BRINE` for a Salt master, which has no such command
   */
  preview(
    request: Pick<PublishRequest, "tgt" | "tgt_type"> & Partial<PublishRequest>,
    options?: CallOptions,
  ): Promise<Previewed>;
}

/**
 * Salt for scripts: the master of this host, or one that is reached over HTTP. {@link connect} opens either.
 *
 * Each call that fails rejects with an error whose `code` is stable; `docs/sdk.md` lists them.
 */
export interface Salt extends AsyncDisposable {
  /** True if the master is Brine, which keeps the outcome of every target of a job. */
  readonly isBrine: boolean;
  /** Jobs that the master has on record. */
  readonly jobs: Jobs;
  /** The minions with an accepted key. */
  readonly minions: Minions;
  /** Keys of minions. */
  readonly keys: Keys;
  /** Previews of targets, without a job. */
  readonly targets: Targets;
  /** Publishes a job and yields the outcome of each target as it comes; the loop ends with the job. */
  run<const Fun extends Functions>(request: JobRequest<Fun>, options?: CollectOptions): JobRun<FunctionReturn<Fun>>;
  /** Runs a job to its end: id → return, without the targets that did not return. The return of a failed function may be the text of an error. */
  command<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options?: CollectOptions,
  ): Promise<Record<string, FunctionReturn<Fun> | string>>;
  /** Publishes a job and does not wait for it; undefined if no minion matches. */
  publish<const Fun extends Functions>(request: JobRequest<Fun>, options?: CallOptions): Promise<Published | undefined>;
  /** Calls a runner and waits for its end. @returns the return of the runner @throws {ClientError} `FAILED` with its message */
  runner<const Fun extends AnyRunner>(call: RunnerCall<Fun>, options?: CallOptions): Promise<RunnerReturn<Fun>>;
  /** Calls a wheel function. @returns the return of the function @throws {ClientError} `FAILED` with its message */
  wheel<const Fun extends AnyWheel>(call: WheelCall<Fun>, options?: CallOptions): Promise<WheelReturn<Fun>>;
  /** The events of the master's bus, as they happen. */
  events(options?: EventsOptions): EventFeed;
  /** Closes the connection. Running jobs continue. */
  close(): Promise<void>;
}
