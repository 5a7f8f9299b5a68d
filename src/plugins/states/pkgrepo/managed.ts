/** The state `pkgrepo.managed`. */
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { hasFunction, outcome, stateFunction } from "../../../model/loader/states.ts";
import { type Args, equal, isTrue, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { programPath } from "../../commands.ts";
import { isFile } from "../../linux/paths.ts";
import { checkRepo } from "../../modules/aptpkg/repositories.ts";
import { repoChanges } from "../../modules/yumpkg/repositories.ts";
import { checkNewRepo } from "../../modules/zypperpkg/repositories.ts";
import { commandError, fails } from "../outcome.ts";
import { sameLine, wantedRepo } from "./debian.ts";

export type RepoKeyword = Record<string, unknown>;

/** Behind the words on what a dry run would do. */
export const BEWARE = "This may cause pkg states to behave differently than stated if this action is repeated " +
  "without test=True, due to the differences in the configured repositories.";

/** Why the arguments make no sense together; undefined if they do. */
function refusal({ kwargs }: KeywordArgs): string | undefined {
  if ("repo" in kwargs) {
    return "'repo' is not a supported argument for this state. The 'name' argument is probably what was intended.";
  }
  const { enabled = null, disabled = null, allow_insecure_key: allowed = true, key_url: url = "" } = kwargs;
  if (enabled !== null && disabled !== null) return "Only one of enabled/disabled is allowed";
  return !truthy(allowed) && str(url).trim().startsWith("http:")
    ? "Cannot have 'key_url' using http with 'allow_insecure_key' set to True"
    : undefined;
}

/** The repository as this family of hosts names it, and the arguments for its functions. */
function namedRepo(
  context: StateContext,
  { name, ppa, copr, kwargs }: Args,
): { repo: string; keyword: RepoKeyword } {
  const { enabled = null, disabled = null, allow_insecure_key: _, ...others } = kwargs as RepoKeyword;
  const keyword: RepoKeyword = { ...others, name };
  const family = str(context.grains.os_family ?? "");
  const on = enabled === null && disabled === null ? true : disabled === null ? isTrue(enabled) : !isTrue(disabled);
  if (family === "Debian") {
    return { repo: ppa === null ? str(name) : `ppa:${str(ppa)}`, keyword: { ...keyword, disabled: !on } };
  }
  if (family !== "RedHat" && family !== "Suse") return { repo: str(name), keyword };
  if ("humanname" in keyword) {
    keyword.name = keyword.humanname;
    delete keyword.humanname;
  }
  return {
    repo: family === "RedHat" && copr !== null ? `copr:${str(copr)}` : str(name),
    keyword: { ...keyword, enabled: on },
  };
}

const joined = (comments: unknown): string =>
  (Array.isArray(comments) ? comments : [comments]).map((one) => `# ${str(one).replace(/^#+\s*/, "")}\n`).join("");

const sortedItems = (value: unknown): string[] => (Array.isArray(value) ? value.map(str) : [...str(value)]).sort();

/** Whether one property of a repository is as the state wants it. */
function sameProperty(
  context: StateContext,
  key: string,
  wanted: RepoKeyword,
  there: RepoKeyword,
  keyword: RepoKeyword,
): boolean {
  const family = str(context.grains.os_family ?? "");
  const [one, other] = [wanted[key], there[key]];
  // A repository is enabled unless it says otherwise; yet only families with files of fields say so.
  if (!(key in there)) return key === "enabled" && family === "RedHat" && isTrue(one);
  if (key === "comps" || key === "key_url") return equal(sortedItems(one), sortedItems(other));
  if (key === "line" && family === "Debian") return sameLine(wanted, other, keyword);
  if (key === "comments" && family === "RedHat") return joined(one) === joined(other);
  if (key === "architectures" && truthy(one)) {
    return equal([...new Set(sortedItems(one))], [...new Set(sortedItems(other))]);
  }
  if (["RedHat", "Suse"].includes(family) && (typeof one === "boolean" || typeof other === "boolean")) {
    return isTrue(one) === isTrue(other);
  }
  return str(one) === str(other);
}

/** True if the file that the state wants for itself has anything else in it. */
function hasOthers({ runtime: { fs } }: StateContext, name: unknown, keyword: RepoKeyword): boolean {
  if (!truthy(keyword.clean_file) || !truthy(keyword.file) || !isFile(fs, str(keyword.file))) return false;
  const lines = fs.readText(str(keyword.file)).split("\n").map((line) => line.trim());
  return lines.some((line) => line !== "" && !line.startsWith("#") && line !== str(name).trim());
}

const differences = (keys: string[], before: RepoKeyword, after: RepoKeyword): RepoKeyword =>
  Object.fromEntries(
    keys.filter((key) => !equal(after[key] ?? null, before[key] ?? null))
      .map((key) => [key, { new: after[key] ?? null, old: before[key] ?? null }]),
  );

export const repoManaged = stateFunction({
  signature: "name, ppa=None, copr=None, aptkey=True, **kwargs",
  doc: "The repository is configured as it is described.",
  async run(context, args) {
    const { name } = args;
    if (!await hasFunction(context, "pkg.get_repo")) {
      return outcome(name, false, "Repo management not implemented on this platform");
    }
    const refused = refusal(args);
    if (refused !== undefined) return outcome(name, false, refused);
    const { repo, keyword } = namedRepo(context, args);
    let before: RepoKeyword;
    let wanted: RepoKeyword;
    try {
      before = { ...await context.call("pkg.get_repo", [], { repo, ...keyword }) as RepoKeyword };
      wanted = context.grains.os_family === "Debian" ? wantedRepo(context, repo, keyword) : { ...keyword };
    } catch (error) {
      return outcome(name, false, `Failed to examine repo '${name}': ${commandError(error)}`);
    }
    if (truthy(before) && !hasOthers(context, name, keyword)) {
      delete before.file;
      delete wanted.file;
      if (Object.keys(wanted).every((key) => sameProperty(context, key, wanted, before, keyword))) {
        return outcome(name, true, `Package repo '${name}' already configured`);
      }
    }
    if (context.test) {
      try {
        const family = context.grains.os_family;
        if (family === "Debian") checkRepo(context, repo, keyword);
        else if (family === "RedHat") repoChanges(keyword);
        else if (family === "Suse" && !truthy(before)) checkNewRepo(repo, keyword);
      } catch (error) {
        return outcome(name, false, `Failed to configure repo '${name}': ${said(error)}`);
      }
      const changes = truthy(before) ? differences(Object.keys(wanted), before, wanted) : { repo: name };
      return outcome(name, null, `Package repo '${name}' would be configured. ${BEWARE}`, changes);
    }
    return await configure(context, args, { repo, keyword, before, wanted });
  },
});

const said = (error: unknown) => error instanceof CommandExecutionError ? commandError(error) : messageOf(error);

async function configure(
  context: StateContext,
  { name, aptkey }: Args,
  { repo, keyword, before, wanted }: { repo: string; keyword: RepoKeyword; before: RepoKeyword; wanted: RepoKeyword },
): Promise<StateReturn> {
  try {
    if (truthy(keyword.clean_file)) context.runtime.fs.write(str(keyword.file), "");
    const own = context.grains.os_family === "Debian"
      ? { saltenv: context.saltenv, aptkey: truthy(aptkey) && programPath(context, "apt-key") !== undefined }
      : {};
    await context.call("pkg.mod_repo", [repo], { ...own, ...keyword });
  } catch (error) {
    return outcome(name, false, `Failed to configure repo '${name}': ${said(error)}`);
  }
  const after = await context.call("pkg.get_repo", [], { repo, ...keyword }).catch(
    fails(`Failed to confirm config of repo '${name}': `, said),
  ) as RepoKeyword;
  const changes = truthy(before) ? differences(Object.keys(wanted), before, after) : { repo };
  return outcome(name, true, `Configured package repo '${name}'`, changes);
}
