import { fails, messageFor } from "./outcome.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { end, fail, StateEnd, stateFunction } from "../../model/loader/states.ts";
import { type Args, type KeywordArgs, str, truthy } from "../../language/python/values.ts";
import { exists, lookAt } from "../linux/paths.ts";
import { redacted } from "../modules/file/hash.ts";
import { type Extraction, readArguments } from "./archive/arguments.ts";
import { notedHash, noteHash } from "./archive/checksums.ts";
import { type ArchiveContents, compareContents, readContents } from "./archive/contents.ts";
import { clean, FailedProgram, refuseOutside, removePath, unpackArchive } from "./archive/extract.ts";
import { enforceOwnership, type OwnershipProblems } from "./archive/ownership.ts";

interface SourceSum {
  hash_type: string;
  hsum: string;
}

async function sumOf(context: StateContext, args: Args, source: string): Promise<SourceSum | undefined> {
  if (!truthy(args.source_hash)) return undefined;
  return await context.call("file.get_source_sum", [], {
    source,
    source_hash: args.source_hash,
    source_hash_name: args.source_hash_name,
    saltenv: context.saltenv,
  }).catch(fails("", messageFor(CommandExecutionError))) as SourceSum;
}

/** With `skip_files_list_verify`, an archive that has not changed since it was unpacked is not looked into. */
async function refuseUnchanged(
  context: StateContext,
  args: Args,
  { source, isLocal }: Extraction,
  sum: SourceSum | undefined,
): Promise<void> {
  if (!truthy(args.skip_files_list_verify) || sum === undefined) return;
  const found = isLocal ? source : await context.call("cp.is_cached", [source], { saltenv: context.saltenv });
  if (!truthy(found) || notedHash(context, str(found)) !== sum.hsum) return;
  end(
    context.test ? null : true,
    `Archive ${redacted(source)} existing source sum is the same as the expected one and skip_files_list_verify ` +
      "argument was set to True. Extraction is not needed",
  );
}

/** The archive on this host; a return if it cannot be had. */
async function fetched(
  context: StateContext,
  args: Args,
  { source, isLocal }: Extraction,
): Promise<string | StateReturn> {
  if (isLocal) return source;
  const shown = redacted(source);
  if (context.test) {
    end(
      null,
      `Archive ${shown} would be cached (if necessary) and checked to discover if extraction is needed`,
    );
  }
  const { source_hash, source_hash_name, skip_verify, use_etag } = args;
  const wanted = { name: source, source_hash, source_hash_name, skip_verify, saltenv: context.saltenv, use_etag };
  const ret = await context.callState("file.cached", { ...wanted, source_hash: source_hash ?? "" });
  if (ret.result !== true) return ret;
  return str(await context.call("cp.is_cached", [source], { saltenv: context.saltenv }));
}

/** Deals with paths that are something else than in the archive. @returns true if some were removed */
function clearWrong(
  context: StateContext,
  args: Args,
  { name }: Extraction,
  wrong: readonly string[],
  ret: StateReturn,
): boolean {
  if (wrong.length === 0) return false;
  const paths = `\n\n${wrong.map((path) => `- ${path}`).join("\n")}`;
  const found = `The below paths (relative to ${name}) exist, but are the incorrect type (file instead of directory, ` +
    "symlink instead of file, etc.).";
  if (context.test && truthy(args.clean)) {
    end(
      null,
      `${found} Since the 'clean' option is enabled, the destination paths would be cleared and the archive would be ` +
        `extracted.${paths}`,
    );
  }
  if (context.test && truthy(args.clean_parent)) {
    end(
      null,
      `${found} Since the 'clean_parent' option is enabled, the destination parent directory would be removed first ` +
        "and then re-created and the archive would be extracted",
    );
  }
  if (truthy(args.clean)) return false;
  if (!truthy(args.force)) {
    fail(
      `${found} To proceed with extraction, set 'force' to True. Note that this will remove these paths before ` +
        `extracting.${paths}`,
    );
  }
  for (const path of wrong) refuseOutside(context, name, path);
  // A dry run only says that it would unpack.
  if (!context.test) {
    for (const path of wrong) removePath(context, name, path);
    ret.changes.removed = wrong.map((path) => `${name}${path}`);
  }
  return true;
}

/** Why it is unpacked. */
interface Reasons {
  needed: boolean;
  missing: boolean;
  changed: boolean;
}

const explained = ({ changed, missing }: Reasons) =>
  changed ? ", due to source_hash update" : missing ? ", due to absence of one or more files/dirs" : "";

function reasonsOf(
  context: StateContext,
  args: Args,
  extraction: Extraction,
  contents: ArchiveContents,
  before: { noted: string | undefined; archive: string },
  ret: StateReturn,
): Reasons {
  const reasons: Reasons = { needed: truthy(args.overwrite), missing: false, changed: false };
  if (args.if_missing === null || !exists(context.runtime.fs, str(args.if_missing))) {
    const { missing, wrong } = compareContents(context, extraction.name, contents);
    reasons.missing = missing;
    reasons.needed ||= missing;
    if (clearWrong(context, args, extraction, wrong, ret)) reasons.needed = true;
  }
  if (!reasons.needed && truthy(args.source_hash_update) && before.noted !== undefined) {
    reasons.changed = notedHash(context, before.archive) !== before.noted;
    reasons.needed = reasons.changed;
  }
  return reasons;
}

async function checkHash(context: StateContext, source: string, sum: SourceSum): Promise<void> {
  if (truthy(await context.call("file.check_hash", [source, sum.hsum]))) return;
  fail(`${redacted(source)} does not match the desired source_hash ${sum.hsum}`);
}

