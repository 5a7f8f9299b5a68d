import type { JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { run } from "../../commands.ts";
import { needYum } from "./program.ts";

/** Advisories: id → its packages, and whether all of them are installed. */
export async function patches(
  context: JobContext,
  installedOnly: boolean,
): Promise<Record<string, { installed: boolean; summary: string[] }>> {
  const found: Record<string, { installed: boolean; summary: string[] }> = {};
  for (const line of splitLines(await run(context, [needYum(context), "--quiet", "updateinfo", "list", "all"]))) {
    const [, mark, id, , pkg] = /^(i|\s)? ?(\S+) +(\S+) +(\S+)/.exec(line) ?? [];
    if (id === undefined || pkg === undefined) continue;
    const patch = found[id] ??= { installed: true, summary: [] };
    patch.summary.push(pkg);
    if (mark !== "i") patch.installed = false;
  }
  return Object.fromEntries(Object.entries(found).filter(([, { installed }]) => installed || !installedOnly));
}
