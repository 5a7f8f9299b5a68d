import type { StateContext } from "../../../model/loader/states.ts";
import { messageOf } from "../../../base/errors.ts";
import { basename, join } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import { manageFile } from "../../modules/file/manage.ts";
import { temporaryPath } from "../../host_files.ts";
import { copy } from "../../modules/file/tree.ts";
import type { Plan } from "./plan.ts";
import { failed, type FileReturn } from "./ret.ts";

/** Runs the command that is to judge a file, with its path as the last word. @returns what the return says if it fails */
export async function runCheckCmd(context: StateContext, command: unknown, path: string, options: Args = {}) {
  const { retcode, stdout, stderr } = await context.call(
    "cmd.run_all",
    [`${str(command)} ${path}`],
    options,
  ) as { retcode: number; stdout: unknown; stderr: unknown };
  if (retcode === 0) return true;
  const lines = ["check_cmd execution failed", ...[stdout, stderr].filter(truthy).map(str)];
  return { comment: lines.join("\n"), skip_watch: true, result: false };
}

/** A new empty file that nobody else can read, in a directory for temporary files unless another is named. */
function emptyFile({ runtime }: StateContext, directory: unknown, suffix: unknown): string {
  const usual = temporaryPath(runtime, str(suffix));
  const path = truthy(directory) ? join(str(directory), basename(usual)) : usual;
  runtime.fs.write(path, "", { how: "create", mode: 0o600 });
  return path;
}

/**
 * Makes the file under another name first, and lets `check_cmd` judge it there.
 *
 * @returns the failed return if the command does not accept it
 */
export async function checkedCopy({ context, name, ret, args }: Plan): Promise<FileReturn | undefined> {
  const { fs } = context.runtime;
  const path = emptyFile(context, args.tmp_dir, args.tmp_ext);
  try {
    if (isFile(fs, name)) await copy(context, { src: name, dst: path });
    let changes: Args;
    try {
      changes = (await manageFile(context, { ...args, name: path, backup: "", ret: { ...ret, changes: {} } })).changes;
    } catch (error) {
      ret.changes = {};
      return failed(ret, `Unable to check_cmd file: ${messageOf(error)}`);
    }
    if (Object.keys(changes).length === 0) return undefined;
    const options = "shell" in context.grains ? { shell: context.grains.shell } : {};
    const judged = await runCheckCmd(context, args.check_cmd, path, options);
    return judged === true ? undefined : Object.assign(ret, judged);
  } finally {
    fs.remove(path);
  }
}
