import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { truthy } from "../../../language/python/values.ts";
import { lookAt } from "../../linux/paths.ts";
import { clearRefreshTag } from "../../packages/lists.ts";
import { runAll } from "../../commands.ts";

/** What `apt-get update` reports about a list: fetched, missing or unchanged. */
const OUTCOMES: Record<string, boolean | null> = { Get: true, Ign: false, Hit: null };

/** Fetches the lists of packages, unless they are younger than `validS` seconds. */
export async function refresh(
  context: JobContext,
  { validS = 0, failhard = false }: { validS?: number; failhard?: unknown },
): Promise<Record<string, boolean | null>> {
  clearRefreshTag(context);
  const age = (context.runtime.clock.now() - (lookAt(context.runtime.fs, "/var/lib/apt/lists")?.mtimeMs ?? 0)) / 1000;
  if (validS > 0 && age < validS) return {};
  const { retcode, stdout, stderr } = await runAll(context, ["apt-get", "-q", "update"], { env: { LC_ALL: "C" } });
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  const found: Record<string, boolean | null> = {};
  const failed: string[] = [];
  for (const line of splitLines(stdout)) {
    const match = /^(\w+):\d+ (.*?)(?: \[[^\]]+\])?$/.exec(line);
    if (match === null) continue;
    const [, word = "", list = ""] = match;
    if (Object.hasOwn(OUTCOMES, word)) found[list] = OUTCOMES[word]!;
    else if (word === "Err") failed.push(list);
  }
  if (truthy(failhard) && failed.length > 0) {
    throw new CommandExecutionError(`Error getting repos: ${failed.join(", ")}`);
  }
  return found;
}
