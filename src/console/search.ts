import { nearestName } from "../base/nearest_name.ts";

/**
 * Names that contain all typed words: first those that start with the first word, then those whose part after the dot does,
 * then the rest, each in the given order. Both `restart` and `serv res` find `service.restart`.
 */
export function findNames(names: readonly string[], text: string, most: number): string[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const [first = ""] = words;
  const ranks: string[][] = [[], [], []];
  for (const name of names) {
    const lower = name.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    const rank = lower.startsWith(first) ? 0 : lower.slice(lower.indexOf(".") + 1).startsWith(first) ? 1 : 2;
    ranks[rank]!.push(name);
  }
  return ranks.flat().slice(0, most);
}

/** Known names that a mistyped one may have been meant to be, the nearest first. */
export function nearNames(name: string, names: readonly string[], most: number): string[] {
  const found: string[] = [];
  while (found.length < most) {
    const near = nearestName(name, names.filter((one) => !found.includes(one)));
    if (near === undefined) break;
    found.push(near);
  }
  return found;
}
