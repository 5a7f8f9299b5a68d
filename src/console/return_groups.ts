import { canonicalText } from "./canonical.ts";
import { isPartOpen, type PartState, type ShownPart } from "./job.ts";

/** Targets of a job with the same state, exit code and return. */
export interface ReturnGroup {
  /** The key of the group while its job is shown. */
  key: string;
  state: PartState;
  /** One target of the group: all others returned the same. */
  example: ShownPart;
  ids: ReadonlySet<string>;
}

interface Growing extends ReturnGroup {
  ids: Set<string>;
  text: string;
}

/**
 * The targets of a job, grouped by their return. Texts are compared in full: with a hash, a minion could make its return
 * look like that of the others.
 */
export class ReturnGroups {
  readonly #groups = new Map<string, Growing>();
  readonly #taken = new Map<string, { version: number; group: Growing | undefined }>();
  #nextKey = 0;

  /**
   * Takes targets that are new or have changed since.
   *
   * @param mayGoOn returns false when the time is used up: thousands of long returns take more than a frame
   * @returns true if all were taken; otherwise the method has to be called again
   */
  take(parts: readonly ShownPart[], mayGoOn: () => boolean): boolean {
    for (const part of parts) {
      const known = this.#taken.get(part.id);
      if (known?.version === part.version) continue;
      if (!mayGoOn()) return false;
      this.#take(part, known?.group);
    }
    return true;
  }

  #take(part: ShownPart, before: Growing | undefined): void {
    const { id, version } = part;
    const text = comparedText(part);
    if (before !== undefined && before.text !== text) {
      before.ids.delete(id);
      if (before.ids.size === 0) this.#groups.delete(before.text);
    }
    const group = text === undefined ? undefined : this.#groups.get(text) ?? this.#begin(part, text);
    group?.ids.add(id);
    this.#taken.set(id, { version, group });
  }

  #begin(part: ShownPart, text: string): Growing {
    const group = { key: String(this.#nextKey++), state: part.state, example: part, ids: new Set<string>(), text };
    this.#groups.set(text, group);
    return group;
  }

  /** All groups, largest first. */
  get all(): ReturnGroup[] {
    return [...this.#groups.values()].sort((left, right) => right.ids.size - left.ids.size);
  }
}

/** The text by which a target is grouped; undefined for a target that has not ended. */
function comparedText({ state, retcode, note = "", return: value }: ShownPart): string | undefined {
  if (isPartOpen(state)) return undefined;
  return `${state} ${canonicalText(retcode)} ${typeof value} ${value === undefined ? note : canonicalText(value)}`;
}

/** A summary of groups: `4,987 identical, 13 differ in 3 groups`. */
export function groupsText(groups: readonly ReturnGroup[]): string {
  const [most, ...others] = groups;
  if (most === undefined) return "nothing has returned yet";
  const identical = most.ids.size.toLocaleString("en");
  if (others.length === 0) return most.ids.size === 1 ? "1 return" : `all ${identical} identical`;
  if (most.ids.size === 1) return `${groups.length.toLocaleString("en")} returns, no two identical`;
  const differ = others.reduce((sum, { ids }) => sum + ids.size, 0);
  const groupCount = others.length === 1 ? "1 group" : `${others.length.toLocaleString("en")} groups`;
  return `${identical} identical, ${differ.toLocaleString("en")} ${
    differ === 1 ? "differs" : "differ"
  } in ${groupCount}`;
}
