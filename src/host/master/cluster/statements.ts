import type { Bus } from "../../../feature/cluster/bus.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import type { JobLoad } from "../../../model/job/job_cache.ts";
import { BEGUN_UNWRITTEN } from "../../../model/job/outcome.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";
import { assertStatesKept, jobsFor } from "../jobs/minion_reports.ts";
import type { MasterServices } from "../services.ts";
import type { Answers, MasterStatement } from "../cluster_contract.ts";

const SAID = "minion said";
const TAKEN = "statement taken";
/** How long the owner of a job may take to record what a minion states only once, in milliseconds. */
const TAKE_MS = 5000;
/** How long the answer to a minion waits for the jobs that other masters have for it, in milliseconds, so that they run in order. */
const GATHER_MS = 1000;
/** The most statements that wait for the owners of their jobs. */
const MAX_WAITING = 10_000;

interface Waiting {
  /** The jobs whose states are said only once and are not recorded yet. */
  jids: Set<string>;
  /** The masters that have not said yet which jobs they have for the minion. */
  masters: Set<string>;
  jobs: JobLoad[];
  done: Deferred<void>;
}

/** Passes on what minions state at one master about jobs of another master. */
export class Statements {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #services: () => MasterServices;
  readonly #masters: () => Iterable<string>;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  /** @param masters returns the other masters that are present */
  constructor(bus: Bus, clock: Clock, services: () => MasterServices, masters: () => Iterable<string>) {
    this.#bus = bus;
    this.#masters = masters;
    this.#clock = clock;
    this.#services = services;
    bus.on(SAID, ({ sender, bytes }) => void this.#take(sender, bytes));
    bus.on(TAKEN, ({ sender, bytes }) => this.#answered(sender, bytes));
  }

  /** Handles the answer of an owner: it has recorded the minion's statement, and has these jobs for the minion. */
  #answered(sender: string, bytes: Uint8Array): void {
    const [number, minion, jids, jobs] = decode(bytes, { mode: "bin" }) as [number, string, string[], JobLoad[]];
    const waiting = this.#waiting.get(number);
    if (waiting?.masters.delete(sender) === true) waiting.jobs.push(...jobs);
    // The minion already has its answer: send it the jobs of a late owner.
    else for (const load of jobs) this.#services().send(load, [minion]);
    for (const jid of jids) waiting?.jids.delete(jid);
    if (waiting?.jids.size === 0 && waiting.masters.size === 0) waiting.done.resolve();
  }

  /** Sends a statement to the owners of its jobs, and gathers their answers. */
  async tell({ minion, order, states, waiting, known }: MasterStatement): Promise<Answers> {
    const number = ++this.#count;
    const once = states.filter(([, state, note]) => state === "cancelled" || note === BEGUN_UNWRITTEN).map(([jid]) =>
      jid
    );
    const life = order === undefined ? null : [order.life, order.number];
    const said = encode([number, minion, life, states, waiting ?? null, known ?? null, once.length > 0], "bin");
    this.#bus.send(SAID, said);
    const masters = new Set(known === undefined || !this.#bus.state.connected ? [] : this.#masters());
    if (once.length === 0 && masters.size === 0) return { unwritten: [], jobs: [] };
    if (this.#waiting.size >= MAX_WAITING) return { unwritten: once, jobs: [] };
    const one: Waiting = { jids: new Set(once), masters, jobs: [], done: deferred() };
    this.#waiting.set(number, one);
    const cancelAll = [
      this.#clock.after(GATHER_MS, () => {
        masters.clear();
        if (one.jids.size === 0) one.done.resolve();
      }),
      this.#clock.after(TAKE_MS, () => one.done.resolve()),
    ];
    await one.done.promise;
    for (const cancel of cancelAll) cancel();
    this.#waiting.delete(number);
    return { unwritten: [...one.jids], jobs: one.jobs };
  }

  async #take(sender: string, bytes: Uint8Array): Promise<void> {
    const { ledger, presence } = this.#services();
    const [number, minion, life, states, waiting, known, answered] = decode(bytes, { mode: "bin" }) as [
      number,
      string,
      [string, number] | null,
      [string, string, string][],
      string[] | null,
      string[] | null,
      boolean,
    ];
    const newest = presence.markBrine(minion, life === null ? undefined : { life: life[0], number: life[1] });
    const own = states.filter(([jid]) => ledger.loadOf(jid) !== undefined);
    for (const [jid, state, note] of own) ledger.says(minion, jid, state, note);
    // The storage cannot be asked, so that the minion's own master has no answer for it either: the minion reports again.
    if (waiting !== null && !await ledger.notBegun(minion, waiting)) return;
    const jobs = known === null ? [] : await jobsFor(this.#services(), minion, new Set(known), newest);
    const jids = answered ? own.map(([jid]) => jid) : [];
    // If an owner does not answer, the statement is not kept, and the minion repeats it.
    const kept = jids.length === 0
      ? []
      : await assertStatesKept(this.#services(), jids, minion).then(() => jids, () => []);
    if (known === null && kept.length === 0) return;
    this.#bus.send(TAKEN, encode([number, minion, kept, jobs], "bin"), sender);
  }
}
