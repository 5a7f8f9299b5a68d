/** What really happened in a simulated world, whatever its masters say; and whether what they say is true of it. */
import type { JobCache } from "../../src/job/job_cache.ts";
import { outcomesOf } from "../../src/job/job_cache.ts";
import { ENDED, type OutcomeState } from "../../src/job/outcome.ts";
import { unpack } from "../../src/wire/msgpack.ts";
import { History, type Violation, type ViolationKind } from "../faults/history.ts";

/** - those of {@link ViolationKind};
 *  - `taken back`: an outcome that was told of was another one later, and no return has replaced it;
 *  - `stuck`: the world was mended, and a job did not end in an hour. */
export type Finding = Omit<Violation, "kind"> & { kind: ViolationKind | "taken back" | "stuck" };

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
  /** Minion and token → when it ran there first. */
  readonly #ranAt = new Map<string, number>();
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

  ran(minion: string, token: string): void {
    const counts = this.#runs.get(minion) ?? new Map<string, number>();
    this.#runs.set(minion, counts.set(token, (counts.get(token) ?? 0) + 1));
    if (counts.get(token) === 1) this.#ranAt.set(key(minion, token), this.#now());
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

  /** A master fires an event. */
  event(master: string, tag: string, data: { [name: string]: unknown }): void {
    const [, jid, minion] = /^salt\/job\/(\d+)\/ret\/(.+)$/.exec(tag) ?? [];
    if (jid !== undefined && minion !== undefined) {
      this.#historyOf(master).hear(jid, minion);
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
    const findings: Finding[] = [...violations];
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
