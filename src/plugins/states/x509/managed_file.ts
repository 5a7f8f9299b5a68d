import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { decodeBase64 } from "../../../language/python/binascii.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { isFile, isLink, pathToChange, realPath } from "../../linux/paths.ts";
import { keepBackup } from "../../modules/file/backup.ts";
import { managed } from "../file/managed.ts";

const FILE_ARGUMENTS = [
  "user",
  "group",
  "mode",
  "attrs",
  "makedirs",
  "dir_mode",
  "backup",
  "create",
  "follow_symlinks",
  "check_cmd",
  "tmp_dir",
  "tmp_ext",
  "selinux",
  "encoding_errors",
  "win_owner",
  "win_perms",
  "win_deny_perms",
  "win_inheritance",
  "win_perms_reset",
];

export function splitFileArguments(kwargs: Args): { file: Args; others: Args } {
  const split = { file: { show_changes: false } as Args, others: {} as Args };
  for (const [name, value] of Object.entries(kwargs)) {
    (FILE_ARGUMENTS.includes(name) ? split.file : split.others)[name] = value;
  }
  return split;
}

export function refuseOthers(others: Args): void {
  const names = Object.keys(others);
  if (names.length > 0) throw new SaltInvocationError(`Unrecognized keyword arguments: ${repr(names)}`);
}

/** What is known of the file before anything is changed. */
export interface FoundPem {
  /** With links followed, if they are to be. */
  path: string;
  exists: boolean;
  /** A link stands there that is not to be followed. */
  isLink: boolean;
}

export interface PemCheck {
  changes: Args;
  /** It could be read: what is made anew is recreated. */
  isCurrent: boolean;
  /** The word for it where that cannot be told from `isCurrent`. */
  recreated?: boolean;
}

interface ManagedContent {
  /** `certificate`: for comments. */
  what: string;
  file: Args;
  encoding: string;
  isText: boolean;
  /** Throws if the arguments make no sense. */
  verify?(): void;
  check(found: FoundPem): Promise<PemCheck>;
  /** Throws if the content cannot be made of these arguments, whatever else a run does before. */
  refuse(changes: Args): void;
  /** Makes the content; bytes in base64 unless it is text. */
  make(changes: Args): Promise<string>;
}

async function fileManaged(context: StateContext, name: string, given: Args, test = false): Promise<StateReturn> {
  const dry = Object.create(context, {
    test: { value: true },
    opts: { value: { ...context.opts, test: true } },
  }) as StateContext;
  return await managed(test ? dry : context, { name, ...given });
}

function addSubState(context: StateContext, ret: StateReturn, sub: StateReturn): void {
  const low = { name: ret.name, state: "file", __id__: context.low.__id__, fun: "managed" };
  const list = (ret.sub_state_run ??= []) as StateReturn[];
  list.push({ ...sub, low });
}

/** True unless the file could not be managed; then the return says so. */
function isWritten(ret: StateReturn, sub: StateReturn, isCurrent: boolean): boolean {
  if (sub.result !== false) return true;
  ret.result = false;
  ret.comment = `Could not ${isCurrent ? "update" : "create"} file, see file.managed output`;
  ret.changes = {};
  return false;
}

/** Replaces the content of a file that is there, and leaves it its owner and mode. */
function writeBytes(context: StateContext, path: string, content: Uint8Array, backup: unknown): void {
  const { fs } = context.runtime;
  if (backup === "minion" || backup === "both") keepBackup(context, path);
  const { mode = 0o600, uid, gid } = fs.stat(path) ?? {};
  fs.write(path, content, { mode, ...(uid === undefined || gid === undefined ? {} : { owner: { uid, gid } }) });
}

function look(context: StateContext, name: string, file: Args): FoundPem {
  const { fs } = context.runtime;
  const link = isLink(fs, name);
  const follow = truthy(file.follow_symlinks ?? true);
  if (link && !follow && !context.test) fs.remove(name);
  const real = context.test ? realPath : pathToChange;
  const path = link && follow ? real(context.runtime, name) : name;
  return { path, exists: isFile(fs, path), isLink: link && !follow };
}

/** The state of a file whose content is made: `x509.*_managed`. */
export async function manageContent(
  context: StateContext,
  name: string,
  content: ManagedContent,
): Promise<StateReturn> {
  const ret = outcome(name, true, `The ${content.what} is in the correct state`);
  try {
    content.verify?.();
    const before = await fileManaged(context, name, { ...content.file, replace: false }, true);
    if (before.result === false) {
      Object.assign(ret, {
        result: false,
        comment: "Problem while testing file.managed changes, see its output",
      });
    }
    const isAbsent = String(before.comment).includes("is not present and is not set for creation");
    if (before.result === false || isAbsent) {
      addSubState(context, ret, before);
      return ret;
    }
    const found = look(context, name, content.file);
    const check = await content.check(found);
    const isChanged = Object.keys(check.changes).length > 0;
    if (!isChanged && Object.keys(before.changes).length === 0) {
      addSubState(context, ret, before);
      return ret;
    }
    if (isChanged) content.refuse(check.changes);
    ret.changes = check.changes;
    const verb = (check.recreated ?? check.isCurrent) && isChanged ? "recreated" : "created";
    if (context.test) {
      if (isChanged) ret.comment = `The ${content.what} would have been ${verb}`;
      ret.result = isChanged ? null : true;
      addSubState(context, ret, before);
      return ret;
    }
    if (isChanged) {
      const made = await content.make(check.changes);
      ret.comment = `The ${content.what} has been ${verb}`;
      return await write(context, ret, content, found.path, { made, isCurrent: check.isCurrent });
    }
    return await write(context, ret, content, found.path, { isCurrent: check.isCurrent });
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
    return outcome(name, false, error.message);
  }
}

async function write(
  context: StateContext,
  ret: StateReturn,
  { file, isText }: ManagedContent,
  path: string,
  { made, isCurrent }: { made?: string; isCurrent: boolean },
): Promise<StateReturn> {
  const contents = made !== undefined && isText ? { contents: made, replace: true } : { replace: false };
  const sub = await fileManaged(context, str(ret.name), { ...contents, ...file });
  addSubState(context, ret, sub);
  if (!isWritten(ret, sub, isCurrent) || made === undefined || isText) return ret;
  writeBytes(context, path, decodeBase64(new TextEncoder().encode(made)), file.backup);
  return ret;
}

/** What an earlier release of Salt called `digest`. */
export function digestOf(args: Args, { algorithm, ...kwargs }: Args): { digest: string; kwargs: Args } {
  return { digest: str(algorithm ?? args.digest), kwargs };
}
