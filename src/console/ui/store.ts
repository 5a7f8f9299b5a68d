import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Api, ApiError, type Credentials, type Session } from "../api.ts";
import { EventLog } from "../event_log.ts";
import { type BusEvent, EventStream, type EventStreamOptions, type LinkState } from "../event_stream.ts";
import { Fleet } from "../fleet.ts";
import type { ArgSpec } from "../form.ts";
import { GrainsCache } from "../grains.ts";
import { argumentText, headOf, isInternal, Job } from "../job.ts";
import { type Preview, previewTarget } from "../preview.ts";
import { parseRoute, type Route } from "../route.ts";
import { type Tally, tallyOfJob, tallyOfReport } from "../tally.ts";
import { jidTime } from "../text.ts";

/** What the store needs of the browser. */
export interface Environment {
  api: Api;
  openEvents: EventStreamOptions["open"];
  now(): number;
  later(call: () => void, ms: number): () => void;
  random(): number;
  /** Whether anybody could be looking. */
  visible(): boolean;
  /** Where the name and the choice of colours outlast the page. */
  storage: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
}

/** One row of the job history. */
export interface JobRow {
  jid: string;
  fun: string;
  args: string;
  target: string;
  user: string;
  startedMs?: number;
  search: string;
}

export interface Notice {
  key: number;
  kind: "bad" | "ok";
  text: string;
  remedy: string;
}

export type Theme = "system" | "light" | "dark";

// What changes several times a second is shown ten times a second.
const BEAT_MS = 100;
const KEPT_JOBS = 50;
/** After so long a silence what is on record of a job is read: a stream that has just begun may have missed its events. */
const READ_MS = 3000;
/** After so long a silence a job's targets are asked whether they still work on it. */
const SILENCE_MS = 10_000;
const ASK_AGAIN_MS = 5000;
/** How often the server is asked whether it has a master, and how often while it has none. */
const READY_MS = 5000;
const READY_AGAIN_MS = 2000;
/** Jobs whose returns are read in one request to count them, where the master does not count. */
const COUNTED_TOGETHER = 5;
/** A fleet that is looked at is read anew after so long: not every master tells of those that leave. */
const FLEET_MS = 60_000;

const SESSION = "brine.session";
const NAME = "brine.name";
const THEME = "brine.theme";

