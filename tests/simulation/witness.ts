/** What really happened in a simulated world, whatever its masters say; and whether what they say is true of it. */
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { outcomesOf } from "../../src/model/job/job_cache.ts";
import { ENDED, type OutcomeState } from "../../src/model/job/outcome.ts";
import { unpack } from "../../src/protocol/wire/msgpack.ts";
import type { Life } from "./world.ts";
import { History, type Violation, type ViolationKind } from "../faults/history.ts";

/** - those of {@link ViolationKind};
 *  - `taken back`: an outcome that was told of was another one later, and no return has replaced it;
 *  - `stuck`: the world was mended, and a job did not end in an hour, or a queued one did not run though its minion was there;
 *  - `untold`: a return is stored, and no master has fired its event;
 *  - `disorder`: two queued jobs ran on a minion at once, or the later one first. */
export type Finding = Omit<Violation, "kind"> & {
  kind: ViolationKind | "taken back" | "stuck" | "untold" | "disorder";
};

/** The name under which the masters of one cluster keep their promises. */
export const CLUSTER = "cluster";

/** A job that was asked for and acknowledged. */
interface Known {
  token: string;
  jid: string;
  minions: readonly string[];
}

const key = (...words: string[]) => words.join(" ");

/** Sees runs where they happen, and events as masters fire them. */
export class Witness {
  /** Minion → token → how often it ran there. */
  readonly #runs = new Map<string, Map<string, number>>();
  /** Runs that have ended and whose return no death can take. */
  readonly #finished = new Set<string>();
  readonly #histories = new Map<string, History>();
  readonly #known = new Map<string, Known[]>();
  /** Master, jid and minion → the last end that was told of. */
  readonly #told = new Map<string, { as: OutcomeState | "return"; at: number }>();
  /** Minion and token of runs that have ended. */
  readonly #ended = new Set<string>();
  /** Minion and token → when it ran there first. */
  readonly #ranAt = new Map<string, number>();
  /** Master, jid and minion of the returns whose events were fired. */
  readonly #heard = new Set<string>();
  /** The same by each process of a master, which tells its subscribers once. */
  readonly #heardBy = new Set<string>();
  /** Minion and token of jobs that were queued, since the minion was away. */
  readonly #queued = new Set<string>();
  /** Minion → the queued job that runs there. */
  readonly #runningQueued = new Map<string, { token: string; life: Life }>();
  readonly #seen: Finding[] = [];
  readonly #now: () => number;
  acknowledged = 0;
  asked = 0;

  /** @param now the world's time */
  constructor(now: () => number) {
    this.#now = now;
  }

  #historyOf(master: string): History {
    let history = this.#histories.get(master);
    if (history === undefined) {
      history = new History((minion) => this.#runs.get(minion) ?? new Map());
      this.#histories.set(master, history);
      this.#known.set(master, []);
    }
    return history;
  }

  /** A job was acknowledged while its minion was away. */
  queued(minion: string, token: string): void {
    this.#queued.add(key(minion, token));
  }

  /** True if the job ran on that minion to its end. */
  hasEnded(minion: string, token: string): boolean {
    return this.#ended.has(key(minion, token));
  }

  /** Queued jobs that were all there before the minion came must have begun in this order. */
  checkOrder(minion: string, all: readonly string[]): void {
    // A minion that has lost its power counts as there for a while: what is published then is not queued.
    const tokens = all.filter((token) => this.#queued.has(key(minion, token)));
    const at = (token: string) => this.#ranAt.get(key(minion, token)) ?? Infinity;
    for (const [index, token] of tokens.entries()) {
      const before = tokens[index - 1];
      if (before !== undefined && at(token) < at(before)) this.#disorder(minion, token, `it ran before ${before}`);
    }
  }

  #disorder(minion: string, token: string, why: string): void {
    this.#seen.push({ kind: "disorder", token, jid: undefined, minion, why });
  }

