import { type Signal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import { ShownEvents } from "../../event_log.ts";
import type { StreamedEvent } from "../../event_stream.ts";
import { headOf, headOfMaster, isInternalJob, isOrchestration } from "../../job_head.ts";
import { href, hrefOf, type PageRoute, parseRoute } from "../../route.ts";
import { AutomationStore } from "./automation_store.ts";
import { Batches } from "./batches.ts";
import { Beats } from "./beats.ts";
import { type BrowserEnvironment, readStored } from "./environment.ts";
import { FleetStore } from "./fleet_store.ts";
import { FollowedJobs, type FollowRequest } from "./followed_jobs.ts";
import { FunctionDocs } from "./function_docs.ts";
import { IssuesStore } from "./issues_store.ts";
import { JobHistory } from "./job_history.ts";
import { JobTallies } from "./job_tallies.ts";
import { JobWatch } from "./job_watch.ts";
import { KeysStore } from "./keys_store.ts";
import { NodeGroups } from "./node_groups.ts";
import { Notices } from "./notices.ts";
import { SavedStore } from "./saved_store.ts";
import { ServerLink } from "./server_link.ts";
import { UserSession } from "./user_session.ts";

export type Theme = "system" | "light" | "dark";

const THEME = "brine.theme";
const POLL_MS = 1000;

/**
 * All state that pages share. Each field owns the signals of its concept; this class wires them to the session and to the
 * event stream.
 */
export class Store {
  readonly api: Api;
  readonly now: () => number;
  readonly random: () => number;
  readonly route: Signal<PageRoute>;
  /** Increments with each opened page, but not when a page updates its own address. */
  readonly visit: Signal<number> = signal(0);
  /** Page → its address when it was left. */
  readonly #left = new Map<string, string>();
  readonly theme: Signal<Theme>;
  readonly beats: Beats;
  readonly notices: Notices;
  readonly session: UserSession;
  readonly link: ServerLink;
  readonly fleet: FleetStore;
  readonly keys: KeysStore;
  /** The last events of the bus. */
  readonly log = new ShownEvents();
  /** Increments when {@link log} changes. */
  readonly logBeat: Signal<number> = signal(0);
  readonly history: JobHistory;
  readonly jobs: FollowedJobs;
  readonly batches: Batches;
  readonly tallies: JobTallies;
  readonly functions: FunctionDocs;
  readonly automation: AutomationStore;
  readonly issues: IssuesStore;
  readonly nodeGroups: NodeGroups;
  /** The saved data of the user in this browser. */
  readonly saved: SavedStore;
  readonly #env: BrowserEnvironment;
  readonly #watch: JobWatch;
  /** The current time, for ages that are updated while a page is visible. */
  readonly clock: Signal<number>;
  #stopPolling: (() => void) | undefined;

  /** @param hash the part of the address that names the page */
  constructor(env: BrowserEnvironment, hash: string) {
    this.#env = env;
    this.api = env.api;
    this.now = env.now;
    this.random = env.random;
    this.clock = signal(env.now());
    this.route = signal(parseRoute(hash));
    this.#keepAddress();
    this.theme = signal(readStored<Theme>(env.storage, THEME) ?? "system");
    this.beats = new Beats(env.later);
    this.notices = new Notices(env.later);
    this.session = new UserSession(env, {
      onBegin: () => this.#begin(),
      onEnd: () => this.#end(),
      onForget: () => this.#forget(),
    });
    this.link = new ServerLink(env, {
      onEvent: (event) => this.take(event),
      onGap: () => void this.#catchUp(),
      onAway: () => this.fleet.lose(),
      onBack: () => {
        this.fleet.regain();
        this.notices.dismissAway();
      },
      onRefused: () => void this.session.verify(),
    });
    this.fleet = new FleetStore(env, this.beats, this.notices);
    this.keys = new KeysStore(env.api, this.session);
    this.history = new JobHistory(env.api);
    this.jobs = new FollowedJobs(env, this.beats, this.notices);
    this.batches = new Batches(env, this.jobs, () => this.log.all);
    this.tallies = new JobTallies(env.api, this.jobs);
    this.functions = new FunctionDocs(env.api);
    this.automation = new AutomationStore(env);
    this.issues = new IssuesStore(env, this.fleet, this.session);
    this.nodeGroups = new NodeGroups(env.api);
    this.saved = new SavedStore(env, this.notices);
    this.#watch = new JobWatch(env.api, env.now, this.jobs);
  }

  open(hash: string): void {
    this.route.value = parseRoute(hash);
    this.visit.value++;
    this.#keepAddress();
  }

  /**
   * Puts the state of the page into its address, so that it can be bookmarked and shared.
   *
   * @param visit whose page says so: once another page is opened, its address is no longer changed
   */
  show(query: Readonly<Record<string, string>>, visit: number): void {
    if (visit !== this.visit.value) return;
    const before = this.route.value;
    const next = hrefOf({ ...before, query });
    if (next === hrefOf(before)) return;
    this.route.value = parseRoute(next);
    this.#keepAddress();
    this.#env.replaceAddress(next);
  }

  /** The address of a link to a page: its last state, or, on the page itself, its default state. */
  addressOf(page: string): string {
    const bare = href(page);
    return this.route.value.page === page ? bare : this.#left.get(page) ?? bare;
  }

  #keepAddress(): void {
    const route = this.route.value;
    if (route.name === "") this.#left.set(route.page, hrefOf(route));
  }

  setTheme(theme: Theme): void {
    this.theme.value = theme;
    this.#env.storage.setItem(THEME, JSON.stringify(theme));
  }

  /** Takes an event of the bus; all events pass through this method. */
  take(event: StreamedEvent): void {
    this.log.add(event, this.now());
    this.beats.mark(this.logBeat);
    this.fleet.apply(event);
    this.automation.apply(event);
    const [, ofMaster, kind] = /^salt\/run\/(\d{20})\/(new|ret)$/.exec(event.tag) ?? [];
    if (ofMaster !== undefined && isOrchestration(String(event.data.fun))) {
      this.#takeOrchestration(ofMaster, event, kind!);
    }
    const jid = /^salt\/job\/([^/]+)\//.exec(event.tag)?.[1];
    if (jid === undefined) return;
    if (event.tag.endsWith("/new")) this.#takeNewJob(jid, event);
    this.jobs.apply(event, jid);
  }

  /** Handles the events of an orchestration, whose states are read once it has ended. */
  #takeOrchestration(jid: string, { data }: StreamedEvent, kind: string): void {
    if (kind === "new") {
      const head = headOfMaster(jid, data);
      if (!this.history.add(head, this.now())) return;
      this.jobs.follow(head);
      this.jobs.addRunning(jid);
    } else {
      const job = this.jobs.peek(jid);
      if (job !== undefined) void this.jobs.refresh(job);
    }
  }

  #takeNewJob(jid: string, { data }: StreamedEvent): void {
    const head = headOf(jid, data);
    if (isInternalJob(head.fun) || !this.history.add(head, this.now())) return;
    this.jobs.follow(head);
    this.jobs.addRunning(jid);
  }

  /** Starts a job and follows it; resolves with its jid, or undefined if the target matched no minion. */
  start(request: FollowRequest): Promise<string | undefined> {
    return this.jobs.start(request, () => this.log.all);
  }

  #begin(): void {
    const session = this.session.current.value;
    if (typeof session === "object") this.saved.open(session.user, session.eauth);
    this.link.start();
    this.#poll();
    void this.fleet.load();
    if (this.history.rows.value !== undefined) void this.history.load();
    if (this.jobs.all.length > 0) void this.#catchUp();
  }

  #end(): void {
    this.link.stop();
    this.#stopPolling?.();
  }

  #forget(): void {
    this.#left.clear();
    this.fleet.forget();
    this.keys.forget();
    this.log.clear();
    this.history.forget();
    this.batches.forget();
    this.jobs.forget();
    this.functions.forget();
    this.automation.forget();
    this.issues.forget();
    this.nodeGroups.forget();
    this.saved.forget();
    this.notices.clear();
  }

  /** Reads the data that was missed while the stream or the master was down. */
  async #catchUp(): Promise<void> {
    void this.fleet.load();
    if (this.history.rows.value !== undefined) void this.history.load();
    await this.jobs.refreshOpen();
  }

  #poll(): void {
    this.#stopPolling?.();
    this.#stopPolling = this.#env.later(() => {
      this.#poll();
      this.link.poll();
      const { page } = this.route.value;
      if (this.#env.visible()) {
        this.clock.value = this.now();
        const shown = page === "fleet" || page === "minion" || page === "run" || page === "issues";
        if (shown && this.link.awaySinceMs.value === undefined) {
          if (this.fleet.stale) void this.fleet.load();
          if (page === "issues" && this.issues.stale) void this.issues.load();
        }
      }
      this.#watch.poll(this.link.live);
    }, POLL_MS);
  }
}
