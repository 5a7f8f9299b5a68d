/** What became of each target of a job: counted, as a document to print, and as the summary at the end. */
import { hasReturn, highestRetcode, type Outcome, type ReturnOutcome } from "../../../src/client/outcome.ts";
import { printable } from "../../../src/base/printable.ts";
import { silentText } from "../../../src/client/silent_text.ts";

/** A minion's part of what `salt` prints. */
export interface MinionDocument {
  /** `{id: value}`. */
  document: Record<string, unknown>;
  /** The outputter that the return names, or that of minions that did not return. */
  out: string | undefined;
  /** 0 or more. */
  retcode: number;
}

/** What minions say of a function that they do not have. */
const MISSING = /^'([\w.]{1,200})' is not available\./;

/** Counts outcomes of a job. */
export class Tally {
  #targeted = 0;
  #returned = 0;
  #queued = 0;
  readonly #silent: string[] = [];
  readonly #failed: string[] = [];
  /** Functions that a minion says it does not have. */
  readonly unknownFunctions = new Set<string>();
  /** Outcomes of those that did not return, as the master reports them. */
  readonly #outcomes = new Map<string, number>();

  /** True if a minion did not return, or returned a code other than 0. */
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
      // That it was sent the job and did not return is in Salt's own lines.
      if (kind === "published" || kind === "no answer" || kind === "missing") return;
      this.#outcomes.set(kind, (this.#outcomes.get(kind) ?? 0) + 1);
    }
  }

  /** @param verbose true names the minions as well */
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
    // Only what Salt has no line for.
    if (this.#queued > 0) lines.push(`# of minions queued: ${this.#queued}`);
    for (const [outcome, count] of [...this.#outcomes].sort()) lines.push(`# of minions ${outcome}: ${count}`);
    const names = (ids: readonly string[]) => ids.map((id) => printable(id)).join(" ");
    if (verbose && this.#silent.length > 0) lines.push(`Minions not responding: ${names(this.#silent)}`);
    if (verbose && this.#failed.length > 0) lines.push(`Minions with failures: ${names(this.#failed)}`);
    return [...lines, rule].join("\n");
  }
}

/** As in Salt, a command that a signal ended, whose code is negative, has not failed. */
function retcodeOf({ retcode }: ReturnOutcome): number {
  return Math.max(0, highestRetcode(retcode));
}

/** What is printed for an outcome; with `verbose`, what the master reports of a minion that did not return as well. */
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

/** What the master reports of a target that did not return, in a line; undefined if that is no more than "published". */
function reportedText({ kind, atMs, sinceMs, note }: Exclude<Outcome, ReturnOutcome>): string | undefined {
  if (kind === "missing") return undefined;
  if ((kind === "published" || kind === "no answer") && sinceMs === undefined && note === undefined) return undefined;
  const gone = sinceMs === undefined ? "" : `, gone since ${clockTime(sinceMs)}`;
  const when = atMs === undefined ? "" : ` (${clockTime(atMs)})`;
  return `${kind}${when}${note === undefined ? "" : `: ${note}`}${gone}`;
}
