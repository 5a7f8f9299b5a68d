/** Counts the outcomes of a job, and makes the documents and the summary to print. */
import { hasReturn, highestRetcode, type Outcome, type ReturnOutcome } from "../../../src/client/outcome.ts";
import { printable } from "../../../src/base/printable.ts";
import { silentText } from "../../../src/client/silent_text.ts";

export interface MinionDocument {
  /** The document: `{id: value}`. */
  document: Record<string, unknown>;
  /** The outputter that the return names, or the one for minions that did not return. */
  out: string | undefined;
  /** Return code of 0 or more. */
  retcode: number;
}

/** The return of a minion that does not have the function. */
const MISSING = /^'([\w.]{1,200})' is not available\./;

/** Counts outcomes of a job. */
export class Tally {
  #targeted = 0;
  #returned = 0;
  #queued = 0;
  readonly #silent: string[] = [];
  readonly #failed: string[] = [];
  /** Functions that a minion does not have. */
  readonly unknownFunctions = new Set<string>();
  /** Outcomes that the master reports for minions without a return: outcome → number. */
  readonly #outcomes = new Map<string, number>();

  /** True if a minion has not returned, or has returned a code other than 0. */
  get anyFailed(): boolean {
    return this.#silent.length > 0 || this.#failed.length > 0;
  }

  count(outcome: Outcome): void {
    this.#targeted++;
    if (hasReturn(outcome)) {
      this.#returned++;
      if (retcodeOf(outcome) !== 0) this.#failed.push(outcome.id);
      const unknown = typeof outcome.return === "string" ? MISSING.exec(outcome.return)?.[1] : undefined;
      if (unknown !== undefined) this.unknownFunctions.add(unknown);
    } else if (outcome.kind === "queued") this.#queued++;
    else {
      this.#silent.push(outcome.id);
      const { kind } = outcome;
      // Salt's own lines count minions that received the job and did not return.
      if (kind === "published" || kind === "no answer" || kind === "missing") return;
      this.#outcomes.set(kind, (this.#outcomes.get(kind) ?? 0) + 1);
    }
  }

  /** @param verbose true also lists the minions */
  summary(verbose: boolean): string {
    const rule = "-".repeat(43);
    const lines = [
      "",
      "",
      rule,
      "Summary",
      rule,
      `# of minions targeted: ${this.#targeted}`,
      `# of minions returned: ${this.#returned}`,
      `# of minions that did not return: ${this.#silent.length}`,
      `# of minions with errors: ${this.#failed.length}`,
    ];
    // Additional lines, only for outcomes that Salt has no line for.
    if (this.#queued > 0) lines.push(`# of minions queued: ${this.#queued}`);
    for (const [outcome, count] of [...this.#outcomes].sort()) lines.push(`# of minions ${outcome}: ${count}`);
    const names = (ids: readonly string[]) => ids.map((id) => printable(id)).join(" ");
    if (verbose && this.#silent.length > 0) lines.push(`Minions not responding: ${names(this.#silent)}`);
    if (verbose && this.#failed.length > 0) lines.push(`Minions with failures: ${names(this.#failed)}`);
    return [...lines, rule].join("\n");
  }
}

/** As in Salt, a negative code, of a command that a signal ended, is not a failure. */
function retcodeOf({ retcode }: ReturnOutcome): number {
  return Math.max(0, highestRetcode(retcode));
}

/** The document for an outcome; with `verbose` it also has what the master reports of a minion without a return. */
export function documentOf(outcome: Outcome, verbose: boolean): MinionDocument {
  const { id } = outcome;
  if (hasReturn(outcome)) {
    return { document: { [id]: outcome.return }, out: outcome.out, retcode: retcodeOf(outcome) };
  }
  if (outcome.kind === "queued") {
    const text =
      `The minion is offline and gets the job when it reconnects. To list queued jobs:\n\nsalt-run jobs.queued`;
    return { document: { [id]: text }, out: "no_return", retcode: 0 };
  }
  const reported = verbose ? reportedText(outcome) : undefined;
  const more = reported === undefined ? "" : `\n\nOutcome: ${reported}`;
  return { document: { [id]: silentText(outcome.jid, outcome) + more }, out: "no_return", retcode: 1 };
}

/** Milliseconds since the epoch as `2026-11-21 10:15:00 UTC`. */
function clockTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The master's report on a target without a return, in one line; undefined if it says no more than "published". */
function reportedText({ kind, atMs, sinceMs, note }: Exclude<Outcome, ReturnOutcome>): string | undefined {
  if (kind === "missing") return undefined;
  if ((kind === "published" || kind === "no answer") && sinceMs === undefined && note === undefined) return undefined;
  const gone = sinceMs === undefined ? "" : `, gone since ${clockTime(sinceMs)}`;
  const when = atMs === undefined ? "" : ` (${clockTime(atMs)})`;
  return `${kind}${when}${note === undefined ? "" : `: ${note}`}${gone}`;
}
