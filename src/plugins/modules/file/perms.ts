import { SystemError } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { type AnyMap, isInteger, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { ForeignLinkError } from "../../../runtime/foreign_links.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { isDirectory, isLink, lookAt } from "../../linux/paths.ts";
import { osError, osErrorText } from "../../python_errors.ts";
import { attributeLetters, compareAttributes, listAttributes, runChattr } from "./attributes.ts";
import { chown, type FilePermissions, lchown, normalizeMode, pathOf, permissions, setMode } from "./stats.ts";

/** The map that functions for states take and return. */
export interface Ret {
  name: string;
  changes: Record<string, unknown>;
  comment: unknown;
  result: boolean | null;
  warnings?: string[];
}

/** The permissions that a file should have; null leaves one as it is. */
interface Wanted {
  user: unknown;
  group: unknown;
  mode: unknown;
  attrs?: unknown;
  follow?: boolean;
  /** What the caller has seen under the path and left as it was. */
  known?: FileStat | undefined;
}

const fields = (map: AnyMap): Record<string, unknown> => map instanceof Map ? Object.fromEntries(map) : map;

/** The `ret` that a caller passed, or a new one. */
export function retOf(value: unknown, name: string): Ret {
  if (!isMap(value) || !truthy(value)) return { name, changes: {}, comment: "", result: true };
  const changes = lookup(value, "changes");
  return {
    ...fields(value),
    name: str(lookup(value, "name") ?? name),
    changes: isMap(changes) ? { ...fields(changes) } : {},
    comment: lookup(value, "comment") ?? "",
    result: (lookup(value, "result") ?? true) as boolean,
  };
}

/** The fields of a file that say who owns it: name and number. */
const OWNERS = { user: "uid", group: "gid" } as const;

/** True if an owner is wanted who is not that of the file. The names of its owners are looked up for nothing else. */
const differs = (wanted: unknown, file: FilePermissions, kind: keyof typeof OWNERS) =>
  truthy(wanted) && wanted !== file[kind] && wanted !== file[OWNERS[kind]];

/**
 * Sets the owner, the mode and the attributes of a file where they differ, and reports the changes in `ret`.
 *
 * @returns `ret`, and what the file had before
 */
export async function checkPerms(
  context: JobContext,
  given: unknown,
  before: unknown,
  wanted: Wanted,
): Promise<[Ret, Record<string, unknown>]> {
  const { fs } = context.runtime;
  const path = pathOf(context, given);
  const follow = wanted.follow ?? false;
  const mode = normalizeMode(wanted.mode);
  const had = isMap(before) && truthy(before);
  const ret = retOf(before, path);
  const comments: string[] = had && typeof ret.comment === "string" && ret.comment !== "" ? [ret.comment] : [];
  const current = permissions(context, path, follow, wanted.known);
  const test = truthy(context.opts.test);
  const perms: Record<string, unknown> = {
    get luser() {
      return isInteger(wanted.user) ? current.uid : current.user;
    },
    get lgroup() {
      return isInteger(wanted.group) ? current.gid : current.group;
    },
    lmode: current.mode,
  };
  // A link's own owner can be changed; it has no mode of its own.
  const link = follow ? isLink(fs, path) : current.type === "link";
  const linkItself = link && !follow;
  // Root does not follow a link that another user has put there meanwhile. Devices are not to be opened for that.
  const swappable = () =>
    !link && context.runtime.process.uid() === 0 && ["file", "directory"].includes(lookAt(fs, path)?.kind ?? "");
  if (differs(wanted.user, current, "user")) perms.cuser = wanted.user;
  if (differs(wanted.group, current, "group")) perms.cgroup = wanted.group;
  let changed = false;
  if ((perms.cuser !== undefined || perms.cgroup !== undefined) && !test) {
    changed = true;
    const complaint = changeOwner(context, path, wanted, current, { linkItself, follow: !swappable() });
    if (complaint !== undefined) ret.result = false;
    if (typeof complaint === "string") comments.push(complaint);
  }
  if (mode !== null && !test && !linkItself && mode !== current.mode) {
    perms.cmode = mode;
    changed = true;
    const failure = modeFailure(context, path, mode, !swappable());
    if (failure !== undefined) comments.push(failure);
  }
  const after = changed ? permissions(context, path, follow) : current;
  const report = (key: string, value: unknown, wrong: boolean, changed: boolean) => {
    if (wrong && !test) {
      ret.result = false;
      comments.push(`Failed to change ${key} to ${str(value)}`);
    } else if (wrong || changed) ret.changes[key] = value;
  };
  const { user, group, attrs } = wanted;
  if (truthy(user)) report("user", user, differs(user, after, "user"), perms.cuser !== undefined);
  if (truthy(group)) report("group", group, differs(group, after, "group"), perms.cgroup !== undefined);
  if (mode !== null && !linkItself) report("mode", mode, mode !== after.mode, perms.cmode !== undefined);
  if (attrs !== undefined && attrs !== null && !isDirectory(fs, path) && !linkItself) {
    await checkAttributes(context, path, attributeLetters(attrs), ret, comments);
  }
  if (!had || typeof ret.comment === "string") ret.comment = comments.join("; ");
  if (test && Object.keys(ret.changes).length > 0) ret.result = null;
  return [ret, perms];
}

/** @returns undefined if the owner was changed; otherwise what the comment says, or null for nothing */
function changeOwner(
  context: JobContext,
  path: string,
  wanted: Wanted,
  current: FilePermissions,
  { linkItself, follow }: { linkItself: boolean; follow: boolean },
): string | null | undefined {
  try {
    const change = linkItself ? lchown : chown;
    const complaint = change(context, path, wanted.user ?? current.user, wanted.group ?? current.group, follow);
    if (complaint !== null) return complaint;
    // A change of the owner clears the set-user bits.
    if (!isLink(context.runtime.fs, path)) setMode(context, path, current.mode, follow);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name === "TypeError") throw error;
    const told = error.cause instanceof ForeignLinkError || error.message.startsWith("[Errno ");
    return told ? error.message : null;
  }
}

/** Sets the mode. @returns why the system refuses it */
function modeFailure({ runtime: { fs } }: JobContext, path: string, mode: string, follow: boolean): string | undefined {
  if (!/^[0-7]+$/.test(mode)) return undefined;
  try {
    fs.chmod(path, parseInt(mode, 8), { follow });
    return undefined;
  } catch (error) {
    if (error instanceof SystemError && !(error instanceof ForeignLinkError)) return osErrorText(error, path);
    throw osError(error, path);
  }
}

async function checkAttributes(context: JobContext, path: string, attrs: string, ret: Ret, comments: string[]) {
  const difference = await compareAttributes(context, path, attrs);
  if (difference === undefined || (difference.added === "" && difference.removed === "")) return;
  const listed = async () => ((await listAttributes(context, path))?.[path] ?? []).join("");
  const changes: Record<string, unknown> = { old: await listed(), new: attrs };
  if (!truthy(context.opts.test)) {
    if (difference.added !== "") await runChattr(context, [path], { operator: "add", attributes: difference.added });
    if (difference.removed !== "") {
      await runChattr(context, [path], { operator: "remove", attributes: difference.removed });
    }
    const left = await compareAttributes(context, path, attrs);
    if (left !== undefined && (left.added !== "" || left.removed !== "")) {
      ret.result = false;
      comments.push(`Failed to change attributes to ${attrs}`);
      changes.new = await listed();
    }
  }
  if (changes.old !== changes.new) ret.changes.attrs = changes;
}
