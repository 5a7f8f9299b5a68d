import { refusal } from "./client_error.ts";
import { refuseUnknownKeys, suggestion } from "../base/nearest_name.ts";
import { isRecord } from "../base/record.ts";
import type { TargetType } from "../model/target/target.ts";

/** How a caller authenticates to the master: `{token}`, or `{eauth, username, password, …}`. */
export type Credentials = Readonly<Record<string, unknown>>;

/** The cause of a job or of a call of a function of the master. */
export interface JobOrigin {
  /** The reaction that caused the job, for the audit log. Masters accept this field only from callers with all permissions. */
  reaction?: { tag: string; sls: string; id: string };
  /** The jid of the runner that publishes the job, so that a reaction that causes itself is found. */
  cause?: string;
}

/** A job to be published. */
export interface PublishRequest {
  /** The target: text in the form of `tgt_type`, or a list of ids. */
  tgt: string | string[];
  /** The type of the target. @default "list" for a list of ids, "glob" for text */
  tgt_type?: TargetType | (string & Record<never, never>) | undefined;
  /** The function, such as `"test.ping"`, or several that each minion runs in one job. */
  fun: string | string[];
  /** Positional values, then at most one map with `__kwarg__`; a list of such lists for several functions. */
  arg?: unknown[];
  /** Keyword arguments of the function. With several functions, each has its own at the end of its list in `arg`. */
  kwarg?: Record<string, unknown>;
  /** The names of returners, separated by commas. */
  ret?: string;
  /** The job's id, 20 digits. @default chosen by the master */
  jid?: string;
  /** Further fields of the publication: `delimiter`, `metadata`, `ret_config`, `ret_kwargs`, `module_executors`, … */
  kwargs?: Record<string, unknown> | undefined;
  /** The caller's credentials: a `token`, or `eauth` with the fields of that backend. @default the user of this process */
  credentials?: Credentials | undefined;
  /** The user that the job is recorded for, if a higher master has authorized the job: set by a syndic. @default the caller */
  user?: string;
  /** How long the job is kept for minions that are not connected, in seconds. Brine masters only. @default not kept */
  queue?: number;
  /**
   * True makes Brine minions send the output of commands while they run, and each finished state: see {@link CollectOptions.onOutput}
   * and {@link CollectOptions.onProgress}. @default false
   */
  stream?: boolean;
  /** The cause of the job, in addition to the caller; Brine masters only. */
  origin?: JobOrigin | undefined;
  /** Seconds after which Brine minions end the job. @default the minion's own `job_timeout` */
  jobTimeout?: number;
}

/** A job that was published. */
export interface Published {
  /** The job's id, 20 digits. */
  jid: string;
  /** Ids of the minions that are expected to return. */
  minions: string[];
  /** Names of a list target without an accepted key. */
  missing: string[];
  /** Ids of {@link Published.minions} that are not connected and get the job when they connect. */
  queued: string[];
  /** Syndics that have not named their targets yet; only from Brine masters with syndics. */
  syndics?: string[];
}

/** The minions that a job would be published for. */
export interface Previewed extends Pick<Published, "minions" | "missing"> {
  /** Ids of {@link Published.minions} that may not match, because the master does not have their grains or pillar. Absent if there are none. */
  unknown?: string[];
}

/** The job in a master's reply; undefined if no minion matches. @throws {ClientError} with the master's message */
export function publishedOf(fields: Record<string, unknown> | undefined): Published | undefined {
  if (typeof fields?.jid !== "string") {
    if (Array.isArray(fields?.minions)) return undefined;
    throw refusal(String(fields?.error ?? "The master sent no job id"));
  }
  const [minions, missing, queued] = [textList(fields.minions), textList(fields.missing), textList(fields.queued)];
  const syndics = textList(fields.syndics);
  return { jid: fields.jid, minions, missing, queued, ...(syndics.length === 0 ? {} : { syndics }) };
}

/** The preview in a master's reply. */
export function previewedOf(fields: Record<string, unknown> | undefined): Previewed {
  const unknown = textList(fields?.unknown);
  return {
    minions: textList(fields?.minions),
    missing: textList(fields?.missing),
    ...(unknown.length === 0 ? {} : { unknown }),
  };
}

/** A list of texts in a master's reply or event; anything else is an empty list. */
export function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The values of `tgt_type`; true if the target may be a list. */
const TYPES: Record<TargetType | "hosts", boolean> = {
  glob: false,
  pcre: false,
  list: true,
  grain: false,
  grain_pcre: false,
  pillar: false,
  pillar_pcre: false,
  pillar_exact: false,
  ipcidr: false,
  data: false,
  range: false,
  compound: true,
  compound_pillar_exact: true,
  nodegroup: false,
  hosts: false,
};

const REQUEST_KEYS: readonly (keyof Required<PublishRequest>)[] = [
  "tgt",
  "tgt_type",
  "fun",
  "arg",
  "kwarg",
  "ret",
  "jid",
  "kwargs",
  "credentials",
  "user",
  "queue",
  "stream",
  "jobTimeout",
  "origin",
];

/** The keys of `kwargs` that a Brine or Salt master reads, including those that Brine's keywords become. */
const LOAD_KEYS = [
  "delimiter",
  "ret_config",
  "ret_kwargs",
  "metadata",
  "module_executors",
  "executor_opts",
  "master_id",
  "queue",
  "stream",
  "job_timeout",
];

const COLLECT_KEYS = ["onPublished", "onOutput", "onProgress", "timeoutMs", "gatherMs", "syndicWaitMs", "signal"];

