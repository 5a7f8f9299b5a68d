import { fails, messageFor } from "../outcome.ts";
import { joinPath } from "../../../base/paths.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { fail, type StateContext } from "../../../model/loader/states.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { lookAt } from "../../linux/paths.ts";
import { redacted } from "../../modules/file/hash.ts";
import type { Extraction } from "./arguments.ts";

/** What `archive.list` says. */
export interface ArchiveContents {
  dirs: string[];
  files: string[];
  links: string[];
  top_level_dirs: string[];
  top_level_files: string[];
  top_level_links: string[];
}

/** How many directories the options of tar take from the names. */
function stripped({ format, options = "" }: Extraction): number | null {
  const [, count] = /--strip(?:-components)?(?:\s+|=)["']?(\d+)["']?/.exec(options) ?? [];
  return format === "tar" && count !== undefined ? Number(count) : null;
}

async function refuseEncrypted(context: StateContext, archive: string, { source }: Extraction, options: object) {
  let encrypted: unknown = false;
  try {
    encrypted = await context.call("archive.is_encrypted", [archive], { saltenv: context.saltenv, ...options });
  } catch (error) {
    // What cannot be read is reported by the listing.
    if (!(error instanceof CommandExecutionError)) throw error;
  }
  if (!truthy(encrypted)) return;
  fail(
    `Archive ${redacted(source)} is password-protected, but no password was specified. Please set the 'password' ` +
      "argument.",
  );
}

/** What is in the archive. @throws {StateEnd} if that cannot be known, or may not be unpacked */
export async function readContents(
  context: StateContext,
  args: Args,
  extraction: Extraction,
  archive: string,
): Promise<ArchiveContents> {
  const { format, name } = extraction;
  const options = { clean: false, use_etag: args.use_etag };
  if (format === "zip" && !truthy(args.password)) await refuseEncrypted(context, archive, extraction, options);
  const contents = await context.call("archive.list", [archive], {
    archive_format: format,
    options: args.list_options,
    strip_components: stripped(extraction),
    verbose: true,
    ...options,
  }).catch(fails("", (error) => unlisted(messageFor(CommandExecutionError)(error), args, format))) as ArchiveContents;
  if (truthy(args.enforce_toplevel) && (contents.top_level_dirs.length > 1 || contents.top_level_files.length > 0)) {
    fail(
      "Archive does not have a single top-level directory. To allow this archive to be extracted, set " +
        `'enforce_toplevel' to False. To avoid a '${format}-bomb' it may also be advisable to set a top-level directory ` +
        `by adding it to the 'name' value (for example, setting 'name' to ${name}some_dir instead of ${name}).`,
    );
  }
  return contents;
}

function unlisted(message: string, args: Args, format: string): string {
  const errors = [
    ...(truthy(args.if_missing) ? [] : ["'if_missing' must be set"]),
    ...(!truthy(args.enforce_ownership_on) && (truthy(args.user) || truthy(args.group))
      ? ["Ownership cannot be managed without setting 'enforce_ownership_on'."]
      : []),
  ];
  if (errors.length === 0) return message;
  const advice = format === "tar"
    ? "If the source archive is a tar archive compressed using a compression type not natively supported by the tar " +
      "command, then setting the 'list_options' argument may allow the contents to be listed. Otherwise, if Salt is " +
      "unable to determine the files/directories in the archive, the following workaround(s) would need to be used for " +
      "this state to proceed"
    : "The following workarounds must be used for this state to proceed";
  const lines = errors.map((error) => `\n- ${error}`).join("");
  return `${message}\n\n${advice} (assuming the source file is a valid ${format} archive):\n${lines}`;
}

/** What of an archive is not there, or is something else. */
export function compareContents(
  context: StateContext,
  name: string,
  contents: ArchiveContents,
): { missing: boolean; wrong: string[] } {
  const kinds: [string[], (kind: FileStat["kind"]) => boolean][] = [
    [contents.dirs, (kind) => kind === "directory"],
    [contents.files, (kind) => kind !== "directory" && kind !== "symlink"],
    [contents.links, (kind) => kind === "symlink"],
  ];
  let missing = false;
  const wrong: string[] = [];
  for (const [paths, fits] of kinds) {
    for (const path of paths) {
      const stat = lookAt(context.runtime.fs, joinPath(name, path).replace(/\/+$/, ""), { follow: false });
      if (stat === undefined) missing = true;
      else if (!fits(stat.kind)) wrong.push(path);
    }
  }
  return { missing, wrong };
}
