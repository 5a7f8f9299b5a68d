import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Api, ApiError } from "../../api.ts";
import { type Engine, readEngines } from "../../automation.ts";
import { type Issue, issuesOf, type MasterIssue, readMasterIssues } from "../../issues.ts";
import { permits } from "../../permits.ts";
import { isRecord } from "../../../base/record.ts";
import type { BrowserEnvironment } from "./environment.ts";
import type { FleetStore } from "./fleet_store.ts";
import type { UserSession } from "./user_session.ts";

const DAY_MS = 24 * 3600 * 1000;
/** While the page is open, the master is asked again after this time. */
const STALE_MS = 60_000;

interface Read {
  failedStates?: number;
  master?: readonly MasterIssue[];
  engines?: readonly Engine[];
}

/** What needs an operator: from the fleet at once, from the master while the page of issues is open. No minion is asked. */
export class IssuesStore {
  /** All issues; undefined until the master was asked. */
  readonly list: ReadonlySignal<readonly Issue[] | undefined>;
  /** The sources that could not be read, with the reasons. */
  readonly gaps: Signal<readonly string[]> = signal([]);
  readonly #read: Signal<Read | undefined> = signal(undefined);
  readonly #api: Api;
  readonly #now: () => number;
  readonly #session: UserSession;
  #readMs = 0;

  constructor({ api, now }: BrowserEnvironment, fleet: FleetStore, session: UserSession) {
    this.#api = api;
    this.#now = now;
    this.#session = session;
    this.list = computed(() => {
      fleet.beat.value;
      const read = this.#read.value;
      if (read === undefined) return undefined;
      const { minions } = fleet;
      return issuesOf({
        counts: fleet.keysKnown.value ? minions.counts : undefined,
        down: fleet.known.value ? minions.ids.filter((id) => minions.presence(id) === "down") : [],
        denied: [...minions.keys("minions_denied")],
        failedStates: read.failedStates,
        master: read.master,
        engines: read.engines,
      });
    });
  }

  get stale(): boolean {
    return this.#now() - this.#readMs > STALE_MS;
  }

  async load(): Promise<void> {
    this.#readMs = this.#now();
    const gaps: string[] = [];
    const ask = async <Value>(
      what: string,
      fun: string,
      named: Record<string, unknown>,
      read: (found: unknown) => Value | undefined,
    ) => {
      if (permits(this.#session.perms, "runner", fun) === false) {
        gaps.push(`${what}: this account needs "@runner": [${fun}]`);
        return undefined;
      }
      try {
        const value = read(await this.#api.runner(fun, named));
        if (value === undefined) gaps.push(`${what}: only Brine masters tell (${fun})`);
        return value;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const isOther = error.kind === "failed" && error.status !== 503;
        gaps.push(isOther ? `${what}: only Brine masters tell (${fun})` : `${what}: ${error.message}`);
        return undefined;
      }
    };
    const since = Math.round((this.#now() - DAY_MS) / 1000);
    const [failed, master, engines] = await Promise.all([
      ask("Failed states", "jobs.list_jobs", {
        search_outcome: "failed",
        search_function: ["state.apply", "state.highstate", "state.sls"],
        start_time: String(since),
      }, (found) => isRecord(found) ? Object.keys(found).length : undefined),
      ask("The master itself", "manage.issues", {}, readMasterIssues),
      ask("Engines", "engines.status", {}, readEngines),
    ]);
    if (permits(this.#session.perms, "wheel", "key.list_all") === false) {
      gaps.unshift('Minions and keys: this account needs "@wheel": [key.list_all]');
    }
    this.gaps.value = gaps;
    this.#read.value = {
      ...(failed === undefined ? {} : { failedStates: failed }),
      ...(master === undefined ? {} : { master }),
      ...(engines === undefined ? {} : { engines }),
    };
  }

  forget(): void {
    this.#read.value = undefined;
    this.gaps.value = [];
  }
}
