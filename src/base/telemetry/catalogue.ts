import type { Metric } from "./meter.ts";

/** Buckets for the duration of requests, pillars and writes, in seconds: from half a millisecond to half a minute. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Buckets for the duration of jobs, in seconds: up to an hour. */
const LONG_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600] as const;

const MASTER = ["master"] as const;
const MINION = ["minion"] as const;
const API = ["api"] as const;
const SYNDIC = ["syndic"] as const;
const ALL = ["master", "minion", "api", "syndic"] as const;

/**
 * The queues that have a bound: sign-ins that wait; bytes of requests that wait; publications that wait for the slowest minion;
 * bytes of events that wait for the slowest listener; bytes of events that wait for stores; bytes of returns that wait for their master.
 */
const QUEUES = [
  "sign_ins",
  "request_bytes",
  "publications",
  "event_bytes",
  "event_return_bytes",
  "return_spool_bytes",
] as const;
const WITH_QUEUES = ["master", "minion"] as const;

const counter = (hosts: Metric["hosts"], name: string, help: string, labels?: Metric["labels"]): Metric => ({
  name,
  kind: "counter",
  help,
  hosts,
  ...(labels === undefined ? {} : { labels }),
});
const gauge = (...[hosts, name, help, labels]: Parameters<typeof counter>): Metric => ({
  ...counter(hosts, name, help, labels),
  kind: "gauge",
});
const histogram = (
  hosts: Metric["hosts"],
  name: string,
  help: string,
  { labels, buckets = SECONDS }: { labels?: Metric["labels"]; buckets?: readonly number[] } = {},
): Metric => ({ ...counter(hosts, name, help, labels), kind: "histogram", buckets });