function read<T>(storage: Environment["storage"], key: string): T | undefined {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** All that the pages share: the session, what is known of the fleet, and the jobs that are followed. */
export class Store {
  readonly api: Api;
  readonly now: () => number;
  readonly #env: Environment;
  readonly #stream: EventStream;

  /** `unknown`: it is being found out whether there is one. */
  readonly session: Signal<Session | undefined | "unknown"> = signal("unknown");
  /** The session has ended while pages are open: they stay, and the way to sign in lies over them. */
  readonly expired: Signal<boolean> = signal(false);
  readonly link: Signal<LinkState> = signal("connecting");
  /** False while the server has no master to ask. */
  readonly master: Signal<boolean> = signal(true);
  readonly route: Signal<Route>;
  readonly theme: Signal<Theme>;
  readonly notices: Signal<Notice[]> = signal([]);

  readonly fleet = new Fleet();
  readonly fleetBeat: Signal<number> = signal(0);
  readonly fleetReady: Signal<boolean> = signal(false);
  /** Whether the minions are known: an account may not be told them. What is not known is no number. */
  readonly fleetKnown: Signal<boolean> = signal(false);
  /** The same of the keys of those that are not accepted. */
  readonly keysKnown: Signal<boolean> = signal(false);
  readonly fleetError: Signal<unknown> = signal(undefined);
  readonly checking: Signal<boolean> = signal(false);
  readonly grains: GrainsCache;
  readonly grainsBeat: Signal<number> = signal(0);
  readonly log = new EventLog();
  readonly logBeat: Signal<number> = signal(0);
  readonly jobs: Signal<JobRow[] | undefined> = signal(undefined);
  readonly jobsError: Signal<unknown> = signal(undefined);
  /** Jids that are being worked on, as far as is known. */
  readonly running: Signal<ReadonlySet<string>> = signal(new Set<string>());
  readonly jobBeat: Signal<number> = signal(0);
  readonly fingers: Signal<Record<string, Record<string, string>>> = signal({});
  readonly pending: ReadonlySignal<number>;

  readonly #open = new Map<string, Job>();
  readonly #functions = new Map<string, Promise<string[]>>();
  readonly #specs = new Map<string, Promise<{ spec?: ArgSpec; doc: string }>>();
  readonly #dirty = new Set<Signal<number>>();
  readonly #asked = new Map<string, number>();
  readonly #readMs = new Map<string, number>();
  #fleetMs = 0;
  #readyMs = 0;
  #tally: boolean | undefined;
  #beating = false;
  #noticeKey = 0;
  #outcomes: boolean | undefined;
  #undoWatch: (() => void) | undefined;

  constructor(env: Environment, hash: string) {
    this.#env = env;
    this.api = env.api;
    this.now = env.now;
    this.route = signal(parseRoute(hash));
    this.theme = signal(read<Theme>(env.storage, THEME) ?? "system");
    this.pending = computed(() => {
      this.fleetBeat.value;
      return this.fleet.counts.pending;
    });
    this.grains = new GrainsCache(async (ids) => {
      const found = await this.api.runner("cache.grains", { tgt: ids.join(","), tgt_type: "list" });
      return found as Record<string, unknown>;
    }, () => this.beat(this.grainsBeat));
    this.api.onSignedOut = () => this.#end();
    this.api.onMaster = (up) => this.#masterIs(up);
    this.#stream = new EventStream({
      open: env.openEvents,
      later: env.later,
      random: env.random,
      onState: (state) => this.link.value = state,
      onEvent: (event) => this.take(event),
      onGap: () => void this.#catchUp(),
      onRefused: () => void this.#refused(),
    });
  }

  /** Has a signal rise soon: once for all that happens until then. */
  beat(signal: Signal<number>): void {
    this.#dirty.add(signal);
    if (this.#beating) return;
    this.#beating = true;
    this.#env.later(() => {
      this.#beating = false;
      const dirty = [...this.#dirty];
      this.#dirty.clear();
      for (const one of dirty) one.value++;
    }, BEAT_MS);
  }

  // Sessions

  /** Takes up the session of an earlier visit, if its cookie still holds. */
  async resume(): Promise<void> {
    const session = read<Session>(this.#env.storage, SESSION);
    if (session === undefined || session.expire * 1000 < this.now()) {
      this.session.value = undefined;
      return;
    }
    const alive = await this.api.alive().catch(() => false);
    this.session.value = alive ? session : undefined;
    if (alive) this.#begin();
  }

  async signIn(credentials: Credentials): Promise<void> {
    const session = await this.api.login(credentials);
    const before = this.session.value;
    const other = typeof before === "object" && before.user !== session.user;
    this.#env.storage.setItem(SESSION, JSON.stringify(session));
    this.#env.storage.setItem(NAME, JSON.stringify({ username: session.user, eauth: session.eauth }));
    this.session.value = session;
    this.expired.value = false;
    if (other) this.#forget();
    this.#begin();
  }

  /** Name and authentication system of the last one who signed in here. */
  get lastName(): { username: string; eauth: string } {
    return read(this.#env.storage, NAME) ?? { username: "", eauth: "pam" };
  }

  async signOut(): Promise<void> {
    await this.api.logout().catch(() => {
      // Where the server cannot be told, the cookie runs out by itself.
    });
    this.#stop();
    this.#forget();
    this.#env.storage.removeItem(SESSION);
    this.session.value = undefined;
    this.expired.value = false;
  }

  /** Nothing that one user has seen stays for the next. */
  #forget(): void {
    this.fleet.setKeys({});
    this.fleetReady.value = false;
    this.fleetKnown.value = false;
    this.keysKnown.value = false;
    this.grains.clear();
    this.log.clear();
    this.jobs.value = undefined;
    this.running.value = new Set();
    this.fingers.value = {};
    this.#open.clear();
    this.#functions.clear();
    this.#specs.clear();
    this.notices.value = [];
  }

  #begin(): void {
    this.#stream.start();
    this.#watch();
    void this.loadFleet();
    if (this.jobs.value !== undefined) void this.loadJobs();
    if (this.#open.size > 0) void this.#catchUp();
  }

  #stop(): void {
    this.#stream.stop();
    this.#undoWatch?.();
    this.link.value = "connecting";
  }

  #end(): void {
    if (this.session.value === undefined || this.expired.value) return;
    this.#stop();
    this.expired.value = true;
  }

  async #refused(): Promise<void> {
    const alive = await this.api.alive().catch(() => true);
    const { value } = this.session;
    if (!alive || (typeof value === "object" && value.expire * 1000 < this.now())) this.#end();
  }

  setTheme(theme: Theme): void {
    this.theme.value = theme;
    this.#env.storage.setItem(THEME, JSON.stringify(theme));
  }

  // Notices

  notify(kind: Notice["kind"], text: string, remedy = ""): void {
    if (this.notices.value.some((notice) => notice.text === text)) return;
    const key = this.#noticeKey++;
    this.notices.value = [...this.notices.value.slice(-3), { key, kind, text, remedy }];
    if (kind === "ok") this.#env.later(() => this.dismiss(key), 5000);
  }

  /** Says what went wrong; that the session is over is said elsewhere. */
  fail(error: unknown): void {
    if (error instanceof ApiError) {
      if (error.kind !== "signed out") this.notify("bad", error.message, error.remedy);
    } else this.notify("bad", error instanceof Error ? error.message : String(error));
  }

  dismiss(key: number): void {
    this.notices.value = this.notices.value.filter((notice) => notice.key !== key);
  }

  // The fleet

  async loadFleet(): Promise<void> {
    this.#fleetMs = this.now();
    try {
      const connected = this.api.wheel("minions.connected").catch(() => undefined);
      this.fleet.setKeys(await this.#keys());
      this.fleetError.value = undefined;
      this.fleetReady.value = true;
      this.fleetKnown.value = true;
      this.beat(this.fleetBeat);
      const ids = await connected;
      // Nobody connected says as much as no answer where the master cannot see connections.
      if (Array.isArray(ids) && (ids.length > 0 || this.fleet.ids.length === 0)) {
        this.fleet.setConnected(ids);
        this.beat(this.fleetBeat);
      } else await this.check(true);
    } catch (error) {
      this.fleetError.value = error;
      this.fleetReady.value = true;
      // Of an account that may not be told, events tell of some: that is not all there are.
      if (isForbidden(error)) this.fleetKnown.value = false;
      this.beat(this.fleetBeat);
    }
  }

  /** The keys; an account that may not list them may know the minions by whether they answer. */
  async #keys(): Promise<unknown> {
    try {
      const keys = await this.api.wheel("key.list_all");
      this.keysKnown.value = true;
      return keys;
    } catch (error) {
      if (isForbidden(error)) this.keysKnown.value = false;
      if (!isForbidden(error)) throw error;
      const status = await this.api.runner("manage.status").catch(() => {
        throw error;
      });
      const { up = [], down = [] } = status as { up?: string[]; down?: string[] };
      return { minions: [...up, ...down] };
    }
  }

  /**
   * Has every minion asked whether it is there.
   *
   * @param unasked nobody pressed anything: an account that may not do it just does not know
   */
  async check(unasked = false): Promise<void> {
    this.checking.value = true;
    try {
      this.fleet.setStatus(await this.api.runner("manage.status"));
      this.beat(this.fleetBeat);
    } catch (error) {
      if (!unasked || !isForbidden(error)) this.fail(error);
    } finally {
      this.checking.value = false;
    }
  }

  /**
   * Whom a job would be for, as the master has it, and without asking a minion. Where the master is none of ours, it is asked
   * for the grains of those of whom this page cannot tell.
   *
   * @param why why it has to be asked
   */
  async askTarget(tgt: string, type: string, fun: string, why: string): Promise<Preview | undefined> {
    try {
      const told = await this.api.preview({ tgt: type === "list" ? tgt.split(",") : tgt, tgt_type: type, fun });
      if (told !== undefined) {
        const { minions, missing } = told;
        const strangers = missing.length === 0 ? "" : `No accepted key: ${missing.slice(0, 5).join(", ")}`;
        return { kind: "here", matched: minions, unknown: [], ...(strangers === "" ? {} : { why: strangers }) };
      }
    } catch (error) {
      if (!isForbidden(error)) return { kind: "unknown", why: `The master did not say: ${textOf(error)}` };
      return { kind: "unknown", why: `this account may not run ${fun} on them, or not all of them` };
    }
    if (!this.#onlyMasterKnows(type, tgt)) return undefined;
    try {
      const found = await this.api.runner("cache.grains", { tgt, tgt_type: type });
      const matched = Object.keys(typeof found === "object" && found !== null ? found : {});
      return { kind: "here", matched, unknown: [], why: `As the master has it: ${why}` };
    } catch (error) {
      return { kind: "unknown", why: `${why}, and it did not say: ${textOf(error)}` };
    }
  }

  #onlyMasterKnows(type: string, tgt: string): boolean {
    return !this.fleetKnown.value || previewTarget(tgt, type, { ids: [], grains: () => undefined }).kind === "master";
  }

  async loadFingers(): Promise<void> {
    try {
      this.fingers.value = (await this.api.wheel("key.finger", { match: "*" }) ?? {}) as Record<
        string,
        Record<string, string>
      >;
    } catch (error) {
      this.fail(error);
    }
  }

  // Events

  /** Takes an event of the bus; all of them come through here. */
  take(event: BusEvent): void {
    this.log.add(event, this.now());
    this.beat(this.logBeat);
    if (this.fleet.apply(event)) this.beat(this.fleetBeat);
    if (event.tag === "salt/key" || event.tag === "salt/auth") {
      const { id } = event.data;
      if (typeof id === "string" && event.data.act === "delete") this.grains.forget(id);
    }
    const jid = /^salt\/job\/([^/]+)\//.exec(event.tag)?.[1];
    if (jid === undefined) return;
    if (event.tag.endsWith("/new")) this.#newJob(jid, event);
    const job = this.#open.get(jid);
    if (job?.apply(event, this.now())) {
      this.beat(this.jobBeat);
      if (job.done) this.#ended(jid);
    }
  }

  #newJob(jid: string, { data }: BusEvent): void {
    const head = headOf(jid, data);
    if (isInternal(head.fun)) return;
    if (this.jobs.value !== undefined && !this.jobs.value.some((row) => row.jid === jid)) {
      this.jobs.value = [rowOf(jid, head.fun, head.arg, head.tgt, head.user ?? "", this.now()), ...this.jobs.value];
      this.#follow(jid, head);
      this.running.value = new Set([...this.running.value, jid]);
    }
  }

  // Jobs

  async loadJobs(): Promise<void> {
    try {
      const listed = await this.api.runner("jobs.list_jobs") as Record<string, Record<string, unknown>>;
      this.jobs.value = Object.entries(listed ?? {})
        .filter(([, { Function: fun }]) => !isInternal(String(fun)))
        .sort(([left], [right]) => left < right ? 1 : -1)
        .map(([jid, { Function: fun, Arguments: arg, Target: tgt, User: user }]) =>
          rowOf(
            jid,
            Array.isArray(fun) ? fun.join(", ") : String(fun),
            Array.isArray(arg) ? arg : [],
            tgt,
            String(user ?? ""),
            jidTime(jid, this.api.jidZoneMs),
          )
        );
      this.jobsError.value = undefined;
    } catch (error) {
      this.jobsError.value = error;
    }
  }

  /** Asks the minions what they are working on. */
  async loadRunning(): Promise<void> {
    try {
      const active = await this.api.runner("jobs.active") as Record<string, unknown>;
      const jids = Object.keys(active ?? {});
      this.running.value = new Set(jids);
      for (const jid of jids.slice(0, KEPT_JOBS / 2)) this.job(jid);
    } catch (error) {
      // The list shows without it; which are running is not known then.
      if (!isForbidden(error)) this.fail(error);
    }
  }

  #ended(jid: string): void {
    if (!this.running.value.has(jid)) return;
    const running = new Set(this.running.value);
    running.delete(jid);
    this.running.value = running;
  }

  /** Starts a job and follows it; resolves with its jid, or undefined if it was for nobody. */
  async start(job: Record<string, unknown> & { fun: string; tgt: unknown }): Promise<string | undefined> {
    const { jid, minions } = await this.api.publish(job);
    if (jid === undefined) return undefined;
    const { fun, tgt, tgt_type: type, arg, kwarg } = job;
    const record = [
      ...(Array.isArray(arg) ? arg : []),
      ...(typeof kwarg === "object" && kwarg !== null && Object.keys(kwarg).length > 0
        ? [{ __kwarg__: true, ...kwarg }]
        : []),
    ];
    const followed = this.#follow(jid, { fun, tgt, tgtType: String(type ?? "glob"), arg: record });
    followed.expect(minions);
    followed.head.startedMs ??= this.now();
    followed.heardMs = this.now();
    this.running.value = new Set([...this.running.value, jid]);
    this.beat(this.jobBeat);
    // What came before we knew the jid is in the log of events, and nowhere else yet.
    for (const event of this.log.all) {
      if (event.tag.startsWith(`salt/job/${jid}/`)) followed.apply(event, this.now());
    }
    return jid;
  }

  #follow(jid: string, head: { fun: string; tgt: unknown; tgtType: string; arg: unknown[] }): Job {
    const known = this.#open.get(jid);
    if (known !== undefined) return known;
    const startedMs = jidTime(jid, this.api.jidZoneMs);
    const job = new Job({ jid, ...head, ...(startedMs === undefined ? {} : { startedMs }) });
    this.#open.set(jid, job);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= KEPT_JOBS) break;
      this.#open.delete(oldest);
      this.#ended(oldest);
    }
    return job;
  }

  /** The job with this jid, which is read if it is not followed already. */
  job(jid: string): Job {
    const known = this.#open.get(jid);
    if (known !== undefined) {
      // The one that was looked at last is the last to be dropped.
      this.#open.delete(jid);
      this.#open.set(jid, known);
      return known;
    }
    const job = this.#follow(jid, { fun: "", tgt: "", tgtType: "glob", arg: [] });
    void this.refresh(job);
    return job;
  }

  /** Reads what the master has on record of a job. */
  async refresh(job: Job): Promise<void> {
    const { jid } = job.head;
    try {
      job.takeReport(await this.api.runner("jobs.list_job", { jid }));
      job.takeOutcomes(await this.outcomes(jid));
      job.heardMs ||= this.now();
      if (job.size === 0) job.expect([]);
      if (job.done) this.#ended(jid);
    } catch (error) {
      job.error = error instanceof Error ? error.message : String(error);
      this.fail(error);
    }
    this.beat(this.jobBeat);
  }

  /** Named outcomes of a job, which masters of Brine have; undefined from others. */
  async outcomes(jid: string): Promise<unknown> {
    if (this.#outcomes === false) return undefined;
    try {
      const report = await this.api.runner("jobs.outcome", { jid });
      this.#outcomes = typeof report === "object";
      return report;
    } catch (error) {
      if (error instanceof ApiError && error.kind === "signed out") throw error;
      this.#outcomes = false;
      return undefined;
    }
  }

  /**
   * How the targets of jobs of the history stand, for their rows: in one request beside a master of ours, which counts them,
   * and in a few beside another, whose returns are counted here.
   *
   * @param take called with what is known of each, as it becomes known
   */
  async tallies(jids: readonly string[], take: (jid: string, tally: Tally) => void): Promise<void> {
    const unknown: string[] = [];
    for (const jid of jids) {
      const job = this.#open.get(jid);
      if (job === undefined || job.size === 0) unknown.push(jid);
      else take(jid, tallyOfJob(job));
    }
    if (unknown.length === 0 || await this.#tallied(unknown, take)) return;
    for (let at = 0; at < unknown.length; at += COUNTED_TOGETHER) {
      const some = unknown.slice(at, at + COUNTED_TOGETHER);
      const reports = await this.api.runners(some.map((jid) => ({ fun: "jobs.list_job", jid })));
      for (const [index, jid] of some.entries()) {
        const job = new Job({ jid, fun: "", arg: [], tgt: "", tgtType: "glob" });
        job.takeReport(reports[index]);
        take(jid, tallyOfJob(job));
      }
    }
  }

  /** False if the master does not count outcomes, as Salt's own does not. */
  async #tallied(jids: readonly string[], take: (jid: string, tally: Tally) => void): Promise<boolean> {
    if (this.#tally === false) return false;
    try {
      const found = await this.api.runner("jobs.tally", { jids });
      this.#tally = typeof found === "object" && found !== null;
      if (!this.#tally) return false;
      for (const jid of jids) {
        const tally = tallyOfReport((found as Record<string, unknown>)[jid] ?? {});
        if (tally !== undefined) take(jid, tally);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || !["failed", "forbidden", "refused"].includes(error.kind)) throw error;
      if (error.status === 503) throw error;
      this.#tally = false;
      return false;
    }
  }

  async cancel(job: Job): Promise<void> {
    const ids = job.waiting();
    await this.api.publish({ tgt: ids.join(","), tgt_type: "list", fun: "saltutil.kill_job", arg: [job.head.jid] });
    this.notify("ok", `Asked ${ids.length === 1 ? ids[0] : `${ids.length} minions`} to end the job`);
  }

  /** What was not heard while the stream was down is read. */
  async #catchUp(): Promise<void> {
    void this.loadFleet();
    if (this.jobs.value !== undefined) void this.loadJobs();
    for (const job of [...this.#open.values()]) if (!job.done) await this.refresh(job);
  }

  /** Beside a master that gives up on nobody by itself, somebody has to ask those who say nothing. */
  #watch(): void {
    this.#undoWatch?.();
    this.#undoWatch = this.#env.later(() => {
      this.#watch();
      this.#look();
      if (this.route.value.page === "fleet" && this.#env.visible() && this.now() - this.#fleetMs > FLEET_MS) {
        void this.loadFleet();
      }
      for (const job of this.#open.values()) {
        if (job.done || job.size === 0) continue;
        if (this.now() - job.heardMs >= READ_MS && (this.#readMs.get(job.head.jid) ?? 0) <= job.heardMs) {
          this.#readMs.set(job.head.jid, this.now());
          void this.#read(job);
        }
        const since = this.now() - Math.max(job.heardMs, this.#asked.get(job.head.jid) ?? 0);
        if (since < (this.link.value === "live" ? SILENCE_MS : ASK_AGAIN_MS)) continue;
        this.#asked.set(job.head.jid, this.now());
        void this.#ask(job);
      }
    }, 1000);
  }

  /** Asks the server whether it has a master: the stream of events stays open when the master goes. */
  #look(): void {
    const again = this.master.value ? READY_MS : READY_AGAIN_MS;
    if (this.link.value !== "live" || this.now() - this.#readyMs < again) return;
    this.#readyMs = this.now();
    this.api.ready().then((up) => {
      if (up !== undefined) this.#masterIs(up);
    }, () => {
      // The stream says that the server is gone.
    });
  }

  #masterIs(up: boolean): void {
    if (this.master.value === up) return;
    this.master.value = up;
    // What happened while there was none, nobody has told.
    if (up) void this.#catchUp();
  }

  /** Reads the returns that the master has on record. */
  async #read(job: Job): Promise<void> {
    const { jid } = job.head;
    try {
      job.takeReport(await this.api.runner("jobs.list_job", { jid }));
      this.beat(this.jobBeat);
      if (job.done) this.#ended(jid);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The targets are asked next.
    }
  }

  async #ask(job: Job): Promise<void> {
    const { jid } = job.head;
    try {
      const outcomes = await this.outcomes(jid);
      if (outcomes !== undefined) {
        if (this.link.value !== "live") job.takeReport(await this.api.runner("jobs.list_job", { jid }));
        job.takeOutcomes(outcomes);
      } else {
        const silent = job.waiting();
        const found = await this.api.local({
          tgt: silent.join(","),
          tgt_type: "list",
          fun: "saltutil.find_job",
          arg: [jid],
        });
        // It may have returned between the question and its answer: what is on record counts first.
        job.takeReport(await this.api.runner("jobs.list_job", { jid }));
        job.giveUp(silent.filter((id) => {
          const answer = found[id];
          return typeof answer !== "object" || answer === null || Object.keys(answer).length === 0;
        }));
      }
      this.beat(this.jobBeat);
      if (job.done) this.#ended(jid);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Asked again after the next silence; what keeps it from working shows elsewhere.
    }
  }

  // Functions

  /** The functions that a minion has, sorted. */
  functions(minion: string): Promise<string[]> {
    return this.#kept(this.#functions, minion, async () => {
      const answer = await this.api.local({ tgt: minion, tgt_type: "list", fun: "sys.list_functions" });
      return Array.isArray(answer[minion]) ? (answer[minion] as string[]).map(String).sort() : [];
    });
  }

  /** Signature and documentation of a function, as a minion has them. */
  describe(minion: string, fun: string): Promise<{ spec?: ArgSpec; doc: string }> {
    return this.#kept(this.#specs, `${minion} ${fun}`, async () => {
      const ask = async (what: string) => {
        const answer = await this.api.local({ tgt: minion, tgt_type: "list", fun: what, arg: [fun] });
        return (answer[minion] as Record<string, unknown> | undefined)?.[fun];
      };
      const [spec, doc] = await Promise.all([ask("sys.argspec"), ask("sys.doc")]);
      return {
        ...(typeof spec === "object" && spec !== null ? { spec: spec as ArgSpec } : {}),
        doc: typeof doc === "string" ? doc : "",
      };
    });
  }

  /** Documentation of the master's own functions: name → text. */
  async masterFunctions(client: "runner" | "wheel"): Promise<Map<string, string>> {
    const docs = await this.api.runner(`doc.${client}`) as Record<string, unknown>;
    return new Map(
      Object.entries(docs ?? {}).map(([name, doc]): [string, string] => [name, String(doc)])
        .sort(([left], [right]) => left < right ? -1 : 1),
    );
  }

  /** A question whose answer stays; one that fails is asked again. */
  #kept<T>(answers: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask();
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  }
}

const textOf = (error: unknown) => error instanceof Error ? error.message : String(error);

const isForbidden = (error: unknown) => error instanceof ApiError && error.kind === "forbidden";

function rowOf(jid: string, fun: string, arg: unknown[], tgt: unknown, user: string, startedMs?: number): JobRow {
  const args = argumentText(arg);
  const target = Array.isArray(tgt) ? tgt.join(",") : String(tgt ?? "");
  return {
    jid,
    fun,
    args,
    target,
    user,
    ...(startedMs === undefined ? {} : { startedMs }),
    search: `${jid} ${fun} ${args} ${target} ${user}`.toLowerCase(),
  };
}

export const StoreContext = createContext<Store | undefined>(undefined);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new TypeError("useStore() needs a StoreContext around it");
  return store;
}
