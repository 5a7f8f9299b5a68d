import type { Arguments } from "../../model/loader/signature.ts";
import type { StateContext, StateFunction, StateModule, StateReturn } from "../../model/loader/states.ts";
import { stateFunction } from "../../model/loader/states.ts";
import { accumulated } from "./file/accumulated.ts";
import { append, prepend } from "./file/added.ts";
import { cached, notCached } from "./file/cached.ts";
import { runCheckCmd } from "./file/check_cmd.ts";
import { comment, uncomment } from "./file/comment.ts";
import { copy, rename } from "./file/copy.ts";
import { DIRECTORY_SIGNATURE, manageDirectory } from "./file/directory.ts";
import { blockreplace, line, replace } from "./file/edits.ts";
import { keyvalue } from "./file/keyvalue.ts";
import { hardlink, symlink } from "./file/links.ts";
import { manage, MANAGED_SIGNATURE } from "./file/managed.ts";
import { patch } from "./file/patch.ts";
import { absent, exists, missing, pruned, touch } from "./file/presence.ts";
import { recurse } from "./file/recurse.ts";
import { retentionSchedule } from "./file/retention.ts";
import { serialize } from "./file/serialize.ts";
import { decode, mknod, watchedByBeacon } from "./file/special.ts";
import { tidied } from "./file/tidied.ts";

const fun = <S extends string>(
  signature: S,
  doc: string,
  run: (context: StateContext, args: Arguments<S>) => ReturnType<StateFunction["run"]>,
) => stateFunction({ signature, doc, run });

const WINDOWS = "win_owner=None, win_perms=None, win_deny_perms=None, win_inheritance=None";
const SOURCES = `source=None, source_hash=None, template='jinja', sources=None, source_hashes=None, defaults=None,
  context=None`;

