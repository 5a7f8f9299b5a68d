/**
 * Checks names that people type against the known ones: a mistyped name is reported together with the nearest known one,
 * instead of being ignored silently.
 */

/** The most characters of a name that are compared: the time grows with the square of the length. */
const MAX_CHARACTERS = 64;

/** The name in lower case without separators: `tgtType`, `tgt-type` and `tgt_type` are the same name to a person. */
function plain(text: string): string {
  return text.slice(0, MAX_CHARACTERS).toLowerCase().replace(/[_-]/g, "");
}

/** How many letters have to be changed, added, removed or swapped with their neighbour to turn one into the other. */
function distance(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let at = 1; at <= b.length; at++) {
      const same = a[row - 1] === b[at - 1];
      let cost = Math.min(last[at]! + 1, next[at - 1]! + 1, last[at - 1]! + (same ? 0 : 1));
      if (row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1]) {
        cost = Math.min(cost, before[at - 2]! + 1);
      }
      next.push(cost);
    }
    [before, last] = [last, next];
  }
  return last[b.length]!;
}

/**
 * Returns the known name that a mistyped one was most likely meant to be; undefined if none is near: none within a third of
 * its letters, and none that begins with it or that it begins with.
 *
 * @param options.letters how many letters may be wrong, instead of these rules. For places where many other names are valid, too
 */
export function nearestName(
  text: string,
  names: Iterable<string>,
  { letters }: { letters?: number } = {},
): string | undefined {
  const wanted = plain(text);
  if (wanted === "") return undefined;
  let best: { name: string; cost: number } | undefined;
  for (const name of names) {
    const known = plain(name);
    if (known === "") continue;
    const stem = Math.min(known.length, wanted.length) >= 3 && (known.startsWith(wanted) || wanted.startsWith(known));
    const away = distance(wanted, known);
    if (letters !== undefined && away > letters) continue;
    if (letters === undefined && !stem && away > Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3))) {
      continue;
    }
    if (best === undefined || away < best.cost) best = { name, cost: away };
  }
  return best?.name;
}

/** `did you mean "x"?` or, if no name is near, the list of all names. */
export function suggestion(text: string, names: readonly string[]): string {
  const near = nearestName(text, names);
  return near === undefined ? `expected one of ${names.join(", ")}` : `did you mean "${near}"?`;
}

/**
 * Refuses keys that would be ignored.
 *
 * @param what what the keys belong to, for the message: `"a job"`
 * @param remedies the advice for unknown keys that are not near a known one, but whose meaning is clear
 * @throws {TypeError} naming the first such key and the nearest known one
 */
export function refuseUnknownKeys(
  what: string,
  value: unknown,
  known: readonly string[],
  remedies: Readonly<Record<string, string>> = {},
): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`Cannot read ${what}: expected an object, got ${Array.isArray(value) ? "a list" : value}`);
  }
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const remedy = Object.hasOwn(remedies, key) ? remedies[key] : suggestion(key, known);
    throw new TypeError(`Unknown key "${key}" of ${what}: ${remedy}`);
  }
}
