/** What zypper finds: packages, patches, patterns. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import { run } from "../../commands.ts";
import { rootWords } from "../../packages/rpm/installed.ts";
import { elementsOf } from "../../xml.ts";
import { askZypper, type ZypperCall } from "./program.ts";

const SEARCH_WORDS: Readonly<Record<string, string>> = {
  provides: "--provides",
  recommends: "--recommends",
  requires: "--requires",
  suggests: "--suggests",
  conflicts: "--conflicts",
  obsoletes: "--obsoletes",
  file_list: "--file-list",
  search_descriptions: "--search-descriptions",
  case_sensitive: "--case-sensitive",
  installed_only: "--installed-only",
  not_installed_only: "-u",
  details: "--details",
};

const MATCH_WORDS: Readonly<Record<string, string>> = {
  exact: "--match-exact",
  words: "--match-words",
  substrings: "--match-substrings",
};

/** The attributes of what `zypper search` lists. */
export async function solvables(context: JobContext, words: string[], call: ZypperCall) {
  const found = await askZypper(context, words, { reading: true, mayBeMissing: true, ...call });
  return elementsOf(found, "solvable").map(({ attributes }) => attributes);
}

/** `pkg.search`: an option that is given at all counts, whatever its value is. */
export async function zypperSearch(
  context: JobContext,
  criteria: string,
  { root = null, match, ...options }: Args,
): Promise<Record<string, Record<string, string>>> {
  const how = typeof match === "string" && Object.hasOwn(MATCH_WORDS, match) ? [MATCH_WORDS[match]!] : [];
  const which = Object.keys(options).filter((name) => Object.hasOwn(SEARCH_WORDS, name));
  const words = ["search", ...how, ...which.map((name) => SEARCH_WORDS[name]!), criteria];
  const found = await solvables(context, words, { root, lenient: true });
  if (found.length === 0) throw new CommandExecutionError(`No packages found matching '${criteria}'`);
  return Object.fromEntries(found.map((one) => [one.name ?? "", one]));
}

/** Whether something is installed, and what it is about. */
interface Summary {
  installed: boolean;
  summary: string;
}

async function summaries(context: JobContext, type: string, root: unknown): Promise<Record<string, Summary>> {
  const found = await solvables(context, ["se", "-t", type], { root });
  return Object.fromEntries(
    found.map(({ name = "", status, summary = "" }) => [name, { installed: status === "installed", summary }]),
  );
}

const installedOf = (all: Record<string, Summary>): Record<string, Summary> =>
  Object.fromEntries(Object.entries(all).filter(([, { installed }]) => installed));

export const zypperPatches = (context: JobContext, root: unknown): Promise<Record<string, Summary>> =>
  summaries(context, "patch", root);

export const installedPatches = async (context: JobContext, root: unknown): Promise<Record<string, Summary>> =>
  installedOf(await zypperPatches(context, root));

export const patterns = (context: JobContext, root: unknown): Promise<Record<string, Summary>> =>
  summaries(context, "pattern", root);

/** `pkg.list_installed_patterns`: those that zypper shows, and those that packages say they are. */
export async function installedPatterns(context: JobContext, root: unknown): Promise<Record<string, Summary>> {
  const words = ["rpm", ...rootWords(root), "-q", "--provides", "--whatprovides", "pattern()"];
  const provided = splitLines(await run(context, words, { ignore_retcode: true }))
    .filter((line) => line.startsWith("pattern() = ")).map((line) => line.slice(line.lastIndexOf("=") + 1).trim())
    .filter((name) => !name.startsWith("."));
  const found = installedOf(await patterns(context, root));
  for (const name of provided) found[name] ??= { installed: true, summary: "Non-visible pattern" };
  return found;
}

/** The package that has a capability, if it is one. */
async function providerOf(context: JobContext, name: string, root: unknown): Promise<string> {
  const finds = async (options: Args): Promise<string[] | undefined> => {
    try {
      return Object.keys(await zypperSearch(context, name, { root, match: "exact", ...options }));
    } catch (error) {
      if (error instanceof CommandExecutionError) return undefined;
      throw error;
    }
  };
  if (await finds({}) !== undefined) return name;
  const found = await finds({ provides: true }) ?? [];
  if (found.length > 1) context.log.warning("several packages have a capability", { capability: name });
  return found.length === 1 ? found[0]! : name;
}

export async function resolveCapabilities(context: JobContext, { pkgs, root, kwargs }: Args): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const one of pkgs as unknown[]) {
    const [given, version] = isMap(one) ? entriesOf(one)[0]! : [one, null];
    const resolve = truthy((kwargs as Args).resolve_capabilities ?? false);
    const name = resolve ? await providerOf(context, str(given), root) : given;
    found.push(truthy(version) ? { [str(name)]: version } : name);
  }
  return found;
}
