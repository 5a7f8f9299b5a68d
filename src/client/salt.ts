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
import type { Published, PublishRequest } from "./publish_request.ts";

/**
 * How long one call may take.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const within = { timeoutMs: 10_000, signal: AbortSignal.timeout(15_000) };
 * console.log(await salt.runner({ fun: "manage.up" }, within));
 * ```
 */
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
 * @example
 * ```ts
 * import type { JobRequest } from "brine";
 *
 * export const request: JobRequest<"disk.usage"> = { tgt: "*", fun: "disk.usage", kwarg: { args: "/var" } };
 * ```
 */
export type JobRequest<Fun extends Functions = string | string[]> =
  & Omit<PublishRequest, "fun" | "arg" | "kwarg">
  & { fun: Fun }
  & FunctionArguments<Fun>;

/**
 * A runner function and its arguments, `arg` by position and `kwarg` by name; both may be left out.
 *
 * @typeParam Fun its function, such as `"manage.up"`
 * @example
 * ```ts
 * import type { RunnerCall } from "brine";
 *
 * export const call: RunnerCall<"manage.up"> = { fun: "manage.up", kwarg: { timeout: 5 } };
 * ```
 */
export type RunnerCall<Fun extends AnyRunner = string> = { fun: Fun } & RunnerArguments<Fun>;

/**
 * A wheel function and its arguments, which are all named: `kwarg`, which may be left out.
 *
 * @typeParam Fun its function, such as `"key.list_all"`
 * @example
 * ```ts
 * import type { WheelCall } from "brine";
 *
 * export const call: WheelCall<"key.accept"> = { fun: "key.accept", kwarg: { match: "web*" } };
 * ```
 */
export type WheelCall<Fun extends AnyWheel = string> = { fun: Fun } & WheelArguments<Fun>;

/**
 * The outcomes of a job, one for each target, as they come. Nothing is published before the first is asked for.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const outcomes = await salt.run({ tgt: "*", fun: "test.ping" }).all();
 * console.log(outcomes.map(({ id, kind }) => `${id}: ${kind}`));
 * ```
 */
export interface JobRun<Return = unknown> extends AsyncGenerator<Outcome<Return>, Published | undefined, void> {
  /** Waits for the end of the job: the outcomes that have not been read yet, in the order in which they came. */
  all(): Promise<Outcome<Return>[]>;
}

/**
 * An event of the master's bus.
 *
 * @example
 * ```ts
 * import type { SaltEvent } from "brine";
 *
 * export const line = ({ tag, data }: SaltEvent): string => `${data._stamp} ${tag}`;
 * ```
 */
export interface SaltEvent {
  /** What it is about, such as `salt/job/<jid>/ret/<id>`. */
  tag: string;
  /** What it carries; `_stamp` is its time in UTC. */
  data: Record<string, unknown>;
  /** What {@link EventsOptions.after} takes; `""` where events have no ids: on the master's host, and over real salt-api. */
  id: string;
}

/**
 * Which events are wanted.
 *
 * @example
 * ```ts
 * import type { EventsOptions } from "brine";
 *
 * export const options: EventsOptions = {
 *   tag: "salt/job/*",
 *   onMissed: (count) => console.error(`missed ${count ?? "some"} events`),
 * };
 * ```
 */
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

/**
 * Events as they happen, until the loop is left. Nothing is heard before the first is asked for, or {@link EventFeed.ready}.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * await using events = salt.events({ tag: "salt/job/*" });
 * await events.ready();
 * await salt.publish({ tgt: "*", fun: "test.ping" });
 * for await (const { data } of events) {
 *   console.log(data.id, data.return);
 *   break;
 * }
 * ```
 */
export interface EventFeed extends AsyncGenerator<SaltEvent, void, void> {
  /** Begins to listen; once it resolves, no event is missed that happens from then on. */
  ready(): Promise<void>;
}

/**
 * A job as the master lists it.
 *
 * @example
 * ```ts
 * import type { ListedJob } from "brine";
 *
 * export const line = ({ jid, fun, tgt, user }: ListedJob): string => `${jid} ${user}: ${fun} on ${tgt}`;
 * ```
 */
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

/**
 * A job with what has come of it so far.
 *
 * @example
 * ```ts
 * import type { RecordedJob } from "brine";
 *
 * export const open = ({ outcomes }: RecordedJob): string[] =>
 *   outcomes.filter(({ kind }) => kind === "started" || kind === "queued").map(({ id }) => id);
 * ```
 */
