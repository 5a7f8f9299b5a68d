/** Comparing versions of packages as states write them: `1.2`, `>=1.2`, `>=1.2,<2`, `1.*`. */
import type { JobContext } from "../../model/loader/family.ts";

/** The operator of `>=1.2`, empty if there is none, and the version. */
export function splitComparison(text: string): [operator: string, version: string] {
  const match = /^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)$/.exec(text);
  return match === null ? ["", text] : [match[1] ?? "", match[2]!];
}

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  ">=": (order) => order >= 0,
  ">": (order) => order > 0,
};

/** Below, at or above zero as one version is older, the same or newer than another; null if they cannot be compared. */
type Compare = (one: string, two: string, ignoreEpoch: boolean) => Promise<number | null> | number | null;

/** `one operator two`; false for an operator that there is not. */
export async function compareVersions(
  compare: Compare,
  one: string,
  operator: string,
  two: string,
  ignoreEpoch = false,
): Promise<boolean> {
  if (!Object.hasOwn(HOLDS, operator)) return false;
  const order = await compare(one, two, ignoreEpoch);
  return typeof order === "number" && HOLDS[operator]!(order);
}

/** The first available version that fits `>=1.2`, or undefined. */
export async function matchVersion(
  compare: Compare,
  wanted: string,
  available: readonly string[],
  ignoreEpoch = false,
): Promise<string | undefined> {
  const [operator, version] = splitComparison(wanted);
  for (const one of available) {
    if (await compareVersions(compare, one, operator || "==", version, ignoreEpoch)) return one;
  }
  return undefined;
}

/** How this host's packages are compared; by parts of the texts if it has no function for that. */
export async function hostCompare(context: Pick<JobContext, "call" | "functions">): Promise<Compare> {
  if (!("signature" in await context.functions.find("pkg.version_cmp"))) return looseCompare;
  return (one, two, ignoreEpoch) =>
    context.call("pkg.version_cmp", [one, two], { ignore_epoch: ignoreEpoch }) as Promise<number | null>;
}

const parts = (text: string): string[] => text.split(/(\d+|[a-z]+|\.)/).filter((part) => part !== "" && part !== ".");

const isNumber = (part: string): boolean => /^\d+$/.test(part);

/** Compares part by part: numbers as such if both versions have nothing else, otherwise everything as text. */
export function looseCompare(one: string, two: string, ignoreEpoch = false): number {
  const plain = (text: string) => ignoreEpoch ? text.replace(/^[^:]*:/, "") : text;
  const [a, b] = [parts(plain(one)), parts(plain(two))];
  const numbers = [...a, ...b].every(isNumber);
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [left, right] = numbers
      ? [BigInt(a[at]!), BigInt(b[at]!)]
      : [a[at]!, b[at]!].map((part) => isNumber(part) ? String(BigInt(part)).padStart(8, "0") : part) as [
        string,
        string,
      ];
    if (left !== right) return left < right ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}
