import type { Args } from "../../model/loader/signature.ts";
import { globPaths } from "../../model/config/glob_paths.ts";
import type { JobContext } from "../../model/loader/context.ts";
import {
  CommandExecutionError,
  exampledFunctions,
  type ExecutionModule,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { Tuple } from "../../language/python/containers.ts";
import { basename, dirname, join, normpath } from "../../language/python/posixpath.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { programPath, runAll } from "../commands.ts";
import { checkProgramPath, exists, isDirectory, isFile, isLink } from "../linux/paths.ts";
import { listAttributes, optionWords, runChattr, selinuxContext, setSelinuxContext } from "./file/attributes.ts";
import { deleteBackup, listBackups, listBackupsDir, restoreBackup } from "./file/backup.ts";
import { checkFileMeta, checkManaged, checkManagedChanges } from "./file/check_managed.ts";
import {
  append,
  contains,
  containsGlob,
  containsRegex,
  prepend,
  read,
  refuseEndless,
  seekRead,
  seekWrite,
  touch,
  truncate,
  write,
} from "./file/content.ts";
import { getDiff } from "./file/difference.ts";
import { find } from "./file/find.ts";
import { checkHash, extractHash, hashFile, sourceSum } from "./file/hash.ts";
import { line } from "./file/line.ts";
import { manageFile } from "./file/manage.ts";
import { getManaged, renderedContents, sourceList } from "./file/managed_source.ts";
import { makeNode, mknod, openFiles, statvfs } from "./file/nodes.ts";
import { checkPerms } from "./file/perms.ts";
import { searchFor } from "./file/regexp.ts";
import { blockReplace, commentLine, psed, replace, search, sedCommand, sedEscape } from "./file/replace.ts";
import {
  access,
  chown,
  deviceNumbers,
  gidToGroup,
  groupToGid,
  isKind,
  lchown,
  lstat,
  pathOf,
  setMode,
  stats,
  uidToUser,
  userToUid,
} from "./file/stats.ts";
import {
  copy,
  diskusage,
  isHardlink,
  link,
  makeDirectory,
  makedirs,
  mkdir,
  move,
  readdir,
  readlink,
  remove,
  rename,
  rmdir,
  symlink,
} from "./file/tree.ts";

const fun = exampledFunctions("file");

async function sed(context: JobContext, args: Args): Promise<unknown> {
  const path = pathOf(context, args.path);
  if (!exists(context.runtime.fs, path)) return false;
  checkProgramPath(context, path);
  const { limit, before, after } = sedCommand(args);
  const negate = truthy(args.negate_match) ? "!" : "";
  return await runAll(context, [
    "sed",
    truthy(args.backup) ? `-i${str(args.backup)}` : "-i",
    ...optionWords(args.options),
    `${limit === "" ? "" : `/${limit}/ `}${negate}s/${before}/${after}/${str(args.flags)}`,
    path,
  ]);
}

async function sedContains(context: JobContext, args: Args): Promise<boolean> {
  const path = pathOf(context, args.path);
  if (!exists(context.runtime.fs, path)) return false;
  const [before, limit] = [sedEscape(str(args.text), false), sedEscape(str(args.limit), false)];
  const script = `${limit === "" ? "" : `/${limit}/ `}s/${before}/$/p${str(args.flags)}`;
  return truthy(await context.call("cmd.run", [["sed", "-n", "-r", "-e", script, path]], { python_shell: false }));
}

async function grep(context: JobContext, args: Args): Promise<unknown> {
  const path = pathOf(context, args.path);
  const found = globPaths(context.runtime.fs, path);
  const options = (args.opts as unknown[]).flatMap((option) => {
    const words = optionWords(option);
    if (words.length > 1) {
      throw new SaltInvocationError(
        "Passing multiple command line arguments in a single string is not supported, please pass the following " +
          `arguments separately: ${str(option)}`,
      );
    }
    return words;
  });
  for (const file of found.length === 0 ? [path] : found) refuseEndless(context.runtime.fs, file);
  return await runAll(context, ["grep", ...options, str(args.pattern), ...(found.length === 0 ? [path] : found)]);
}

async function patch(context: JobContext, args: Args): Promise<unknown> {
  const program = programPath(context, "patch");
  if (program === undefined) {
    throw new CommandExecutionError("patch executable not found. Is the distribution's patch package installed?");
  }
  const original = str(args.originalfile);
  const options = Array.isArray(args.options) ? args.options.map(str) : optionWords(args.options);
  checkProgramPath(context, original);
  const words = [program, ...options];
  if (truthy(args.dry_run)) words.push("--dry-run");
  if (!words.includes("-N") && !words.includes("--forward")) words.push("--forward");
  // Rejected pieces would be left beside the file.
  if (!words.some((word) => word === "-r" || word.startsWith("--reject-file"))) words.push("--reject-file=-");
  words.push("-i", str(args.patchfile));
  if (isDirectory(context.runtime.fs, original)) {
    words.push("-d", original);
    if (!words.some((word) => word.startsWith("-p") || word.startsWith("--strip="))) words.push("--strip=0");
  } else words.push(original);
  return await runAll(context, words);
}

const COMMENT = "backup='.bak'";
const SELINUX = "seuser=None, serole=None, setype=None, serange=None";

/** Files and directories. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "win32"
      ? {
        unavailable:
          "The file execution module cannot be loaded: only available on non-Windows systems - use win_file instead.",
      }
      : true,
  functions: {
    // Reading and writing.
    read: fun(
      "path: str, binary=False",
      "The text of a file, or its bytes with `binary`.",
      "read /etc/hostname",
      (context, { path, binary }) => read(context, path, binary),
    ),
    write: fun(
      "path, *args, **kwargs",
      "Replaces the content of a file with lines: one per argument, or a list in `args`.",
      `write /etc/motd args='["Hello", "there"]'`,
      write,
    ),
    append: fun(
      "path, *args, **kwargs",
      "Adds lines to the end of an existing file.",
      "append /etc/motd 'With all thine offerings thou shalt offer salt.'",
      append,
    ),
    prepend: fun(
      "path, *args, **kwargs",
      "Adds lines to the start of an existing file.",
      "prepend /etc/motd 'Read this first.'",
      prepend,
    ),
    touch: fun(
      "name, atime=None, mtime=None",
      "Creates a file, or sets the times of an existing one: to now, or to seconds since 1970.",
      "touch /var/log/emptyfile",
      touch,
    ),
    truncate: fun(
      "path, length",
      "Truncates a file to a number of bytes.",
      "truncate /path/to/file 512",
      (context, { path, length }) => truncate(context, pathOf(context, path), length),
    ),
    seek_read: fun(
      "path, size, offset",
      "Reads bytes from an offset of a file.",
      "seek_read /path/to/file 4096 0",
      (context, { path, size, offset }) => seekRead(context, pathOf(context, path), size, offset),
    ),
    seek_write: fun(
      "path, data, offset",
      "Writes at an offset of a file; returns the number of bytes.",
      "seek_write /path/to/file 'some data' 4096",
      (context, { path, data, offset }) => seekWrite(context, pathOf(context, path), data, offset),
    ),

    // Searching in a file.
    contains: fun(
      "path, text",
      "True if a file contains a text; white space around the text is ignored.",
      "contains /etc/crontab 'mymaintenance.sh'",
      (context, { path, text }) => contains(context, pathOf(context, path), text),
    ),
    contains_regex: fun(
      "path, regex, lchar: str=''",
      "True if a regular expression matches in a line; characters of `lchar` are first removed from the start of each line.",
      "contains_regex /etc/crontab '^root'",
      (context, { path, regex, lchar }) => containsRegex(context, pathOf(context, path), searchFor(regex), lchar),
    ),
    contains_glob: fun(
      "path, glob_expr",
      "True if a shell pattern matches the whole content of a file.",
      "contains_glob /etc/foobar '*cheese*'",
      (context, { path, glob_expr: glob }) => containsGlob(context, pathOf(context, path), glob),
    ),
    search: fun(
      "path, pattern, flags=8, bufsize=1, ignore_if_missing=False, multiline=False",
      "True if a regular expression matches in a file.",
      "search /etc/crontab 'mymaintenance.sh'",
      search,
    ),
    grep: fun(
      "path, pattern, *opts",
      "Runs grep on a file. Options of grep are separate arguments, after a double dash.",
      "grep /etc/passwd nobody -- -i -B2",
      grep,
    ),
    find: fun(
      "path, *args, **kwargs",
      "Finds files below a path, which may be a glob. Tests: name, iname, regex, iregex, type (bcdflps), owner, group, " +
        "size (+5k, -1m), mtime (-1d, 2w), grep, mindepth, maxdepth. Actions: print (name, path, size, type, mode, " +
        "mtime, user, group, md5), delete (types), exec (a command with {}).",
      "find /var/log name='*.log' size=+10m",
      find,
    ),

    // Changing the content of a file.
    replace: fun(
      `path, pattern, repl, count=0, flags=8, bufsize=1, append_if_not_found=False, prepend_if_not_found=False,
        not_found_content=None, ${COMMENT}, dry_run=False, search_only=False, show_changes=True,
        ignore_if_missing=False, preserve_inode=True, backslash_literal=False, encoding=None`,
      "Replaces the matches of a regular expression; returns the changes. \\1 and \\g<name> stand for its groups.",
      "replace /etc/httpd/httpd.conf pattern='LogLevel warn' repl='LogLevel info'",
      replace,
    ),
    blockreplace: fun(
      `path, marker_start='#-- start managed zone --', marker_end='#-- end managed zone --', content='',
        append_if_not_found=False, prepend_if_not_found=False, ${COMMENT}, dry_run=False, show_changes=True,
        append_newline=False, insert_before_match=None, insert_after_match=None`,
      "Replaces the lines between two marker lines; returns the changes.",
      "blockreplace /etc/hosts content='10.0.1.2 web' append_newline=True append_if_not_found=True",
      blockReplace,
    ),
    line: fun(
      `path, content=None, match=None, mode=None, location=None, before=None, after=None, show_changes=True,
        backup=False, quiet=False, indent=True`,
      "Changes one line. Modes: ensure and insert, by `before`, `after` or `location` (start, end); replace and " +
        "delete, by `match`.",
      "line /etc/nsswitch.conf 'networks: files dns' after='hosts:.*' mode=ensure",
      line,
    ),
    comment_line: fun(
      `path, regex, char='#', cmnt=True, ${COMMENT}`,
      "Comments out the lines that a regular expression matches, or with cmnt=False removes the comment characters.",
      "comment_line /etc/modules '^pcspkr' cmnt=True",
      commentLine,
    ),
    comment: fun(
      `path, regex, char='#', ${COMMENT}`,
      "Comments out the lines that a regular expression matches.",
      "comment /etc/modules '^pcspkr'",
      (context, args) => commentLine(context, { ...args, cmnt: true }),
    ),
    uncomment: fun(
      `path, regex, char='#', ${COMMENT}`,
      "Removes the comment character from the lines that a regular expression matches.",
      "uncomment /etc/hosts.deny 'ALL: PARANOID'",
      (context, args) => commentLine(context, { ...args, cmnt: false }),
    ),
    sed: fun(
      "path, before, after, limit='', backup='.bak', options='-r -e', flags='g', escape_all=False, negate_match=False",
      "Replaces text in a file with the program sed.",
      "sed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
      sed,
    ),
    sed_contains: fun(
      "path, text, limit='', flags='g'",
      "True if the program sed finds a regular expression in a file.",
      "sed_contains /etc/crontab 'mymaintenance.sh'",
      sedContains,
    ),
    psed: fun(
      "path, before, after, limit='', backup='.bak', flags='gMS', escape_all=False, multi=False",
      "Replaces the matches of a regular expression without the program sed. file.replace can do more.",
      "psed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
      psed,
    ),
    patch: fun(
      "originalfile, patchfile, options='', dry_run=False",
      "Applies a patch to a file or directory with the program patch.",
      "patch /opt/file.txt /tmp/file.txt.patch",
      patch,
    ),

    // Names, links and directories.
    copy: fun(
      "src, dst, recurse=False, remove_existing=False",
      "Copies a file, or with `recurse` a directory, which may exist at the destination.",
      "copy /path/to/src /path/to/dst",
      copy,
    ),
    move: fun(
      "src, dst, disallow_copy_and_unlink=False",
      "Moves a file or directory, also to another file system.",
      "move /path/to/src /path/to/dst",
      move,
    ),
    rename: fun(
      "src, dst",
      "Renames a file or directory within its file system.",
      "rename /path/to/src /path/to/dst",
      (context, { src, dst }) => rename(context, src, dst),
    ),
    remove: fun(
      "path, **kwargs",
      "Removes a file, or a directory with all below it.",
      "remove /tmp/foo",
      (context, { path }) => remove(context, path),
    ),
    rmdir: fun(
      "path, recurse=False, verbose=False, older_than=None",
      "Removes an empty directory; with `recurse` also the empty ones below it. `older_than`: only if unchanged for as many days.",
      "rmdir /tmp/foo/",
      rmdir,
    ),
    mkdir: fun(
      "dir_path, user=None, group=None, mode=None",
      "Creates a directory and its parents.",
      "mkdir /opt/jetty/context",
      mkdir,
    ),
    makedirs: fun(
      "path, user=None, group=None, mode=None",
      "Creates the parent directories of a path; its last part, too, if it ends with a slash.",
      "makedirs /opt/code/",
      makedirs,
    ),
    makedirs_perms: fun(
      "name, user=None, group=None, mode='0755'",
      "Creates a directory and its parents, all with the given owner and mode.",
      "makedirs_perms /opt/code",
      async (context, { name, user, group, mode }) => {
        await makeDirectory(context, name, { user, group, mode });
        return null;
      },
    ),
    link: fun(
      "src, path: str",
      "Creates a hard link to a file.",
      "link /path/to/file /path/to/link",
      (context, { src, path }) => link(context, src, path),
    ),
    symlink: fun(
      "src, path, force=False, atomic=False",
      "Creates a symbolic link. `force` replaces an existing file, `atomic` does so in one step.",
      "symlink /path/to/file /path/to/link",
      symlink,
    ),
    readlink: fun(
      "path, canonicalize=False",
      "The target of a symbolic link; with `canonicalize`, after following every link.",
      "readlink /path/to/link",
      (context, { path, canonicalize }) => readlink(context, path, canonicalize),
    ),
    is_link: fun(
      "path",
      "True for a symbolic link.",
      "is_link /path/to/link",
      (context, { path }) => isLink(context.runtime.fs, pathOf(context, path)),
    ),
    is_hardlink: fun(
      "path",
      "True for a file with more than one name.",
      "is_hardlink /path/to/link",
      (context, { path }) => isHardlink(context, path),
    ),
    readdir: fun(
      "path",
      "The names in a directory, itself and the one above it among them.",
      "readdir /path/to/directory/",
      (context, { path }) => readdir(context, path),
    ),
    diskusage: fun(
      "path: str",
      "The bytes of all files below a directory.",
      "diskusage /path/to/check",
      (context, { path }) => diskusage(context, path),
    ),
    file_exists: fun(
      "path",
      "True if there is a file.",
      "file_exists /etc/passwd",
      (context, { path }) => isFile(context.runtime.fs, pathOf(context, path)),
    ),
    directory_exists: fun(
      "path",
      "True if the directory exists.",
      "directory_exists /etc",
      (context, { path }) => isDirectory(context.runtime.fs, pathOf(context, path)),
    ),
    path_exists_glob: fun(
      "path",
      "True if a shell pattern matches at least one path.",
      "path_exists_glob '/etc/pass*'",
      (context, { path }) => globPaths(context.runtime.fs, pathOf(context, path)).length > 0,
    ),

    // Paths as text.
    basename: fun(
      "path: str",
      "The last part of a path.",
      "basename 'test/test.config'",
      (_context, { path }) => basename(path),
    ),
    dirname: fun("path: str", "A path without its last part.", "dirname 'test/path/filename.config'", (
      _context,
      { path },
    ) => dirname(path)),
    join: fun("*args", "Parts of a path joined.", "join '/' 'usr' 'local'", (_context, { args }) => {
      const [first, ...rest] = args.map(str);
      if (first === undefined) throw new InvalidArgumentsError("join() missing 1 required positional argument: 'a'");
      return join(first, ...rest);
    }),
    normpath: fun("path: str", "A path without dots and doubled slashes.", "normpath 'a/b/c/..'", (
      _context,
      { path },
    ) => normpath(path)),
    pardir: fun("", "The name of the directory above.", "pardir", () => ".."),

    // Type, owner and mode of a file.
    stats: fun(
      "path, hash_type=None, follow_symlinks=True",
      "Owner, times, size, mode and type of a file; with `hash_type` also its hash.",
      "stats /etc/passwd",
      (context, { path, hash_type: hash, follow_symlinks: follow }) => stats(context, path, hash, follow),
    ),
    lstat: fun(
      "path",
      "The fields of lstat(2) of a file; links are not followed.",
      "lstat /path/to/file",
      (context, { path }) => lstat(context, path),
    ),
    statvfs: fun("path", "The state of the file system that a path is on.", "statvfs /path/to/file", (
      context,
      { path },
    ) => statvfs(context, path)),
    access: fun(
      "path, mode",
      "True if the minion may access a file: f (it exists), r, w or x.",
      "access /path/to/file f",
      (context, { path, mode }) => access(context, path, mode),
    ),
    get_mode: fun("path, follow_symlinks=True", "The mode of a file.", "get_mode /etc/passwd", (
      context,
      { path, follow_symlinks: follow },
    ) => stats(context, path, null, follow).mode),
    set_mode: fun("path, mode", "Sets the mode of a file.", "set_mode /etc/passwd 0644", (
      context,
      { path, mode },
    ) => setMode(context, path, mode)),
    get_user: fun("path, follow_symlinks=True", "The user that owns a file.", "get_user /etc/passwd", (
      context,
      { path, follow_symlinks: follow },
    ) => stats(context, path, null, follow).user),
    get_uid: fun("path, follow_symlinks=True", "The id of the user that owns a file.", "get_uid /etc/passwd", (
      context,
      { path, follow_symlinks: follow },
    ) => stats(context, path, null, follow).uid),
    get_group: fun("path, follow_symlinks=True", "The group that owns a file.", "get_group /etc/passwd", (
      context,
      { path, follow_symlinks: follow },
    ) => stats(context, path, null, follow).group),
    get_gid: fun(
      "path, follow_symlinks=True",
      "The id of the group that owns a file.",
      "get_gid /etc/passwd",
      (context, { path, follow_symlinks: follow }) => stats(context, path, null, follow).gid,
    ),
    chown: fun(
      "path, user, group",
      "Changes the owner of a file; returns an error message if that fails.",
      "chown /etc/passwd root root",
      (context, { path, user, group }) => chown(context, path, user, group),
    ),
    lchown: fun(
      "path, user, group",
      "Changes the owner of a file; of a link, the owner of the link itself.",
      "lchown /etc/passwd root root",
      (context, { path, user, group }) => lchown(context, path, user, group),
    ),
    chgrp: fun("path, group", "Changes the group that owns a file.", "chgrp /etc/passwd root", (
      context,
      { path, group },
    ) => chown(context, path, stats(context, path).user, group)),
    user_to_uid: fun(
      "user",
      "The id of a user.",
      "user_to_uid root",
      (context, { user }) => userToUid(context, user),
    ),
    uid_to_user: fun(
      "uid",
      "The name of the user with an id.",
      "uid_to_user 0",
      (context, { uid }) => uidToUser(context, uid),
    ),
    group_to_gid: fun(
      "group",
      "The id of a group.",
      "group_to_gid root",
      (context, { group }) => groupToGid(context, group),
    ),
    gid_to_group: fun(
      "gid",
      "The name of the group with an id.",
      "gid_to_group 0",
      (context, { gid }) => gidToGroup(context, gid),
    ),
    check_perms: fun(
      `name, ret, user, group, mode, attrs=None, follow_symlinks: bool=False, ${SELINUX}`,
      "Sets the owner and the mode of a file, and reports what changed.",
      "check_perms /etc/sudoers '{}' root root 400",
      async (context, { name, ret, user, group, mode, attrs, follow_symlinks: follow }) =>
        Tuple.from(await checkPerms(context, name, ret, { user, group, mode, attrs, follow })),
    ),

    // Hashes.
    get_hash: fun(
      "path, form: str='sha256', chunk_size=65536",
      "The hash of a file.",
      "get_hash /etc/shadow",
      (context, { path, form }) => hashFile(context, pathOf(context, path), form),
    ),
    get_sum: fun(
      "path, form: str='sha256'",
      "The hash of a file, or `File not found`.",
      "get_sum /etc/passwd sha512",
      (
        context,
        { path, form },
      ) => {
        const file = pathOf(context, path);
        return isFile(context.runtime.fs, file) ? hashFile(context, file, form) : "File not found";
      },
    ),
    check_hash: fun(
      "path, file_hash",
      "True if a file has a hash: <type>:<digits>, or digits alone; their number determines the type.",
      "check_hash /etc/fstab md5:0123456789abcdef0123456789abcdef",
      (context, { path, file_hash: hash }) => checkHash(context, pathOf(context, path), hash),
    ),
    get_source_sum: fun(
      "file_name='', source='', source_hash=None, source_hash_name=None, saltenv='base', verify_ssl=True",
      "The hash that a `source_hash` stands for: itself, or the entry for this file in a file of hashes.",
      "get_source_sum /tmp/foo.tar.gz source_hash=499ae16dcae71eeb7c3a30c75ea7a1a6",
      sourceSum,
    ),
    extract_hash: fun(
      "hash_fn, hash_type='sha256', file_name='', source='', source_hash_name=None",
      "The entry for a file in a file of hashes.",
      "extract_hash /path/to/hash/file sha512 /etc/foo",
      extractHash,
    ),

    // Attributes and labels.
    lsattr: fun(
      "path: str",
      "The attributes of a file on ext file systems.",
      "lsattr foo1.txt",
      (context, { path }) => listAttributes(context, path),
    ),
    chattr: fun(
      "*files, **kwargs",
      "Adds attributes to files or removes them: operator=add or remove, attributes, flags, version.",
      "chattr foo1.txt foo2.txt operator=add attributes=ai",
      (context, { files, kwargs }) => runChattr(context, files.map(str), kwargs),
    ),
    get_selinux_context: fun("path: str", "The SELinux label of a file.", "get_selinux_context /etc/hosts", (
      context,
      { path },
    ) => selinuxContext(context, path)),
    set_selinux_context: fun(
      "path, user=None, role=None, type=None, range=None, persist=False",
      "Sets parts of the SELinux label of a file.",
      "set_selinux_context path user=system_u",
      setSelinuxContext,
    ),
    restorecon: fun(
      "path: str, recursive: bool=False",
      "Restores the SELinux label that the policy defines for a file.",
      "restorecon /home/user/.ssh/authorized_keys",
      async (context, { path, recursive }) => {
        checkProgramPath(context, path);
        const words = ["restorecon", recursive ? "-FR" : "-F", path];
        return await context.call("cmd.retcode", [words], { python_shell: false }) === 0;
      },
    ),

    // Devices and pipes.
    is_blkdev: fun(
      "name",
      "True for a block device.",
      "is_blkdev /dev/sda",
      (context, { name }) => isKind(context, name, "block"),
    ),
    is_chrdev: fun(
      "name",
      "True for a character device.",
      "is_chrdev /dev/null",
      (context, { name }) => isKind(context, name, "character"),
    ),
    is_fifo: fun(
      "name",
      "True for a named pipe.",
      "is_fifo /dev/initctl",
      (context, { name }) => isKind(context, name, "fifo"),
    ),
    get_devmm: fun(
      "name",
      "Major and minor number of a device.",
      "get_devmm /dev/null",
      (context, { name }) => Tuple.from(deviceNumbers(context, name)),
    ),
    mknod: fun(
      "name, ntype, major=0, minor=0, user=None, group=None, mode='0600'",
      "Creates a device (c or b) or a named pipe (p), and its parent directories.",
      "mknod /dev/fifo p",
      mknod,
    ),
    mknod_chrdev: fun(
      "name, major, minor, user=None, group=None, mode='0660'",
      "Creates a character device.",
      "mknod_chrdev /dev/chr 180 31",
      (context, args) => makeNode(context, "c", args),
    ),
    mknod_blkdev: fun(
      "name, major, minor, user=None, group=None, mode='0660'",
      "Creates a block device.",
      "mknod_blkdev /dev/blk 8 999",
      (context, args) => makeNode(context, "b", args),
    ),
    mknod_fifo: fun(
      "name, user=None, group=None, mode='0660'",
      "Creates a named pipe.",
      "mknod_fifo /dev/fifo",
      (context, args) => makeNode(context, "p", args),
    ),
    open_files: fun(
      "by_pid=False",
      "The open files with the processes that have them open; with `by_pid` the processes with their open files.",
      "open_files",
      (context, { by_pid: byPid }) => openFiles(context, byPid),
    ),

    // Backups.
    list_backups: fun(
      "path, limit=None",
      "The backups of a file that the minion has made, newest first.",
      "list_backups /foo/bar/baz.txt",
      (context, { path, limit }) => listBackups(context, path, limit),
    ),
    list_backup: fun(
      "path, limit=None",
      "The same as file.list_backups.",
      "list_backup /foo/bar/baz.txt",
      (context, { path, limit }) => listBackups(context, path, limit),
    ),
    list_backups_dir: fun(
      "path, limit=None",
      "The backups of the files in a directory that the minion has made.",
      "list_backups_dir /foo/bar/",
      (context, { path, limit }) => listBackupsDir(context, path, limit),
    ),
    restore_backup: fun(
      "path, backup_id",
      "Restores a file from a backup.",
      "restore_backup /foo/bar/baz.txt 0",
      (context, { path, backup_id: id }) => restoreBackup(context, path, id),
    ),
    delete_backup: fun(
      "path, backup_id",
      "Deletes a backup of a file.",
      "delete_backup /foo/bar/baz.txt 0",
      (context, { path, backup_id: id }) => deleteBackup(context, path, id),
    ),
    remove_backup: fun(
      "path, backup_id",
      "The same as file.delete_backup.",
      "remove_backup /foo/bar/baz.txt 0",
      (context, { path, backup_id: id }) => deleteBackup(context, path, id),
    ),

    // What states of files call.
    get_diff: fun(
      `file1, file2, saltenv='base', show_filenames=True, show_changes=True, template=False,
        source_hash_file1=None, source_hash_file2=None`,
      "The differences between two files as a unified diff.",
      "get_diff /home/fred/.vimrc /home/users/bill/.vimrc",
      getDiff,
    ),
    source_list: fun(
      "source, source_hash, saltenv",
      "The first of several sources that exists, with its hash.",
      "source_list salt://http/httpd.conf '{hash_type: md5, hsum: 0}' base",
      async (context, args) => Tuple.from(await sourceList(context, args)),
    ),
    get_managed: fun(
      `name, template, source, source_hash, source_hash_name, user, group, mode, attrs, saltenv, context, defaults,
        skip_verify=False, verify_ssl=True, use_etag=False, **kwargs`,
      "Fetches the content of a managed file; returns its path, its hash and an error message.",
      "get_managed /etc/httpd/conf.d/httpd.conf '' salt://http/httpd.conf '' '' root root '755' '' base '' ''",
      async (context, args) => Tuple.from(await getManaged(context, args)),
    ),
    check_managed: fun(
      `name, source, source_hash, source_hash_name, user, group, mode, attrs, template, context, defaults, saltenv,
        contents=None, skip_verify=False, ${SELINUX}, follow_symlinks=False, **kwargs`,
      "Whether managing a file would change it.",
      "check_managed /etc/hosts /srv/hosts '' '' root root '644' '' '' '' '' base",
      async (context, args) => Tuple.from(await checkManaged(context, args) as unknown[]),
    ),
    check_managed_changes: fun(
      `name, source, source_hash, source_hash_name, user, group, mode, attrs, template, context, defaults, saltenv,
        contents=None, skip_verify=False, keep_mode=False, ${SELINUX}, verify_ssl=True, follow_symlinks=False,
        **kwargs`,
      "What managing a file would change.",
      "check_managed_changes /etc/hosts /srv/hosts '' '' root root '644' '' '' '' '' base",
      checkManagedChanges,
    ),
    check_file_meta: fun(
      `name, sfn, source, source_sum, user, group, mode, attrs, saltenv, contents=None, ${SELINUX},
        verify_ssl=True, follow_symlinks=False`,
      "What setting the content, owner and mode of a file would change.",
      "check_file_meta /etc/hosts /srv/hosts /srv/hosts '{}' root root '755' '' base",
      checkFileMeta,
    ),
    manage_file: fun(
      `name, sfn, ret, source, source_sum, user, group, mode, attrs, saltenv, backup, makedirs=False,
        template=None, show_changes=True, contents=None, dir_mode=None, follow_symlinks=True, skip_verify=False,
        keep_mode=False, encoding=None, encoding_errors='strict', ${SELINUX}, verify_ssl=True, use_etag=False,
        **kwargs`,
      "Sets the content, owner and mode of a file, and reports what changed.",
      "manage_file /etc/hosts '' '{}' /srv/hosts '{hash_type: md5, hsum: 0}' root root '755' '' base ''",
      manageFile,
    ),
    apply_template_on_contents: fun(
      "contents, template, context, defaults, saltenv",
      "Renders a text as a template of Jinja.",
      "apply_template_on_contents 'a {{ what }}' jinja '{}' '{what: text}' base",
      renderedContents,
    ),
  },
};
