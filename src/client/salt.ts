/** What a script uses of Salt: the same for a master on this host and for one that is reached over HTTP. */
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

/** How long one call may take. */
export interface CallOptions {
  /** In milliseconds; then it rejects with the code `TIMEOUT`. @default 60000, for runners 300000 */
  timeoutMs?: number;
  /** Ends the wait: the call then rejects with the signal's reason. What the master has begun goes on. */
  signal?: AbortSignal;
}

/**
 * A job as {@link Salt.run} takes it: of a function that is known, the arguments are held to its signature.
 *
 * @typeParam Fun its function, or a list of several
 */
export type JobRequest<Fun extends Functions = string | string[]> =
  & Omit<PublishRequest, "fun" | "arg" | "kwarg">
  & { fun: Fun }
  & FunctionArguments<Fun>;

/**
 * A runner function and its arguments, `arg` by position and `kwarg` by name; both may be left out.
 *
 * @typeParam Fun its function, such as `"manage.up"`
 */
export type RunnerCall<Fun extends AnyRunner = string> = { fun: Fun } & RunnerArguments<Fun>;

/**
 * A wheel function and its arguments, which are all named: `kwarg`, which may be left out.
 *
 * @typeParam Fun its function, such as `"key.list_all"`
 */
export type WheelCall<Fun extends AnyWheel = string> = { fun: Fun } & WheelArguments<Fun>;

/** The outcomes of a job, one for each target, as they come. Nothing is published before the first is asked for. */
export interface JobRun<Return = unknown> extends AsyncGenerator<Outcome<Return>, Published | undefined, void> {
  /** Waits for the end of the job: the outcomes that have not been read yet, in the order in which they came. */
  all(): Promise<Outcome<Return>[]>;
}

/** An event of the master's bus. */
export interface SaltEvent {
  /** What it is about, such as `salt/job/<jid>/ret/<id>`. */
  tag: string;
  /** What it carries; `_stamp` is its time in UTC. */
  data: Record<string, unknown>;
  /** What {@link EventsOptions.after} takes; `""` where events have no ids: on the master's host, and over real salt-api. */
  id: string;
}

/** Which events are wanted. */
export interface EventsOptions {
  /** A glob of their tags, in which `*` crosses slashes: `salt/job/*`. @default all */
  tag?: string;
  /** The id of the last event that the caller has: those after it come first, as far as the server still has them. */
  after?: string;
  /**
   * Called when events were lost, before the next one is yielded: after a disconnection that was too long, or since the
   * caller reads too slowly.
   *
   * @param count at most so many, of all tags; undefined if that is not known
   */
  onMissed?(count: number | undefined): void;
  /**
   * Events that may wait for the caller, on the master's host. Over HTTP it has no effect: the server disconnects a reader
   * that is too slow, and the client goes on where it was.
   *
   * @default 10000
   */
  buffer?: number;
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal;
}

/** Events as they happen, until the loop is left. Nothing is heard before the first is asked for, or {@link EventFeed.ready}. */
export interface EventFeed extends AsyncGenerator<SaltEvent, void, void> {
  /** Begins to listen; once it resolves, no event is missed that happens from then on. */
  ready(): Promise<void>;
}

/** A job as the master lists it. */
export interface ListedJob {
  /** The job's id, 20 digits. */
  jid: string;
  /** The function, or several. */
  fun: string | string[];
  /** Its arguments. */
  arg: unknown[];
  /** The target, as it was given. */
  tgt: string | string[];
  /** How that is to be read, such as `"glob"`. */
  tgtType: string;
  /** Who has published it. */
  user: string;
  /** Milliseconds since the epoch at which it was published, if the master counts in UTC; 0 if its id has no time. */
  startMs: number;
  /** What its caller has written on it. */
  metadata?: unknown;
}

/** A job with what has come of it so far. */
export interface RecordedJob extends ListedJob {
  /** The minions that it was published for. */
  minions: string[];
  /** How each of them stands; without an outcome that its master keeps and without a return, `no answer`. */
  outcomes: Outcome[];
}

/** Which jobs are listed. */
export interface ListJobsOptions extends CallOptions {
  /** At most so many, the latest ones. @default 100 */
  limit?: number;
  /** Only jobs before this job id. @default all */
  before?: string;
}

/** Jobs that the master has on record. */
export interface Jobs {
  /** The latest first, without those with which clients ask for other jobs (`saltutil.find_job`). */
  list(options?: ListJobsOptions): Promise<ListedJob[]>;
  /** A job with how each of its targets stands. @throws {ClientError} `UNKNOWN_JOB` */
  one(jid: string, options?: CallOptions): Promise<RecordedJob>;
  /** How each target of a job stands now. @throws {ClientError} `UNKNOWN_JOB` */
  outcomes(jid: string, options?: CallOptions): Promise<Outcome[]>;
  /** The outcomes of a job: those on record first, the others as they come. @throws {ClientError} `UNKNOWN_JOB` */
  follow(jid: string, options?: CollectOptions): JobRun;
  /**
   * Ends a job: takes it from the queue for minions that are away, and sends `saltutil.kill_job` to those that have not
   * ended it.
   *
   * @returns the ids of both
   * @throws {ClientError} `UNKNOWN_JOB`
   */
  cancel(jid: string, options?: CallOptions): Promise<string[]>;
}