/** Unpacks; notes what was made and removed in `ret`. */
async function extract(
  context: StateContext,
  args: Args,
  extraction: Extraction,
  { archive, contents, reasons }: { archive: string; contents: ArchiveContents; reasons: Reasons },
  ret: StateReturn,
): Promise<void> {
  const { name, source, trim } = extraction;
  const { fs } = context.runtime;
  if (truthy(args.clean_parent) && lookAt(fs, name.slice(0, -1), { follow: false }) !== undefined) {
    fs.remove(name.slice(0, -1), { recursive: true });
    ret.changes.removed = `Directory ${name} was removed prior to the extraction`;
  }
  if (truthy(args.clean)) clean(context, extraction, contents, ret);
  const { files, created } = await unpackArchive(context, args, extraction, archive);
  if (files.length === 0) fail(`No files were extracted from ${redacted(source)}`);
  if (created) ret.changes.directories_created = [name];
  ret.changes.extracted_files = files;
  const trimmed = trim === false ? "" : `. Output was trimmed to ${trim} number of lines`;
  ret.comment = `${redacted(source)} extracted to ${name}${explained(reasons)}${trimmed}`;
  ret.result = true;
}

function noteProblems(ret: StateReturn, { missing, failed }: OwnershipProblems, ifMissing: unknown): void {
  const list = (paths: string[]) => paths.map((path) => `\n- ${path}`).join("");
  if (missing.length > 0) {
    if (!truthy(ifMissing)) ret.result = false;
    ret.comment += `\n\nWhile trying to enforce user/group ownership, the following paths were missing:\n${
      list(missing)
    }`;
  }
  if (failed.length > 0) {
    ret.result = false;
    ret.comment += "\n\nWhile trying to enforce user/group ownership, Salt was unable to change ownership on the " +
      `following paths:\n${list(failed)}`;
  }
}

async function run(context: StateContext, args: KeywordArgs, ret: StateReturn): Promise<StateReturn> {
  const extraction = await readArguments(context, args);
  if (extraction.warnings.length > 0) ret.warnings = extraction.warnings;
  const { name, source, isLocal } = extraction;
  const sum = await sumOf(context, args, source);
  await refuseUnchanged(context, args, extraction, sum);
  if (truthy(args.clean) && truthy(args.clean_parent)) {
    fail("Only one of 'clean' and 'clean_parent' can be set to True");
  }
  const archive = await fetched(context, args, extraction);
  if (typeof archive !== "string") return archive;
  const noted = notedHash(context, archive);
  if (sum !== undefined && truthy(args.source_hash_update) && !truthy(args.skip_verify) && !context.test) {
    noteHash(context, archive);
  }
  const contents = await readContents(context, args, extraction, archive);
  const reasons = reasonsOf(context, args, extraction, contents, { noted, archive }, ret);
  if (reasons.needed) {
    if (isLocal && sum !== undefined && !truthy(args.skip_verify)) await checkHash(context, source, sum);
    if (context.test) {
      const cleaning = truthy(args.clean) ? ", after cleaning destination path(s)" : "";
      end(
        null,
        `Archive ${redacted(source)} would be extracted to ${name}${cleaning}${explained(reasons)}`,
      );
    }
    await extract(context, args, extraction, { archive, contents, reasons }, ret);
  } else {
    ret.result = true;
    ret.comment = "All files in archive are already present";
  }
  const problems = await enforceOwnership(
    context,
    extraction,
    contents,
    args.enforce_ownership_on as string | null,
    ret,
  );
  if (context.test && truthy(ret.changes["updated ownership"])) {
    ret.result = null;
    ret.comment += ". Ownership would be updated on one or more files/directories.";
  }
  noteProblems(ret, problems, args.if_missing);
  await forget(context, args, extraction, ret);
  return ret;
}

/** With `keep_source: False`, the archive goes from the cache. */
async function forget(context: StateContext, { kwargs }: KeywordArgs, extraction: Extraction, ret: StateReturn) {
  if (extraction.isLocal || truthy(kwargs.keep_source ?? kwargs.keep ?? true)) return;
  const done = await context.callState("file.not_cached", { name: extraction.source, saltenv: context.saltenv });
  if (!truthy(done.result)) ret.warnings = [...(ret.warnings as string[] | undefined) ?? [], str(done.comment)];
}

export const states: StateModule = {
  functions: {
    extracted: stateFunction({
      signature: `name, source, source_hash=None, source_hash_name=None, source_hash_update=False,
        skip_files_list_verify=False, skip_verify=False, password=None, options=None, list_options=None,
        force=False, overwrite=False, clean=False, clean_parent=False, user=None, group=None, if_missing=None,
        trim_output=False, use_cmd_unzip=None, extract_perms=True, enforce_toplevel=True, enforce_ownership_on=None,
        archive_format=None, use_etag=False, **kwargs`,
      doc: "What is in the archive (tar, zip, rar) is in the directory; it is unpacked if something is missing.",
      async run(context, args) {
        const ret: StateReturn = { name: args.name, result: false, changes: {}, comment: "" };
        try {
          return await run(context, args, ret);
        } catch (error) {
          if (error instanceof StateEnd) return { ...ret, ...error.ret };
          if (error instanceof FailedProgram) {
            const { outcome } = error;
            const comment = `Cannot extract ${redacted(str(args.source))} to ${str(args.name)}: ${
              str(outcome.stderr).trim()
            }`;
            return { ...ret, comment, changes: outcome };
          }
          throw error;
        }
      },
    }),
  },
};