  /** A job begins. What this gives is to be called when it ends. @param life of the minion's process */
  ran(minion: string, token: string, life: Life): () => void {
    if (this.#queued.has(key(minion, token))) {
      const other = this.#runningQueued.get(minion);
      if (other?.life.alive) this.#disorder(minion, token, `it began while ${other.token} ran, both were queued`);
      this.#runningQueued.set(minion, { token, life });
    }
    const counts = this.#runs.get(minion) ?? new Map<string, number>();
    this.#runs.set(minion, counts.set(token, (counts.get(token) ?? 0) + 1));
    if (counts.get(token) === 1) this.#ranAt.set(key(minion, token), this.#now());
    return () => {
      this.#ended.add(key(minion, token));
      if (this.#runningQueued.get(minion)?.token === token) this.#runningQueued.delete(minion);
    };
  }

  finished(minion: string, token: string): void {
    this.#finished.add(key(minion, token));
  }

  /** A job is about to be asked for; whoever asks calls what this gives when the master has acknowledged it. */
  ask(master: string, token: string, minions: readonly string[]): (jid: string, minions: readonly string[]) => void {
    this.asked++;
    const acknowledge = this.#historyOf(master).ask(token, minions);
    return (jid, targets) => {
      this.acknowledged++;
      acknowledge(jid, targets);
      this.#known.get(master)!.push({ token, jid, minions: targets });
    };
  }

  /** A master fires an event. @param listener names one process of a master */
  event(master: string, listener: string, tag: string, data: { [name: string]: unknown }): void {
    const [, jid, minion] = /^salt\/job\/(\d+)\/ret\/(.+)$/.exec(tag) ?? [];
    if (jid !== undefined && minion !== undefined) {
      this.#historyOf(master);
      const [told, toldBy] = [key(master, jid, minion), key(listener, jid, minion)];
      // Another process may tell it again, and says so.
      const again = this.#heardBy.has(toldBy) || master !== CLUSTER && this.#heard.has(told) && data.replayed !== true;
      if (again) this.#seen.push({ kind: "duplicate", token: "", jid, minion, why: `${listener} told of it again` });
      this.#heard.add(told);
      this.#heardBy.add(toldBy);
      this.#told.set(key(master, jid, minion), { as: "return", at: this.#now() });
      return;
    }
    const [, of, target] = /^salt\/job\/(\d+)\/outcome\/(.+)$/.exec(tag) ?? [];
    if (of === undefined || target === undefined || !ENDED.has(data.outcome as OutcomeState)) return;
    this.#told.set(key(master, of, target), { as: data.outcome as OutcomeState, at: this.#now() });
  }

  /** What contradicts the promises, by what a master has on record. */
  async check(master: string, jobs: JobCache): Promise<Finding[]> {
    const { violations } = await this.#historyOf(master).check(jobs);
    const findings: Finding[] = [...violations, ...this.#seen.splice(0)];
    for (const { token, jid, minions } of this.#known.get(master)!) {
      const outcomes = new Map((await outcomesOf(jobs, jid, 0)).map((outcome) => [outcome.minion, outcome]));
      const returns = new Map((await jobs.returns(jid)).map((stored) => [stored.minion, stored]));
      for (const minion of minions) {
        const blame = (kind: Finding["kind"], why: string) => void findings.push({ kind, token, jid, minion, why });
        const state = outcomes.get(minion)?.state;
        const stored = returns.get(minion);
        const value = stored === undefined ? undefined : unpack(stored.return, "bin");
        if (this.#finished.has(key(minion, token)) && value !== token) {
          blame("lost", `it ran to its end, and its return is ${JSON.stringify(value)} (${state})`);
        }
        if (stored !== undefined && !this.#heard.has(key(master, jid, minion))) {
          blame("untold", `its return is stored (${state}), and no event has told of it`);
        }
        const told = this.#told.get(key(master, jid, minion));
        if (told === undefined) continue;
        if (told.as === "return" && stored === undefined) {
          blame("taken back", "its return was told of and is not there");
        }
        if (told.as !== "return" && stored === undefined && state !== told.as) {
          blame("taken back", `it was told of as ${told.as}, and is ${state}`);
        }
        const after = (this.#ranAt.get(key(minion, token)) ?? -Infinity) - told.at;
        if (told.as === "expired" && after > 0) {
          blame("unexplained", `it ran ${Math.round(after)} ms after it had expired`);
        }
      }
    }
    return findings;
  }
}

/** Findings as a failure's message has them. */
export function toldFindings(findings: readonly Finding[]): string {
  return findings.slice(0, 20).map(({ kind, token, jid, minion, why }) =>
    `${kind}: ${token} (${jid ?? "not acknowledged"}) on ${minion}: ${why}`
  ).join("\n");
}