/** All metrics. `docs/metrics.md` lists them, and a test compares the two. */
export const METRICS = {
  info: gauge(ALL, "brine_info", "Always 1; the labels say which program and runtime this is.", {
    program: ["salt-master", "salt-minion", "salt-api", "salt-syndic"],
    runtime: ["node", "bun", "deno", "memory"],
    version: "table",
  }),

  jobsPublished: counter(MASTER, "brine_jobs_published_total", "Jobs that were published."),
  jobsOpen: gauge(MASTER, "brine_jobs_open", "Jobs with unfinished targets."),
  outcomes: counter(MASTER, "brine_job_outcomes_total", "Targets of jobs that have ended, by outcome.", {
    outcome: ["returned", "failed", "timed out", "lost", "expired", "cancelled"],
  }),
  publications: counter(MASTER, "brine_publications_total", "Publications sent to the minions."),

  returnsReceived: counter(MASTER, "brine_returns_received_total", "Returns received from minions."),
  returnsStored: counter(MASTER, "brine_returns_stored_total", "Returns that were stored and acknowledged."),
  returnBytes: counter(MASTER, "brine_return_bytes_total", "Bytes of the values of stored returns."),
  returnsRefused: counter(
    MASTER,
    "brine_returns_refused_total",
    "Returns that were refused, by reason; `returned before` are duplicates.",
    {
      reason: [
        "malformed",
        "impostor",
        "unsigned",
        "bad signature",
        "unknown job",
        "not a target",
        "returned before",
        "too large",
        "too many jobs",
        "too many minions",
      ],
    },
  ),

  signIns: counter(MASTER, "brine_sign_ins_total", "Sign-ins of minions that were answered, by answer.", {
    result: ["accepted", "pending", "refused", "full", "malformed"],
  }),
  signInSeconds: histogram(
    MASTER,
    "brine_sign_in_seconds",
    "Time to answer a sign-in, without its wait in the queue: mostly private-key operations.",
  ),

  requestSeconds: histogram(
    MASTER,
    "brine_request_seconds",
    "Time from the arrival of a request to its answer, by command.",
    { labels: { command: "table" } },
  ),
  requestsFailed: counter(MASTER, "brine_requests_failed_total", "Requests whose command failed or was not answered."),
  requestsRefused: counter(MASTER, "brine_requests_refused_total", "Requests that were refused, by reason.", {
    reason: ["not an envelope", "bad load", "old version", "no accepted key", "does not open", "bad token", "replayed"],
  }),
  requestsInProgress: gauge(MASTER, "brine_requests_in_progress", "Requests that are being answered."),

  queueLength: gauge(
    WITH_QUEUES,
    "brine_queue_length",
    "Entries or bytes in a bounded queue; the longest if each peer has one.",
    { queue: QUEUES },
  ),
  queueLimit: gauge(WITH_QUEUES, "brine_queue_limit", "The limit of that queue.", { queue: QUEUES }),
  queueDropped: counter(WITH_QUEUES, "brine_queue_dropped_total", "Entries that a full queue dropped.", {
    queue: QUEUES,
  }),

  connections: gauge(MASTER, "brine_connections", "Open connections, by socket.", {
    socket: ["requests", "publisher", "events"],
  }),
  minionsConnected: gauge(MASTER, "brine_minions_connected", "Minions that are connected."),
  keys: gauge(MASTER, "brine_keys", "Keys of minions, by state.", {
    state: ["accepted", "pre", "rejected", "denied"],
  }),

  eventsFired: counter(MASTER, "brine_events_total", "Events on the master's bus."),

  eventReturns: counter(MASTER, "brine_event_returns_total", "Events given to stores, by result.", {
    returner: "table",
    result: ["stored", "refused", "lost"],
  }),
  eventReturnFailures: counter(
    MASTER,
    "brine_event_return_failures_total",
    "Failed attempts to store events.",
    { returner: "table" },
  ),

  jobCacheSeconds: histogram(
    MASTER,
    "brine_job_cache_flush_seconds",
    "Time of one flush of the job cache to disk.",
  ),
  jobCachePending: gauge(MASTER, "brine_job_cache_pending", "Saves in the job cache in progress."),
  jobCacheFailed: counter(MASTER, "brine_job_cache_failures_total", "Flushes of the job cache that failed."),

  pillarSeconds: histogram(MASTER, "brine_pillar_compile_seconds", "Time to compile the pillar of one minion."),
  pillarFailed: counter(MASTER, "brine_pillar_failures_total", "Pillars that could not be compiled."),
  fileBytes: counter(MASTER, "brine_file_server_bytes_total", "Bytes of files that the file server sent."),
  runnersRunning: gauge(MASTER, "brine_runners_running", "Running runners."),
  runners: counter(MASTER, "brine_runners_total", "Runners that have ended, by result.", {
    result: ["ended", "failed"],
  }),

  partProcesses: gauge(MASTER, "brine_part_processes", "Processes of the parts that the master supervises.", {
    part: "table",
  }),
  partRestarts: counter(
    MASTER,
    "brine_part_restarts_total",
    "Times that a process of a supervised part failed, or was killed because it hung.",
    { part: "table" },
  ),

  engines: gauge(WITH_QUEUES, "brine_engines", "Engines, by state.", {
    state: ["running", "starting", "waiting", "stopped", "absent"],
  }),
  engineRestarts: counter(
    WITH_QUEUES,
    "brine_engine_restarts_total",
    "Times that the process of an engine exited or was killed.",
  ),

  minionJobsRunning: gauge(MINION, "brine_minion_jobs_running", "Jobs running on the minion."),
  minionJobs: counter(MINION, "brine_minion_jobs_total", "Jobs that ended on the minion.", {
    result: ["succeeded", "failed", "killed"],
  }),
  minionJobSeconds: histogram(MINION, "brine_minion_job_seconds", "Time that jobs took on the minion.", {
    buckets: LONG_SECONDS,
  }),
  spoolReturns: gauge(MINION, "brine_minion_return_spool_returns", "Returns that no master has yet."),
  spoolBytes: gauge(MINION, "brine_minion_return_spool_bytes", "Bytes of the return spool."),
  minionReconnects: counter(
    MINION,
    "brine_minion_reconnects_total",
    "Reconnections to a publisher.",
  ),
  minionMasters: gauge(MINION, "brine_minion_masters", "Masters of the minion, by state.", {
    state: ["connected", "away"],
  }),

  syndicMasters: gauge(SYNDIC, "brine_syndic_masters", "Higher masters of the syndic, by state.", {
    state: ["connected", "away"],
  }),
  syndicLocalMaster: gauge(
    SYNDIC,
    "brine_syndic_local_master",
    "Whether the master of this host can be reached: 1 or 0.",
  ),
  syndicJobs: gauge(SYNDIC, "brine_syndic_jobs", "Unfinished jobs of higher masters."),
  syndicReturnsUnsent: gauge(SYNDIC, "brine_syndic_returns_unsent", "Returns that higher masters do not have yet."),
  syndicEventsDropped: counter(
    SYNDIC,
    "brine_syndic_events_dropped_total",
    "Events dropped while a higher master was unavailable.",
  ),

  httpRequests: histogram(API, "brine_http_request_seconds", "Time to answer a request, by route and status.", {
    labels: { route: "table", status: ["1xx", "2xx", "3xx", "4xx", "5xx"] },
  }),
  httpInProgress: gauge(API, "brine_http_requests_in_progress", "Requests that are being answered."),
  httpSessions: gauge(API, "brine_http_sessions", "Sessions of logged-in callers."),
  httpStreams: gauge(API, "brine_http_streams", "Callers connected to the event stream."),
  httpLogins: counter(API, "brine_http_logins_total", "Authentication attempts, by result.", {
    result: ["valid", "failed", "limited"],
  }),

  loopDelay: histogram(
    ALL,
    "brine_event_loop_delay_seconds",
    "Delay of the event loop's timers, measured four times a second.",
  ),
  memory: gauge(ALL, "brine_memory_bytes", "Memory of the process, by kind.", {
    kind: ["rss", "heap_total", "heap_used", "external", "array_buffers"],
  }),
  cpuSeconds: counter(ALL, "process_cpu_seconds_total", "Processor time of the process."),
  startTime: gauge(ALL, "process_start_time_seconds", "Start time of the process, in seconds since the epoch."),
  spansDropped: counter(ALL, "brine_spans_dropped_total", "Spans that were not exported."),
} as const satisfies Record<string, Metric>;
