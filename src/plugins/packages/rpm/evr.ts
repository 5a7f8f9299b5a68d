/** Versions of RPM packages: `1:2.0-3`, compared as RPM does it. */

/** Epoch, version and release; empty for none. */
interface Evr {
  epoch: string;
  version: string;
  release: string;
}

function evrOf(text: string): Evr {
  const colon = text.indexOf(":");
  const dash = text.indexOf("-");
  const epoch = colon >= 0 && /^\d+$/.test(text.slice(0, colon)) ? String(BigInt(text.slice(0, colon))) : "0";
  return dash < 0
    ? { epoch, version: text.slice(colon + 1), release: "" }
    : { epoch, version: text.slice(colon + 1, dash), release: text.slice(dash + 1) };
}

/** The parts that count: numbers, words, and the signs `~` (before) and `^` (after). */
const partsOf = (text: string): string[] => text.match(/\d+|[A-Za-z]+|[~^]/g) ?? [];

const isNumber = (part: string): boolean => /^\d/.test(part);

function compareParts(one: string, other: string): number {
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? 1 : -1;
  const [a, b] = isNumber(one) ? [BigInt(one), BigInt(other)] : [one, other];
  return a === b ? 0 : a < b ? -1 : 1;
}

/** -1, 0 or 1 for a version, or a release, that is older than another, the same, or newer. */
function rpmCompare(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === right) continue;
    // `1.0~rc1` comes before `1.0`, `1.0^git` after it and before `1.0.1`.
    if (left === "~" || right === "~") return left === "~" ? -1 : 1;
    if (left === "^" || right === "^") {
      if (left === undefined) return -1;
      if (right === undefined) return 1;
      return left === "^" ? -1 : 1;
    }
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const order = compareParts(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

/** -1, 0 or 1. Where one of them has no release, releases do not count. */
export function compareEvr(one: string, other: string, ignoreEpoch = false): number {
  const plain = (text: string) => evrOf(ignoreEpoch ? text.replace(/^[^:]*:/, "") : text);
  const [a, b] = [plain(one), plain(other)];
  if (a.epoch !== b.epoch) return BigInt(a.epoch) < BigInt(b.epoch) ? -1 : 1;
  const versions = rpmCompare(a.version, b.version);
  return versions !== 0 || a.release === "" || b.release === "" ? versions : rpmCompare(a.release, b.release);
}
