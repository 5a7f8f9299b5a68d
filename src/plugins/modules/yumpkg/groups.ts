import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { installedRpms } from "../../packages/rpm/installed.ts";
import { runAll } from "../../commands.ts";
import { needYum, yumOptionWords } from "./program.ts";

const KINDS = ["mandatory", "optional", "default", "conditional"] as const;
type Kind = typeof KINDS[number];

interface GroupInfo extends Record<Kind, string[]> {
  type: string;
  group: string | null;
  id: string | null;
  description: string;
}

const SECTIONS: Record<string, string> = {
  "installed groups:": "installed",
  "available groups:": "available",
  "installed environment groups:": "installed environments",
  "available environment groups:": "available environments",
  "available language groups:": "available languages",
};

const ask = async (context: JobContext, words: string[]): Promise<string> =>
  (await runAll(context, [needYum(context), ...words], { ignore_retcode: true })).stdout;

export async function yumGroupList(context: JobContext): Promise<Record<string, unknown>> {
  const found: Record<string, string[]> = {
    installed: [],
    available: [],
    "installed environments": [],
    "available environments": [],
  };
  const languages: Record<string, unknown> = {};
  let section: string | undefined;
  for (const line of splitLines(await ask(context, ["grouplist", "hidden"]))) {
    if (line.toLowerCase() === "done") break;
    const named = SECTIONS[line.toLowerCase()];
    if (named !== undefined) section = named;
    else if (section === "available languages") {
      const [, name, language] = /^(.+) \[(.+)\]/.exec(line.trim()) ?? [];
      if (name !== undefined) languages[line.trim()] = { name, language };
    } else if (section !== undefined) found[section]!.push(line.trim());
  }
  return { ...found, "available languages": languages };
}

const plainLine = (line: string): string => line.trim().replace(/^[!-/:-@[-`{-~]+/, "").trim();

/** The packages, or groups, below each heading. */
function membersOf(lines: string[]): Record<Kind, Set<string>> {
  const found = Object.fromEntries(KINDS.map((kind) => [kind, new Set<string>()])) as Record<Kind, Set<string>>;
  let current: Kind | undefined;
  for (const line of lines.map(plainLine)) {
    const [, kind, first = ""] =
      /^(mandatory|optional|default|conditional) (?:groups|packages)\s*:\s*(.*)$/i.exec(line) ??
        [];
    if (kind !== undefined) current = kind.toLowerCase() as Kind;
    const member = kind === undefined ? line : first;
    if (current !== undefined && member !== "") found[current].add(member);
  }
  return found;
}

/** `pkg.group_info`; with `expand` a group of groups has the packages of these. */
export async function yumGroupInfo(
  context: JobContext,
  name: string,
  { expand = false, kwargs = {}, done = new Set<string>() }: { expand?: boolean; kwargs?: Args; done?: Set<string> },
): Promise<GroupInfo> {
  const { fromrepo, enablerepo, disablerepo } = kwargs;
  const verb = needYum(context) === "dnf5" ? ["group", "info"] : ["groupinfo"];
  const out = await ask(context, ["--quiet", ...yumOptionWords({ fromrepo, enablerepo, disablerepo }), ...verb, name]);
  const lines = splitLines(out);
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const parts = line.split(":");
    if (parts.length === 2) fields[parts[0]!.trim().toLowerCase()] = parts[1]!.trim();
  }
  const group = fields["environment group"] || fields.group || fields.name || null;
  const id = fields["environment-id"] || fields["group-id"] || fields.id || null;
  if (group === null && id === null) throw new CommandExecutionError(`Group '${name}' not found`);
  const environment = "environment group" in fields;
  const members = membersOf(lines);
  if (expand && environment) await expandGroups(context, members, kwargs, done);
  const sorted = Object.fromEntries(KINDS.map((kind) => [kind, [...members[kind]].sort()])) as Record<Kind, string[]>;
  return {
    ...sorted,
    type: environment ? "environment group" : "package group",
    group,
    id,
    description: fields.description ?? "",
  };
}

/** Puts the packages of groups in the place of their names; each group once. */
async function expandGroups(context: JobContext, members: Record<Kind, Set<string>>, kwargs: Args, done: Set<string>) {
  const groups = KINDS.flatMap((kind) => [...members[kind]]);
  for (const kind of KINDS) members[kind].clear();
  for (const group of groups) {
    if (done.has(group)) continue;
    done.add(group);
    let found: GroupInfo;
    try {
      found = await yumGroupInfo(context, `@${group}`, { expand: true, kwargs, done });
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      found = await yumGroupInfo(context, group, { expand: true, kwargs, done });
    }
    for (const kind of KINDS) for (const one of found[kind]) members[kind].add(one);
  }
}

const needList = (value: unknown, name: string): string[] => {
  if (typeof value === "string") return value.split(",");
  if (Array.isArray(value)) return value.map(str);
  throw new SaltInvocationError(`'${name}' must be a list`);
};

/** The packages that the installation of groups needs. */
export async function groupPackages(context: JobContext, { name, skip, include }: Args): Promise<string[]> {
  const [groups, without, more] = [needList(name, "groups"), needList(skip, "skip"), needList(include, "include")];
  const targets: string[] = [];
  for (const group of groups) {
    const info = await yumGroupInfo(context, group, {});
    targets.push(...info.mandatory, ...info.default.filter((one) => !without.includes(one)));
  }
  const installed = await installedRpms(context);
  return [...new Set([...targets, ...more])].filter((one) => installed[one] === undefined);
}