/** Files, directories and links. Parameters `win_…` are taken and mean nothing here. */
export const states: StateModule = {
  functions: {
    managed: fun(MANAGED_SIGNATURE, "A file has a content, an owner and a mode.", manage),
    directory: fun(
      DIRECTORY_SIGNATURE,
      "A directory has an owner and a mode, as may have what is below.",
      manageDirectory,
    ),
    recurse: fun(
      `name, source, keep_source=True, clean=False, require=None, user=None, group=None, dir_mode=None,
        file_mode=None, sym_mode=None, template=None, context=None, replace=True, defaults=None,
        include_empty=False, backup='', include_pat=None, exclude_pat=None, maxdepth=None, keep_symlinks=False,
        force_symlinks=False, win_owner=None, win_perms=None, win_deny_perms=None, win_inheritance=True, **kwargs`,
      "A directory of the file server is copied with everything below.",
      recurse,
    ),
    absent: fun("name, **kwargs", "There is no such file, link or directory.", absent),
    exists: fun("name, **kwargs", "The path exists; it is not created.", exists),
    missing: fun("name, **kwargs", "The path does not exist; it is not removed.", missing),
    touch: fun(
      "name, atime=None, mtime=None, makedirs=False",
      "A file exists, with times: now, or those given.",
      touch,
    ),
    symlink: fun(
      `name, target, force=False, backupname=None, makedirs=False, user=None, group=None, mode=None, ${WINDOWS},
        atomic=False, disallow_copy_and_unlink=False, inherit_user_and_group=False, **kwargs`,
      "A symbolic link has a target and an owner.",
      symlink,
    ),
    hardlink: fun(
      "name, target, force=False, makedirs=False, user=None, group=None, dir_mode=None, **kwargs",
      "A file has a second name.",
      hardlink,
    ),
    copy: fun(
      `name, source, force=False, makedirs=False, preserve=False, user=None, group=None, mode=None, dir_mode=None,
        subdir=False, **kwargs`,
      "A file or directory of this host is copied, unless there is one.",
      copy,
    ),
    rename: fun("name, source, force=False, makedirs=False, **kwargs", "A file of this host has another name.", rename),
    line: fun(
      `name, content=None, match=None, mode=None, location=None, before=None, after=None, show_changes=True,
        backup=False, quiet=False, indent=True, create=False, user=None, group=None, file_mode=None`,
      "One line of a file is there, is replaced or is gone.",
      line,
    ),
    replace: fun(
      `name, pattern, repl, count=0, flags=8, bufsize=1, append_if_not_found=False, prepend_if_not_found=False,
        not_found_content=None, backup='.bak', show_changes=True, ignore_if_missing=False, backslash_literal=False,
        encoding=None`,
      "What a regular expression matches in a file is replaced.",
      replace,
    ),
    keyvalue: fun(
      `name, key=None, value=None, key_values=None, separator='=', append_if_not_found=False,
        prepend_if_not_found=False, search_only=False, show_changes=True, ignore_if_missing=False, count=1,
        uncomment=None, key_ignore_case=False, value_ignore_case=False`,
      "Lines of a file set keys to values.",
      keyvalue,
    ),
    blockreplace: fun(
      `name, marker_start='#-- start managed zone --', marker_end='#-- end managed zone --', ${SOURCES},
        content='', append_if_not_found=False, prepend_if_not_found=False, backup='.bak', show_changes=True,
        append_newline=None, insert_before_match=None, insert_after_match=None`,
      "The lines between two marker lines are those given.",
      blockreplace,
    ),
    comment: fun(
      "name, regex, char='#', backup='.bak', ignore_missing=False, encoding=None, encoding_errors='strict'",
      "Lines that match are commented out.",
      comment,
    ),
    uncomment: fun("name, regex, char='#', backup='.bak'", "Lines that match are not commented out.", uncomment),
    append: fun(
      `name, text=None, makedirs=False, ${SOURCES}, ignore_whitespace=True, encoding=None, encoding_errors='strict'`,
      "A file has lines, which are added at its end.",
      append,
    ),
    prepend: fun(
      `name, text=None, makedirs=False, ${SOURCES}, header=None, encoding=None, encoding_errors='strict'`,
      "A file has lines, which are added at its start.",
      prepend,
    ),
    accumulated: fun("name, filename, text, **kwargs", "Texts are collected for a file of another state.", accumulated),
    patch: fun(
      `name, source=None, source_hash=None, source_hash_name=None, skip_verify=False, template=None, context=None,
        defaults=None, options='', reject_file=None, strip=None, saltenv=None, **kwargs`,
      "A file or directory has a patch applied, by the program patch.",
      patch,
    ),
    serialize: fun(
      `name, dataset=None, dataset_pillar=None, user=None, group=None, mode=None, backup='', makedirs=False,
        show_changes=True, create=True, merge_if_exists=False, encoding=None, encoding_errors='strict',
        serializer=None, serializer_opts=None, deserializer_opts=None, **kwargs`,
      "A file has data in a format: yaml, json, python, configparser, keyvalue, plist or msgpack.",
      serialize,
    ),
    mknod: fun(
      "name, ntype, major=0, minor=0, user=None, group=None, mode='0600'",
      "A device (c or b) or a named pipe (p) exists.",
      mknod,
    ),
    decode: fun(
      "name, encoded_data=None, contents_pillar=None, encoding_type='base64', checksum='md5'",
      "A file has the bytes that a base64 text encodes.",
      decode,
    ),
    tidied: fun(
      `name, age=0, matches=None, rmdirs=False, size=0, exclude=None, full_path_match=False, followlinks=False,
        time_comparison='atime', age_size_logical_operator='OR', age_size_only=None, rmlinks=True, **kwargs`,
      "Old or large files below a directory are removed.",
      tidied,
    ),
    retention_schedule: fun(
      "name, retain, strptime_format=None, timezone=None",
      "Of backups in a directory, those that a schedule keeps are left.",
      retentionSchedule,
    ),
    pruned: fun(
      "name, recurse=False, ignore_errors=False, older_than=None",
      "A directory is removed if it is empty; with `recurse` the empty ones below, too.",
      pruned,
    ),
    cached: fun(
      "name, source_hash='', source_hash_name=None, skip_verify=False, saltenv='base', use_etag=False",
      "The minion's cache has a file.",
      cached,
    ),
    not_cached: fun("name, saltenv='base'", "The minion's cache does not have a file.", notCached),
    // With this function states of files judge `check_cmd` themselves.
    mod_run_check_cmd: fun(
      "cmd, filename, **check_cmd_opts",
      "Runs a command on a file; what the return says if it fails, else True.",
      async (context, { cmd, filename, check_cmd_opts: options }) =>
        await runCheckCmd(
          context,
          cmd,
          filename as string,
          options,
        ) as unknown as StateReturn,
    ),
  },
  modBeacon: watchedByBeacon,
};