export interface RecordedJob extends ListedJob {
  /** The minions that it was published for. */
  minions: string[];
  /** How each of them stands; without an outcome that its master keeps and without a return, `no answer`. */
  outcomes: Outcome[];
}

/**
 * Which jobs are listed.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const latest = await salt.jobs.list({ limit: 20 });
 * const before = latest.at(-1)?.jid;
 * if (before !== undefined) console.log(await salt.jobs.list({ limit: 20, before }));
 * ```
 */
export interface ListJobsOptions extends CallOptions {
  /** At most so many, the latest ones. @default 100 */
  limit?: number;
  /** Only jobs before this job id. @default all */
  before?: string;
}

/**
 * Jobs that the master has on record.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * for (const { jid, fun, user } of await salt.jobs.list({ limit: 10 })) console.log(jid, fun, user);
 * ```
 */
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

/**
 * A minion as the master knows it; nothing is sent to it.
 *
 * @example
 * ```ts
 * import type { KnownMinion } from "brine";
 *
 * export const system = ({ id, grains }: KnownMinion): string => `${id}: ${grains?.osfinger ?? "not known yet"}`;
 * ```
 */
export interface KnownMinion {
  /** The minion's id. */
  id: string;
  /** Its grains as the master saw them last; undefined if it has none. */
  grains: Record<string, unknown> | undefined;
  /** Whether it is connected now. */
  connected: boolean;
}

/**
 * Which minions are listed.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const debian = await salt.minions.list({ tgt: "os_family:Debian", tgtType: "grain" });
 * console.log(debian.map(({ id }) => id));
 * ```
 */
export interface ListMinionsOptions extends CallOptions {
  /** A target; the master matches it against the grains that it has. @default "*", all with an accepted key */
  tgt?: string;
  /** How `tgt` is to be read. @default "glob" */
  tgtType?: string;
}

/**
 * The minions with an accepted key.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const { connected, away } = await salt.minions.presence();
 * console.log(`${connected.length} connected, ${away.length} away`);
 * ```
 */
export interface Minions {
  /** Sorted by id. */
  list(options?: ListMinionsOptions): Promise<KnownMinion[]>;
  /** The ids of those that are connected, and of those that are not, each sorted. */
  presence(options?: CallOptions): Promise<{ connected: string[]; away: string[] }>;
}

/**
 * What has been decided of a key; `pre` waits for a decision.
 *
 * @example
 * ```ts
 * import type { KeyStatus } from "brine";
 *
 * export const WORDS: Record<KeyStatus, string> = {
 *   accepted: "is one of ours",
 *   pre: "waits for a decision",
 *   rejected: "was turned away",
 *   denied: "has the name of another",
 * };
 * ```
 */
export type KeyStatus = "accepted" | "pre" | "rejected" | "denied";

/**
 * The fingerprint of a key, to be compared with what `salt-call --local key.finger` prints on the minion.
 *
 * @example
 * ```ts
 * import type { KeyFingerprint } from "brine";
 *
 * export const line = ({ id, status, fingerprint }: KeyFingerprint): string => `${id} (${status}) ${fingerprint}`;
 * ```
 */
export interface KeyFingerprint {
  /** The minion's id. */
  id: string;
  /** What has been decided of the key. */
  status: KeyStatus;
  /** Pairs of hex digits with colons. */
  fingerprint: string;
}

/**
 * Keys of minions. Each `match` is a glob of ids.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const { pre } = await salt.keys.list();
 * for (const { id, fingerprint } of await salt.keys.fingerprint("*")) console.log(id, pre.includes(id), fingerprint);
 * ```
 */
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

/**
 * Targets without a job.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const { minions } = await salt.targets.preview({ tgt: "web* and G@os:Debian", tgt_type: "compound" });
 * console.log(minions);
 * ```
 */
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
  ): Promise<Pick<Published, "minions" | "missing">>;
}

/**
 * Salt as a script uses it: the master of this host, or one that is reached over HTTP. {@link connect} opens either.
 *
 * Each call that fails rejects with an error whose `code` is stable; `docs/sdk.md` lists them.
 *
 * @example
 * ```ts
 * import { connect, type Salt } from "brine";
 *
 * async function versions(salt: Salt): Promise<void> {
 *   for await (const outcome of salt.run({ tgt: "*", fun: "test.version" })) console.log(outcome.id, outcome.kind);
 * }
 *
 * await using salt = await connect();
 * await versions(salt);
 * ```
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
