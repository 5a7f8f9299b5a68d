import { messageOf } from "../../../base/errors.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { line as changeLine } from "../../modules/file/line.ts";
import { blockReplace, replace as replaceText } from "../../modules/file/replace.ts";
import { accumulatedTexts } from "./accumulated.ts";
import { managed } from "./managed.ts";
import { failed, type FileReturn, namedPath, unusableFile } from "./ret.ts";
import { pairedSources, templateTexts } from "./texts.ts";

function reported(context: StateContext, ret: FileReturn, changes: unknown, inTest: string): FileReturn {
  if (!truthy(changes)) return Object.assign(ret, { result: true, comment: "No changes needed to be made" });
  ret.changes.diff = changes;
  return Object.assign(
    ret,
    context.test ? { result: null, comment: inTest } : { result: true, comment: "Changes were made" },
  );
}

/** Modes of `file.line` that need no content. */
const WITHOUT_CONTENT = ["delete"];

export async function line(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, ret, refused } = namedPath(context, "line", args.name);
  if (refused !== undefined) return refused;
  const { create, user, group, file_mode: mode } = args;
  await managed(context, { name, create, user, group, mode, replace: false });
  const complaint = unusableFile(context, name);
  if (complaint !== undefined) return failed(ret, complaint);
  if (args.mode === null) return failed(ret, "Mode was not defined. How to process the file?");
  if (args.content === null && !WITHOUT_CONTENT.includes(str(args.mode).toLowerCase())) {
    return failed(ret, `Content can only be empty if mode is ${repr(WITHOUT_CONTENT)}`);
  }
  return reported(context, ret, changeLine(context, { ...args, path: name }), "Changes would be made");
}

/** `file.replace`: what a regular expression matches. */
export async function replace(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, ret, refused } = namedPath(context, "replace", args.name);
  if (refused !== undefined) return refused;
  const complaint = unusableFile(context, name);
  if (complaint !== undefined) {
    if (!truthy(args.ignore_if_missing) || !complaint.includes("file not found")) return failed(ret, complaint);
    return Object.assign(ret, { comment: "No changes needed to be made" });
  }
  const changes = await replaceText(context, {
    ...args,
    path: name,
    dry_run: context.test,
    search_only: false,
    preserve_inode: true,
  });
  return reported(context, ret, changes, "Changes would have been made");
}

/** `file.blockreplace`: what stands between two marker lines. */
export async function blockreplace(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, ret, refused } = namedPath(context, "blockreplace", args.name, { result: false });
  if (refused !== undefined) return refused;
  const sources = pairedSources(args);
  if (typeof sources === "string") return failed(ret, sources);
  const complaint = unusableFile(context, name);
  if (complaint !== undefined) return failed(ret, complaint);
  let content = args.content;
  for (const text of accumulatedTexts(context, name)) {
    content = content === "" ? text : `${str(content)}\n${str(text)}`;
  }
  if (sources.length > 0) {
    const texts = await templateTexts(context, sources, args);
    if (!Array.isArray(texts)) return texts;
    content = str(content) + texts.join("");
  }
  let changes: unknown;
  try {
    changes = await blockReplace(context, { ...args, path: name, content, dry_run: context.test });
  } catch (error) {
    context.log.error("cannot manage block", { path: name, error: messageOf(error) });
    ret.comment = `Encountered error managing block: ${messageOf(error)}. See the log for details.`;
    return ret;
  }
  return reported(context, ret, changes, "Changes would be made");
}
