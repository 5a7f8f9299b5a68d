/** A run of equal lines: where it begins in each text, and its length. */
interface Match {
  a: number;
  b: number;
  size: number;
}

/** Lines `aLow…aHigh` of the first text, and the lines of the second that stand in their place. */
interface Change {
  same: boolean;
  aLow: number;
  aHigh: number;
  bLow: number;
  bHigh: number;
}

/** In a text of at least so many lines, frequent lines are not used as anchors: Python's `autojunk`. */
const POPULAR_FROM = 200;

/** The indexes of each line in `lines`, without lines that make up more than 1 % of a long text. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, at) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else known.push(at);
  });
  if (lines.length < POPULAR_FROM) return places;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, at] of places) if (at.length > most) places.delete(line);
  return places;
}

/** The longest run that both ranges share; of several the first in `a`, then the first in `b`. */
function longest(
  a: readonly string[],
  b: readonly string[],
  places: Map<string, number[]>,
  range: Omit<Change, "same">,
): Match {
  const { aLow, aHigh, bLow, bHigh } = range;
  let best: Match = { a: aLow, b: bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]!) ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  // Lines that are not anchors may extend the match on either side.
  while (best.a > aLow && best.b > bLow && a[best.a - 1] === b[best.b - 1]) {
    best = { a: best.a - 1, b: best.b - 1, size: best.size + 1 };
  }
  while (
    best.a + best.size < aHigh && best.b + best.size < bHigh && a[best.a + best.size] === b[best.b + best.size]
  ) best = { ...best, size: best.size + 1 };
  return best;
}

function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b);
  const pending = [{ aLow: 0, aHigh: a.length, bLow: 0, bHigh: b.length }];
  const found: Match[] = [];
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const match = longest(a, b, places, range);
    if (match.size === 0) continue;
    found.push(match);
    if (range.aLow < match.a && range.bLow < match.b) pending.push({ ...range, aHigh: match.a, bHigh: match.b });
    if (match.a + match.size < range.aHigh && match.b + match.size < range.bHigh) {
      pending.push({ ...range, aLow: match.a + match.size, bLow: match.b + match.size });
    }
  }
  found.sort((one, other) => one.a - other.a || one.b - other.b);
  // Adjacent matches are joined into one.
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined.at(-1);
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b) last.size += match.size;
    else joined.push({ ...match });
  }
  return joined;
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  for (const match of [...matchesOf(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < match.a || j < match.b) changes.push({ same: false, aLow: i, aHigh: match.a, bLow: j, bHigh: match.b });
    [i, j] = [match.a + match.size, match.b + match.size];
    if (match.size > 0) changes.push({ same: true, aLow: match.a, aHigh: i, bLow: match.b, bHigh: j });
  }
  return changes;
}

/** Groups changes that are close together, with up to `context` equal lines before, between and after them. */
function groupsOf(changes: Change[], context: number): Change[][] {
  const first = changes[0];
  const last = changes.at(-1);
  if (first?.same) {
    first.aLow = Math.max(first.aLow, first.aHigh - context);
    first.bLow = Math.max(first.bLow, first.bHigh - context);
  }
  if (last?.same) {
    last.aHigh = Math.min(last.aHigh, last.aLow + context);
    last.bHigh = Math.min(last.bHigh, last.bLow + context);
  }
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const change of changes) {
    if (change.same && change.aHigh - change.aLow > context * 2) {
      group.push({
        ...change,
        aHigh: Math.min(change.aHigh, change.aLow + context),
        bHigh: Math.min(change.bHigh, change.bLow + context),
      });
      groups.push(group);
      group = [{
        ...change,
        aLow: Math.max(change.aLow, change.aHigh - context),
        bLow: Math.max(change.bLow, change.bHigh - context),
      }];
    } else group.push(change);
  }
  groups.push(group);
  return groups.filter((part) => part.some(({ same }) => !same));
}

/** A range of lines as written in a hunk header: counted from 1, the length left out if it is 1. */
function rangeText(low: number, high: number): string {
  const length = high - low;
  if (length === 1) return String(low + 1);
  return `${length === 0 ? low : low + 1},${length}`;
}

/**
 * The lines of a unified diff of two texts, as `difflib.unified_diff` returns them: none if the texts are equal. Lines,
 * given and returned, include their line ends.
 *
 * @param options `lineEnd`: of the lines that are not from the texts (Python's `lineterm`); a line feed by default
 */
export function unifiedDiff(
  a: readonly string[],
  b: readonly string[],
  options: { from?: string; to?: string; context?: number; lineEnd?: string } = {},
): string[] {
  const { from = "", to = "", context = 3, lineEnd = "\n" } = options;
  const out: string[] = [];
  for (const group of groupsOf(changesOf(a, b), context)) {
    if (out.length === 0) out.push(`--- ${from}${lineEnd}`, `+++ ${to}${lineEnd}`);
    const [first, last] = [group[0]!, group.at(-1)!];
    out.push(`@@ -${rangeText(first.aLow, last.aHigh)} +${rangeText(first.bLow, last.bHigh)} @@${lineEnd}`);
    for (const { same, aLow, aHigh, bLow, bHigh } of group) {
      out.push(...a.slice(aLow, aHigh).map((line) => `${same ? " " : "-"}${line}`));
      if (!same) out.push(...b.slice(bLow, bHigh).map((line) => `+${line}`));
    }
  }
  return out;
}
