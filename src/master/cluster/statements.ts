import type { Bus } from "../../cluster/bus.ts";
import type { Clock } from "../../async/clock.ts";
import { type Deferred, deferred } from "../../async/deferred.ts";
import { BEGUN_UNWRITTEN } from "../../job/outcome.ts";
import { decode, encode } from "../../wire/msgpack.ts";
import { assertStatesKept, jobsFor } from "../jobs/minion_reports.ts";
import type { MasterServices } from "../services.ts";
import type { Statement } from "./contract.ts";

const SAID = "minion said";
const TAKEN = "statement taken";
/** How long an owner may take to write down what a minion says only once, in milliseconds. */
const TAKE_MS = 5000;
/** Statements that wait for their owners. */
const MOST_WAITING = 10_000;

/** Passes on what minions say at one master of jobs that are another's. */
export class Statements {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #services: () => MasterServices;
  readonly #waiting = new Map<number, { jids: Set<string>; done: Deferred<boolean> }>();
  #count = 0;

  constructor(bus: Bus, clock: Clock, services: () => MasterServices) {
    this.#bus = bus;
    this.#clock = clock;
    this.#services = services;
    bus.on(SAID, ({ sender, bytes }) => void this.#take(sender, bytes));
    bus.on(TAKEN, ({ bytes }) => {
      const [number, jids] = decode(bytes, { mode: "bin" }) as [number, string[]];
      const waiting = this.#waiting.get(number);
      for (const jid of jids) waiting?.jids.delete(jid);
      if (waiting?.jids.size === 0) waiting.done.resolve(true);
    });
  }

  /**
   * Tells the owners. Resolves to the jids of what is said only once that no owner has written down in time.
   */
  async tell({ minion, order, states, waiting, known }: Statement): Promise<string[]> {
    const number = ++this.#count;
    const once = states.filter(([, state, note]) => state === "cancelled" || note === BEGUN_UNWRITTEN).map(([jid]) =>
      jid
    );
    const life = order === undefined ? null : [order.life, order.number];
    const said = encode([number, minion, life, states, waiting ?? null, known ?? null, once.length > 0], "bin");
    this.#bus.send(SAID, said);
    if (once.length === 0) return [];
    if (this.#waiting.size >= MOST_WAITING) return once;
    const one = { jids: new Set(once), done: deferred<boolean>() };
    this.#waiting.set(number, one);
    const cancel = this.#clock.after(TAKE_MS, () => one.done.resolve(false));
    await one.done.promise;
    cancel();
    this.#waiting.delete(number);
    return [...one.jids];
  }

  async #take(sender: string, bytes: Uint8Array): Promise<void> {
    const { ledger, presence, send } = this.#services();
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
    for (const [jid, state, note] of own) {
      if (state === "started") ledger.started(jid, minion, note);
      else if (state === "cancelled") ledger.cancelled(jid, minion, note);
    }
    if (waiting !== null) ledger.notBegun(minion, waiting);
    if (known !== null) {
      for (const load of await jobsFor(this.#services(), minion, new Set(known), newest)) send(load, [minion]);
    }
    if (!answered || own.length === 0) return;
    const jids = own.map(([jid]) => jid);
    // Without an answer, the minion says it again.
    await assertStatesKept(this.#services(), jids, minion).then(
      () => this.#bus.send(TAKEN, encode([number, jids], "bin"), sender),
      () => {},
    );
  }
}