/** A minion as the master knows it; nothing is sent to it. */
export interface KnownMinion {
  /** The minion's id. */
  id: string;
  /** Its grains as the master saw them last; undefined if it has none. */
  grains: Record<string, unknown> | undefined;
  /** Whether it is connected now. */
  connected: boolean;
}

/** Which minions are listed. */
export interface ListMinionsOptions extends CallOptions {
  /** A target; the master matches it against the grains that it has. @default "*", all with an accepted key */
  tgt?: string;
  /** How `tgt` is to be read. @default "glob" */
  tgtType?: string;
}

/** The minions with an accepted key. */
export interface Minions {
  /** Sorted by id. */
  list(options?: ListMinionsOptions): Promise<KnownMinion[]>;
  /** The ids of those that are connected, and of those that are not, each sorted. */
  presence(options?: CallOptions): Promise<{ connected: string[]; away: string[] }>;
}

/** What has been decided of a key; `pre` waits for a decision. */
export type KeyStatus = "accepted" | "pre" | "rejected" | "denied";

/** The fingerprint of a key, to be compared with what `salt-call --local key.finger` prints on the minion. */
export interface KeyFingerprint {
  /** The minion's id. */
  id: string;
  /** What has been decided of the key. */
  status: KeyStatus;
  /** Pairs of hex digits with colons. */
  fingerprint: string;
}

/** Keys of minions. Each `match` is a glob of ids. */
export interface Keys {
  /** The ids of each status, sorted. */
  list(options?: CallOptions): Promise<Record<KeyStatus, string[]>>;
  /** Accepts keys that wait. @returns the ids of that glob that are accepted now */
  accept(match: string, options?: CallOptions & { rejected?: boolean; denied?: boolean }): Promise<string[]>;
  /** Rejects keys that wait. @returns the ids of that glob that are rejected now */
  reject(match: string, options?: CallOptions & { accepted?: boolean; denied?: boolean }): Promise<string[]>;
  /** Deletes keys, whatever their status. @returns the ids that were deleted */
  delete(match: string, options?: CallOptions): Promise<string[]>;
  /** Sorted by id. @throws {ClientError} `UNKNOWN_KEY` for an id without a key, where `match` is no glob */
  fingerprint(match: string, options?: CallOptions): Promise<KeyFingerprint[]>;
}

/** Targets without a job. */
export interface Targets {
  /**
   * The minions that a job would be published for, by the master's rules; nothing is sent to them. A request without a
   * function asks for `test.ping`.
   *
   * @throws {ClientError} `NOT_BRINE` beside real Salt's master, which has no such command
   */
  preview(
    request: Pick<PublishRequest, "tgt" | "tgt_type"> & Partial<PublishRequest>,
    options?: CallOptions,
  ): Promise<Previewed>;
}

/**
 * Salt as a script uses it: the master of this host, or one that is reached over HTTP. {@link connect} opens either.
 *
 * Each call that fails rejects with an error whose `code` is stable; `docs/sdk.md` lists them.
 */
export interface Salt extends AsyncDisposable {
  /** True if the master is Brine's, which keeps the outcome of every target of a job. */
  readonly isBrine: boolean;
  /** Jobs that the master has on record. */
  readonly jobs: Jobs;
  /** The minions with an accepted key. */
  readonly minions: Minions;
  /** Keys of minions. */
  readonly keys: Keys;
  /** Targets without a job. */
  readonly targets: Targets;
  /** Publishes a job and yields the outcome of each target as it comes; the loop ends with the job. */
  run<const Fun extends Functions>(request: JobRequest<Fun>, options?: CollectOptions): JobRun<FunctionReturn<Fun>>;
  /** Runs a job to its end: id → return, without the targets that did not return. Where it failed it may be the text of an error. */
  command<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options?: CollectOptions,
  ): Promise<Record<string, FunctionReturn<Fun> | string>>;
  /** Publishes a job and does not wait for it; undefined if no minion matches. */
  publish<const Fun extends Functions>(request: JobRequest<Fun>, options?: CallOptions): Promise<Published | undefined>;
  /** Calls a runner and waits for its end. @returns its return @throws {ClientError} `FAILED` with its message */
  runner<const Fun extends AnyRunner>(call: RunnerCall<Fun>, options?: CallOptions): Promise<RunnerReturn<Fun>>;
  /** Calls a wheel function. @returns its return @throws {ClientError} `FAILED` with its message */
  wheel<const Fun extends AnyWheel>(call: WheelCall<Fun>, options?: CallOptions): Promise<WheelReturn<Fun>>;
  /** The events of the master's bus, as they happen. */
  events(options?: EventsOptions): EventFeed;
  /** Closes the connection. Jobs that are running go on. */
  close(): Promise<void>;
}