const SECONDS = (name: string) => `durations are in milliseconds here: use ${name}`;
const REQUEST_REMEDIES = {
  expr_form: "use tgt_type",
  args: 'did you mean "arg"?',
  timeout: "the wait for returns is an option of run(), the second parameter: timeoutMs",
  timeoutMs: "the wait for returns is an option of run(), its second parameter",
  job_timeout: "use jobTimeout, in seconds",
  eauth: 'write it inside credentials: { eauth: "…", username: "…", password: "…" }',
  token: 'write it inside credentials: { token: "…" }',
};
const COLLECT_REMEDIES = { timeout: SECONDS("timeoutMs"), gather_job_timeout: SECONDS("gatherMs") };

/** A request with its defaults, ready to be published. */
export interface SettledRequest extends PublishRequest {
  tgt_type: string;
  arg: unknown[];
}

/** The arguments in Salt's form: positional ones, then the keyword arguments as a marked map. */
function argumentsOf({ fun, arg = [], kwarg }: PublishRequest): unknown[] {
  if (kwarg === undefined) return arg;
  if (Array.isArray(fun)) {
    throw new TypeError(
      "Cannot tell which function kwarg belongs to: with several functions, end each list of arg with " +
        "{ __kwarg__: true, … }",
    );
  }
  const last = arg.at(-1);
  if (typeof last === "object" && last !== null && (last as { __kwarg__?: unknown }).__kwarg__ === true) {
    throw new TypeError("Keyword arguments are given twice: in kwarg, and in arg as a map with __kwarg__");
  }
  return [...arg, { __kwarg__: true, ...kwarg }];
}

/** A request with its defaults, unchecked: for programs that pass on the request of another caller to the master. */
export function settled(request: PublishRequest): SettledRequest {
  const { tgt_type = Array.isArray(request.tgt) ? "list" : "glob" } = request;
  return { ...request, tgt_type, arg: argumentsOf(request) };
}

/**
 * Checks a request and fills in its defaults: a list of ids is a `list`, other targets are globs.
 *
 * @throws {TypeError} naming the key or value that no master understands, and the nearest valid one
 */
export function checkedRequest(request: PublishRequest): SettledRequest {
  refuseUnknownKeys("a job", request, REQUEST_KEYS, REQUEST_REMEDIES);
  const { tgt, tgt_type, fun, arg, kwarg, kwargs } = request;
  const list = Array.isArray(tgt);
  if (!(typeof tgt === "string" || (list && tgt.every((id) => typeof id === "string")))) {
    throw new TypeError(`Cannot target ${JSON.stringify(tgt) ?? tgt}: tgt is text, or a list of ids`);
  }
  if (tgt_type !== undefined && !Object.hasOwn(TYPES, tgt_type)) {
    throw new TypeError(`Unknown tgt_type "${tgt_type}": ${suggestion(String(tgt_type), Object.keys(TYPES))}`);
  }
  if (list && tgt_type !== undefined && !TYPES[tgt_type as TargetType]) {
    throw new TypeError(`Cannot target a list of ids by tgt_type "${tgt_type}": use "list", or leave it out`);
  }
  const functions = [fun].flat();
  if (functions.length === 0 || !functions.every((name) => typeof name === "string" && name !== "")) {
    throw new TypeError(
      `Cannot run ${JSON.stringify(fun) ?? fun}: fun is a function such as "test.ping", or a list of them`,
    );
  }
  if (arg !== undefined && !Array.isArray(arg)) {
    throw new TypeError(`Cannot read arg ${JSON.stringify(arg)}: expected a list, [${JSON.stringify(arg)}]`);
  }
  if (kwarg !== undefined && !isRecord(kwarg)) {
    throw new TypeError(`Cannot read kwarg ${JSON.stringify(kwarg)}: expected an object of names and values`);
  }
  if (kwargs !== undefined) {
    const remedies = Object.fromEntries(
      Object.keys(kwargs).filter((key) => !LOAD_KEYS.includes(key)).map((
        key,
      ) => [
        key,
        `kwargs are fields of the publication (${LOAD_KEYS.join(", ")}); put arguments of the function into kwarg`,
      ]),
    );
    refuseUnknownKeys("kwargs", kwargs, LOAD_KEYS, remedies);
  }
  return settled(request);
}

/** Checks the options of `run`. @throws {TypeError} for an unknown option */
export function checkCollectOptions(options: object): void {
  refuseUnknownKeys("the options of run()", options, COLLECT_KEYS, COLLECT_REMEDIES);
}

/**
 * A settled request as the `publish` load that Salt's masters take.
 *
 * @param key the caller's key; empty for a request with its own credentials
 */
export function publicationLoad(
  request: SettledRequest,
  { cmd, key, user, extJobCache, isBrine }: {
    cmd: string;
    key: string;
    user: string;
    extJobCache: unknown;
    isBrine: boolean;
  },
): Record<string, unknown> {
  const { tgt, tgt_type, fun, arg, jid = "", queue, stream, jobTimeout, origin } = request;
  // As in Salt, the caller adds the external job cache as a returner.
  const returners = [request.ret, extJobCache].filter((name) => typeof name === "string" && name !== "");
  return {
    cmd,
    tgt,
    fun,
    arg,
    key,
    tgt_type,
    ret: returners.join(","),
    jid,
    user: request.user ?? user,
    kwargs: {
      ...request.kwargs,
      ...(queue === undefined ? {} : { queue }),
      ...(stream ? { stream: true } : {}),
      ...(jobTimeout === undefined ? {} : { job_timeout: jobTimeout }),
      ...request.credentials,
    },
    // Salt's clients wait for files of the job on the disk; Brine's clients use the bus and need none.
    ...(isBrine ? { files: false, ...(origin === undefined ? {} : { __origin__: origin }) } : {}),
  };
}
