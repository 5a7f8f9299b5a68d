/** What was asked of a master, what was really done, and what it says of both. */
import { existsSync, readFileSync } from "node:fs";
import { type JobCache, outcomesOf } from "../../src/model/job/job_cache.ts";
import { ENDED, type OutcomeState } from "../../src/model/job/outcome.ts";
import { unpack } from "../../src/protocol/wire/msgpack.ts";

/** A number in [0, 1). */
export type Random = () => number;

/** The same numbers for the same seed, so that a failure can be looked at again. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** - `lost`: acknowledged, and neither a return nor an outcome that has ended;
 *  - `twice`: ran more than once;
 *  - `unexplained`: the record contradicts what was done;
 *  - `duplicate`: the master told of the same return more than once. */
export type ViolationKind = "lost" | "twice" | "unexplained" | "duplicate";

export interface Violation {
  kind: ViolationKind;
  token: string;
  jid: string | undefined;
  minion: string;
  why: string;
}

/** One job that was asked for. */
interface Asked {
  token: string;
  /** Undefined until the master has acknowledged it, and for good if it never did. */
  jid: string | undefined;
  minions: readonly string[];
}

/** What a job is found to be. */
export interface Part {
  token: string;
  jid: string;
  minion: string;
  state: OutcomeState;
  note: string | undefined;
  ran: number;
  /** Undefined without a return. */
  value: unknown;
  retcode: unknown;
}

/** Token → how often it ran, by the file in which the jobs of a minion leave their tokens, a line each. */
export function runsInFile(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(file)) return counts;
  for (const token of readFileSync(file, "utf8").split("\n")) {
    if (token !== "") counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
}

/**
 * What was asked of a master, and what came of it. Runs are counted without asking anybody; {@link History.check} then holds the job
 * cache against them.
 */
export class History {
  readonly #asked: Asked[] = [];
  readonly #heard = new Map<string, number>();
  readonly #runsOf: (minion: string) => Map<string, number>;

  /** @param runsOf token → how often it ran on that minion */
  constructor(runsOf: (minion: string) => Map<string, number>) {
    this.#runsOf = runsOf;
  }

  /** A job is about to be asked for; whoever asks calls what this gives when the master acknowledges it. */
  ask(token: string, minions: readonly string[]): (jid: string, minions: readonly string[]) => void {
    const asked: Asked = { token, jid: undefined, minions };
    this.#asked.push(asked);
    return (jid, minions) => Object.assign(asked, { jid, minions });
  }

  /**
   * The master's bus tells of a return.
   *
   * @param again it says that it is a repetition, since the master that has stored the return was killed before it could know that it had told of it
   */
  hear(jid: string, minion: string, again: boolean): void {
    const key = `${jid} ${minion}`;
    const before = this.#heard.get(key) ?? 0;
    this.#heard.set(key, again ? Math.max(before, 1) : before + 1);
  }

  get acknowledged(): number {
    return this.#asked.filter(({ jid }) => jid !== undefined).length;
  }

  get asked(): number {
    return this.#asked.length;
  }

  /** Token → how often it ran on a minion. */
  runs(minion: string): Map<string, number> {
    return this.#runsOf(minion);
  }

  /** Every target of every acknowledged job, and what contradicts the promises made for them. */
  async check(jobs: JobCache): Promise<{ parts: Part[]; violations: Violation[] }> {
    const parts: Part[] = [];
    const violations: Violation[] = [];
    const runs = new Map<string, Map<string, number>>();
    const ranOn = (minion: string, token: string): number => {
      let counts = runs.get(minion);
      if (counts === undefined) runs.set(minion, counts = this.runs(minion));
      return counts.get(token) ?? 0;
    };
    for (const { token, jid, minions } of this.#asked) {
      const blame = (kind: ViolationKind, minion: string, why: string) =>
        void violations.push({ kind, token, jid, minion, why });
      for (const minion of minions) {
        const ran = ranOn(minion, token);
        if (ran > 1) blame("twice", minion, `it ran ${ran} times`);
      }
      if (jid === undefined) continue;
      const outcomes = new Map((await outcomesOf(jobs, jid, 0)).map((outcome) => [outcome.minion, outcome]));
      const returns = new Map((await jobs.returns(jid)).map((stored) => [stored.minion, stored]));
      for (const minion of minions) {
        const ran = ranOn(minion, token);
        const outcome = outcomes.get(minion);
        const stored = returns.get(minion);
        if (outcome === undefined || !ENDED.has(outcome.state)) {
          blame("lost", minion, `its outcome is ${outcome?.state ?? "not on record"}`);
          continue;
        }
        const { state, note } = outcome;
        const value = stored === undefined ? undefined : unpack(stored.return, "bin");
        parts.push({ token, jid, minion, state, note, ran, value, retcode: stored?.retcode });
        if (state === "returned" && ran === 0) blame("unexplained", minion, "it returned and never ran");
        // What a job prints may be longer; its token comes last.
        if (state === "returned" && (typeof value !== "string" || value.slice(value.lastIndexOf("\n") + 1) !== token)) {
          blame("unexplained", minion, `it returned ${String(JSON.stringify(value)).slice(0, 200)}`);
        }
        if (stored !== undefined && ["lost", "expired"].includes(state)) {
          blame("unexplained", minion, `it is ${state}, and has a return`);
        }
        if (state === "failed" && typeof value !== "string") {
          blame("unexplained", minion, "it failed and does not say why");
        }
        if (stored === undefined && !note) blame("unexplained", minion, `it is ${state} and does not say why`);
        if (ran > 0 && ["expired", "cancelled"].includes(state)) {
          blame("unexplained", minion, `it is ${state}, and ran`);
        }
        const heard = this.#heard.get(`${jid} ${minion}`) ?? 0;
        if (heard > 1) blame("duplicate", minion, `its return was told of ${heard} times`);
      }
      for (const minion of returns.keys()) {
        if (!minions.includes(minion)) blame("unexplained", minion, "it returned and is no target");
      }
    }
    return { parts, violations };
  }
}

/** Violations as a failure's message has them. */
export function told(violations: readonly Violation[]): string {
  const lines = violations.slice(0, 20).map(({ kind, token, jid, minion, why }) =>
    `${kind}: ${token} (${jid ?? "not acknowledged"}) on ${minion}: ${why}`
  );
  return [`${violations.length} violations`, ...lines].join("\n");
}
