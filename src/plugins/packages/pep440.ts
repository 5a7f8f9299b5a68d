/** Versions of Python packages, compared as PEP 440 has it. */

interface Version {
  epoch: number;
  release: number[];
  /** Order of what comes before or after a release: development, alpha, beta, candidate, the release itself, later posts. */
  suffix: number[];
  local: string;
  pre: boolean;
}

const PATTERN =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:(?:-(\d+))|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/i;

const KINDS: Record<string, number> = { a: 1, alpha: 1, b: 2, beta: 2, c: 3, rc: 3, pre: 3, preview: 3 };

/** Undefined for what is no such version. */
function parse(text: string): Version | undefined {
  const match = PATTERN.exec(text.trim());
  if (match === null) return undefined;
  const [, epoch, release = "", kind, number, dashed, post, postNumber, dev, devNumber, local = ""] = match;
  const hasPost = dashed !== undefined || post !== undefined;
  // A development release comes before everything else of its release.
  const first = kind !== undefined ? KINDS[kind.toLowerCase()]! : dev !== undefined && !hasPost ? 0 : 4;
  return {
    epoch: Number(epoch ?? 0),
    release: release.split(".").map(Number),
    suffix: [
      first,
      Number(number || 0),
      hasPost ? Number(dashed ?? (postNumber || 0)) : -1,
      dev === undefined ? Number.MAX_SAFE_INTEGER : Number(devNumber || 0),
    ],
    local: local.toLowerCase(),
    pre: kind !== undefined || dev !== undefined,
  };
}

function compareNumbers(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

function compareParsed(a: Version, b: Version, withLocal = true): number {
  const order = Math.sign(a.epoch - b.epoch) || compareNumbers(a.release, b.release) ||
    compareNumbers(a.suffix, b.suffix);
  if (order !== 0 || !withLocal || a.local === b.local) return order;
  return a.local < b.local ? -1 : 1;
}

/** -1, 0 or 1; null if one of them is no version. */
export function comparePep440(one: string, other: string): number | null {
  const [a, b] = [parse(one), parse(other)];
  return a === undefined || b === undefined ? null : compareParsed(a, b);
}

/** `>=` and a version; several must all hold. */
export type Specifier = readonly [operator: string, version: string];

function holds(text: string, version: Version, [operator, wanted]: Specifier): boolean {
  if (operator === "===") return text.toLowerCase() === wanted.toLowerCase();
  const prefix = /^(.+)\.\*$/.exec(wanted)?.[1];
  const other = parse(prefix ?? wanted);
  if (other === undefined) return false;
  const sameStart = (length: number) =>
    version.epoch === other.epoch &&
    compareNumbers(version.release.slice(0, length), other.release.slice(0, length)) === 0;
  const order = compareParsed(version, other, other.local !== "");
  switch (operator) {
    case "==":
      return prefix === undefined ? order === 0 : sameStart(other.release.length);
    case "!=":
      return prefix === undefined ? order !== 0 : !sameStart(other.release.length);
    case "~=":
      return order >= 0 && sameStart(other.release.length - 1);
    case "<":
      // A candidate of the version itself is not before it.
      return order < 0 && !(version.pre && !other.pre && compareNumbers(version.release, other.release) === 0);
    case ">":
      return order > 0 && !(version.suffix[2]! >= 0 && other.suffix[2]! < 0 &&
        compareNumbers(version.release, other.release) === 0);
    case "<=":
      return order <= 0;
    case ">=":
      return order >= 0;
    default:
      return false;
  }
}

/** Whether a version fulfils all of these. One before its release does only if such a one is named. */
export function fulfilsPep440(version: string, specifiers: readonly Specifier[]): boolean {
  const parsed = parse(version);
  if (parsed === undefined || specifiers.length === 0) return specifiers.length === 0;
  if (parsed.pre && !specifiers.some(([, wanted]) => parse(wanted)?.pre === true)) return false;
  return specifiers.every((one) => holds(version, parsed, one));
}
