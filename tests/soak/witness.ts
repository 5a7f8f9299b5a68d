/** Every job of a soak: what was asked for, what was heard of it, what was done, and what the record says in the end. */
import { type JobCache, outcomesOf } from "../../src/model/job/job_cache.ts";
import { ENDED } from "../../src/model/job/outcome.ts";
import { unpack } from "../../src/protocol/wire/msgpack.ts";
import { runsInFile } from "../faults/history.ts";

interface Asked {
  jid: string;
  minions: readonly string[];
  /** What its command leaves in the file of its minion, and prints last; undefined for a job that leaves nothing. */
  token: string | undefined;
  atMs: number;
  /** Minion → how often its return was told of. */
  heard: Map<string, number>;
}

/** What was found in the end. */
export interface Testimony {
  jobs: number;
  parts: number;
  /** Outcome → how many targets have it. */
  outcomes: Record<string, number>;
  violations: string[];
}

/**
 * Holds the record of the jobs against what was done. A job is forgotten once it was held against it, so that a run may be long.
 */
export class Witness {
  readonly found: Testimony = { jobs: 0, parts: 0, outcomes: {}, violations: [] };
  readonly #asked = new Map<string, Asked>();
  readonly #fileOf: (minion: string) => string;

  /** @param fileOf the file in which jobs on a minion leave their tokens */
  constructor(fileOf: (minion: string) => string) {
    this.#fileOf = fileOf;
  }

  get open(): number {
    return this.#asked.size;
  }

  /** The master has acknowledged a job, or its bus has told of it. */
  published(jid: string, minions: readonly string[], token?: string): void {
    const known = this.#asked.get(jid);
    if (known !== undefined) known.token ??= token;
    else this.#asked.set(jid, { jid, minions, token, atMs: performance.now(), heard: new Map() });
  }

  /** The master's bus tells of a return. @param again it says that it is a repetition, since its master was killed */
  heard(jid: string, minion: string, again: boolean): void {
    const heard = this.#asked.get(jid)?.heard;
    const before = heard?.get(minion) ?? 0;
    heard?.set(minion, again ? Math.max(before, 1) : before + 1);
  }

  /** Holds all jobs that are older than `ageMs` against the record, and forgets them. */
  async check(jobs: JobCache, ageMs: number): Promise<void> {
    const now = performance.now();
    const runs = new Map<string, Map<string, number>>();
    const ranOn = (minion: string, token: string): number => {
      if (!runs.has(minion)) runs.set(minion, runsInFile(this.#fileOf(minion)));
      return runs.get(minion)!.get(token) ?? 0;
    };
    for (const asked of [...this.#asked.values()].filter(({ atMs }) => now - atMs >= ageMs)) {
      await this.#hold(asked, jobs, ranOn);
      this.#asked.delete(asked.jid);
    }
  }

  async #hold(
    { jid, minions, token, heard }: Asked,
    jobs: JobCache,
    ranOn: (minion: string, token: string) => number,
  ): Promise<void> {
    const { found } = this;
    const outcomes = new Map((await outcomesOf(jobs, jid, 0)).map((outcome) => [outcome.minion, outcome]));
    const returns = new Map((await jobs.returns(jid)).map((stored) => [stored.minion, stored]));
    found.jobs++;
    for (const minion of minions) {
      const blame = (why: string) => void found.violations.push(`${jid} on ${minion}: ${why}`);
      found.parts++;
      const outcome = outcomes.get(minion);
      const state = outcome?.state ?? "not on record";
      found.outcomes[state] = (found.outcomes[state] ?? 0) + 1;
      if (outcome === undefined || !ENDED.has(outcome.state)) blame(`its outcome is ${state}`);
      if ((heard.get(minion) ?? 0) > 1) blame(`its return was told of ${heard.get(minion)} times`);
      const stored = returns.get(minion);
      if ((heard.get(minion) ?? 0) > 0 && stored === undefined) blame("its return was told of, and is not on record");
      if (state === "returned" && stored === undefined) blame("it returned, and its return is not on record");
      if (stored !== undefined && (state === "lost" || state === "expired")) blame(`it is ${state}, and has a return`);
      if (token === undefined) continue;
      const ran = ranOn(minion, token);
      if (ran > 1) blame(`it ran ${ran} times`);
      if (ran > 0 && (state === "expired" || state === "cancelled")) blame(`it is ${state}, and ran`);
      if (state !== "returned") continue;
      const value = stored === undefined ? undefined : unpack(stored.return, "bin");
      if (ran === 0) blame("it returned and never ran");
      if (typeof value !== "string" || value.slice(value.lastIndexOf("\n") + 1) !== token) {
        blame(`it returned ${String(JSON.stringify(value)).slice(0, 100)}`);
      }
    }
    for (const minion of returns.keys()) {
      if (!minions.includes(minion)) found.violations.push(`${jid}: ${minion} returned and is no target`);
    }
  }
}
