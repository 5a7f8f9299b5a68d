import { globPaths } from "../../model/config/glob_paths.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, str, truthy, Tuple } from "../../language/python/values.ts";
import { basename, dirname, join, normpath } from "../../language/python/posixpath.ts";
import { programPath, runAll } from "../commands.ts";
import { checkProgramPath, exists, isDirectory, isFile, isLink } from "../linux/paths.ts";
import { attributeWords, listAttributes, runChattr, selinuxContext, setSelinuxContext } from "./file/attributes.ts";
import { deleteBackup, listBackups, listBackupsDir, restoreBackup } from "./file/backup.ts";
import { checkFileMeta, checkManaged, checkManagedChanges } from "./file/check_managed.ts";
import {
  append,
  containsGlob,
  containsRegex,
  fileContains,
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
import { makeNode, mknod, openFilesOf, statvfs } from "./file/nodes.ts";
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

async function sed(context: JobContext, args: Args): Promise<unknown> {
  const path = pathOf(context, args.path);
  if (!exists(context.runtime.fs, path)) return false;
  checkProgramPath(context, path);
  const { limit, before, after } = sedCommand(args);
  const negate = truthy(args.negate_match) ? "!" : "";
  return await runAll(context, [
    "sed",
    truthy(args.backup) ? `-i${str(args.backup)}` : "-i",
    ...attributeWords(args.options),
    `${limit === "" ? "" : `/${limit}/ `}${negate}s/${before}/${after}/${str(args.flags)}`,
    path,
  ]);
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
  functions: executionFunctions({
    // Reading and writing.
    "read(path: str, binary=False)": {
      doc: "The text of a file, or its bytes with `binary`.\n\n    salt '*' file.read /etc/hostname",
      run: (context, { path, binary }) => read(context, path, binary),
    },
    "write(path, *args, **kwargs)": {
      doc: "Replaces the content of a file with lines: one per argument, or a list in `args`.\n\n" +
        `    salt '*' file.write /etc/motd args='["Hello", "there"]'`,
      run: write,
    },
    "append(path, *args, **kwargs)": {
      doc: "Adds lines to the end of an existing file.\n\n" +
        "    salt '*' file.append /etc/motd 'With all thine offerings thou shalt offer salt.'",
      run: append,
    },
    "prepend(path, *args, **kwargs)": {
      doc: "Adds lines to the start of an existing file.\n\n    salt '*' file.prepend /etc/motd 'Read this first.'",
      run: prepend,
    },
    "touch(name, atime=None, mtime=None)": {
      doc: "Creates a file, or sets the times of an existing one: to now, or to seconds since 1970.\n\n" +
        "    salt '*' file.touch /var/log/emptyfile",
      run: touch,
    },
    "truncate(path, length)": {
      doc: "Truncates a file to a number of bytes.\n\n    salt '*' file.truncate /path/to/file 512",
      run: (context, { path, length }) => truncate(context, pathOf(context, path), length),
    },
    "seek_read(path, size, offset)": {
      doc: "Reads bytes from an offset of a file.\n\n    salt '*' file.seek_read /path/to/file 4096 0",
      run: (context, { path, size, offset }) => seekRead(context, pathOf(context, path), size, offset),
    },
    "seek_write(path, data, offset)": {
      doc: "Writes at an offset of a file; returns the number of bytes.\n\n" +
        "    salt '*' file.seek_write /path/to/file 'some data' 4096",
      run: (context, { path, data, offset }) => seekWrite(context, pathOf(context, path), data, offset),
    },

    // Searching in a file.
    "contains(path, text)": {
      doc: "True if a file contains a text; white space around the text is ignored.\n\n" +
        "    salt '*' file.contains /etc/crontab 'mymaintenance.sh'",
      run: (context, { path, text }) => fileContains(context, pathOf(context, path), text),
    },
    "contains_regex(path, regex, lchar: str='')": {
      doc: "True if a regular expression matches in a line; characters of `lchar` are first removed from the " +
        "start of each line.\n\n" + "    salt '*' file.contains_regex /etc/crontab '^root'",
      run: (context, { path, regex, lchar }) => containsRegex(context, pathOf(context, path), searchFor(regex), lchar),
    },
    "contains_glob(path, glob_expr)": {
      doc: "True if a shell pattern matches the whole content of a file.\n\n" +
        "    salt '*' file.contains_glob /etc/foobar '*cheese*'",
      run: (context, { path, glob_expr: glob }) => containsGlob(context, pathOf(context, path), glob),
    },
    "search(path, pattern, flags=8, bufsize=1, ignore_if_missing=False, multiline=False)": {
      doc: "True if a regular expression matches in a file.\n\n" +
        "    salt '*' file.search /etc/crontab 'mymaintenance.sh'",
      run: search,
    },
    "grep(path, pattern, *opts)": {
      doc: "Runs grep on a file. Options of grep are separate arguments, after a double dash.\n\n" +
        "    salt '*' file.grep /etc/passwd nobody -- -i -B2",
      async run(context, args): Promise<unknown> {
        const path = pathOf(context, args.path);
        const found = globPaths(context.runtime.fs, path);
        const options = (args.opts as unknown[]).flatMap((option) => {
          const words = attributeWords(option);
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
      },
    },
    "find(path, *args, **kwargs)": {
      doc: "Finds files below a path, which may be a glob. Tests: name, iname, regex, iregex, type (bcdflps), " +
        "owner, group, size (+5k, -1m), mtime (-1d, 2w), grep, mindepth, maxdepth. Actions: print (name, path, " +
        "size, type, mode, mtime, user, group, md5), delete (types), exec (a command with {}).\n\n" +
        "    salt '*' file.find /var/log name='*.log' size=+10m",
      run: find,
    },

    // Changing the content of a file.
    replace: executionFunction({
      signature:
        `path, pattern, repl, count=0, flags=8, bufsize=1, append_if_not_found=False, prepend_if_not_found=False,
        not_found_content=None, ${COMMENT}, dry_run=False, search_only=False, show_changes=True,
        ignore_if_missing=False, preserve_inode=True, backslash_literal=False, encoding=None`,
      doc: "Replaces the matches of a regular expression; returns the changes. \\1 and \\g<name> stand for its " +
        "groups.\n\n" + "    salt '*' file.replace /etc/httpd/httpd.conf pattern='LogLevel warn' repl='LogLevel info'",
      run: replace,
    }),
    blockreplace: executionFunction({
      signature: `path, marker_start='#-- start managed zone --', marker_end='#-- end managed zone --', content='',
        append_if_not_found=False, prepend_if_not_found=False, ${COMMENT}, dry_run=False, show_changes=True,
        append_newline=False, insert_before_match=None, insert_after_match=None`,
      doc: "Replaces the lines between two marker lines; returns the changes.\n\n" +
        "    salt '*' file.blockreplace /etc/hosts content='10.0.1.2 web' append_newline=True " +
        "append_if_not_found=True",
      run: blockReplace,
    }),
    line: executionFunction({
      signature: `path, content=None, match=None, mode=None, location=None, before=None, after=None, show_changes=True,
        backup=False, quiet=False, indent=True`,
      doc: "Changes one line. Modes: ensure and insert, by `before`, `after` or `location` (start, end); " +
        "replace and delete, by `match`.\n\n" +
        "    salt '*' file.line /etc/nsswitch.conf 'networks: files dns' after='hosts:.*' mode=ensure",
      run: line,
    }),
    [`comment_line(path, regex, char='#', cmnt=True, ${COMMENT})` as const]: {
      doc: "Comments out the lines that a regular expression matches, or with cmnt=False removes the comment " +
        "characters.\n\n" + "    salt '*' file.comment_line /etc/modules '^pcspkr' cmnt=True",
      run: commentLine,
    },
    [`comment(path, regex, char='#', ${COMMENT})` as const]: {
      doc: "Comments out the lines that a regular expression matches.\n\n" +
        "    salt '*' file.comment /etc/modules '^pcspkr'",
      run: (context, args) => commentLine(context, { ...args, cmnt: true }),
    },
    [`uncomment(path, regex, char='#', ${COMMENT})` as const]: {
      doc: "Removes the comment character from the lines that a regular expression matches.\n\n" +
        "    salt '*' file.uncomment /etc/hosts.deny 'ALL: PARANOID'",
      run: (context, args) => commentLine(context, { ...args, cmnt: false }),
    },
    sed: executionFunction({
      signature:
        "path, before, after, limit='', backup='.bak', options='-r -e', flags='g', escape_all=False, negate_match=False",
      doc: "Replaces text in a file with the program sed.\n\n" +
        "    salt '*' file.sed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
      run: sed,
    }),
    "sed_contains(path, text, limit='', flags='g')": {
      doc: "True if the program sed finds a regular expression in a file.\n\n" +
        "    salt '*' file.sed_contains /etc/crontab 'mymaintenance.sh'",
      async run(context, args): Promise<boolean> {
        const path = pathOf(context, args.path);
        if (!exists(context.runtime.fs, path)) return false;
        const [before, limit] = [sedEscape(str(args.text), false), sedEscape(str(args.limit), false)];
        const script = `${limit === "" ? "" : `/${limit}/ `}s/${before}/$/p${str(args.flags)}`;
        return truthy(
          await context.call("cmd.run", [["sed", "-n", "-r", "-e", script, path]], { python_shell: false }),
        );
      },
    },
    "psed(path, before, after, limit='', backup='.bak', flags='gMS', escape_all=False, multi=False)": {
      doc: "Replaces the matches of a regular expression without the program sed. file.replace can do more.\n\n" +
        "    salt '*' file.psed /etc/httpd/httpd.conf 'LogLevel warn' 'LogLevel info'",
      run: psed,
    },
    "patch(originalfile, patchfile, options='', dry_run=False)": {
      doc: "Applies a patch to a file or directory with the program patch.\n\n" +
        "    salt '*' file.patch /opt/file.txt /tmp/file.txt.patch",
      async run(context, args): Promise<unknown> {
        const program = programPath(context, "patch");
        if (program === undefined) {
          throw new CommandExecutionError("patch executable not found. Is the distribution's patch package installed?");
        }
        const original = str(args.originalfile);
        const options = Array.isArray(args.options) ? args.options.map(str) : attributeWords(args.options);
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
      },
    },

    // Names, links and directories.
    "copy(src, dst, recurse=False, remove_existing=False)": {
      doc: "Copies a file, or with `recurse` a directory, which may exist at the destination.\n\n" +
        "    salt '*' file.copy /path/to/src /path/to/dst",
      run: copy,
    },
    "move(src, dst, disallow_copy_and_unlink=False)": {
      doc: "Moves a file or directory, also to another file system.\n\n" +
        "    salt '*' file.move /path/to/src /path/to/dst",
      run: move,
    },
    "rename(src, dst)": {
      doc: "Renames a file or directory within its file system.\n\n" +
        "    salt '*' file.rename /path/to/src /path/to/dst",
      run: (context, { src, dst }) => rename(context, src, dst),
    },
    "remove(path, **kwargs)": {
      doc: "Removes a file, or a directory with all below it.\n\n    salt '*' file.remove /tmp/foo",
      run: (context, { path }) => remove(context, path),
    },
    "rmdir(path, recurse=False, verbose=False, older_than=None)": {
      doc: "Removes an empty directory; with `recurse` also the empty ones below it. `older_than`: only if " +
        "unchanged for as many days.\n\n" + "    salt '*' file.rmdir /tmp/foo/",
      run: rmdir,
    },
    "mkdir(dir_path, user=None, group=None, mode=None)": {
      doc: "Creates a directory and its parents.\n\n    salt '*' file.mkdir /opt/jetty/context",
      run: mkdir,
    },
    "makedirs(path, user=None, group=None, mode=None)": {
      doc: "Creates the parent directories of a path; its last part, too, if it ends with a slash.\n\n" +
        "    salt '*' file.makedirs /opt/code/",
      run: makedirs,
    },
    "makedirs_perms(name, user=None, group=None, mode='0755')": {
      doc: "Creates a directory and its parents, all with the given owner and mode.\n\n" +
        "    salt '*' file.makedirs_perms /opt/code",
      async run(context, { name, user, group, mode }) {
        await makeDirectory(context, name, { user, group, mode });
        return null;
      },
    },
    "link(src, path: str)": {
      doc: "Creates a hard link to a file.\n\n    salt '*' file.link /path/to/file /path/to/link",
      run: (context, { src, path }) => link(context, src, path),
    },
    "symlink(src, path, force=False, atomic=False)": {
      doc: "Creates a symbolic link. `force` replaces an existing file, `atomic` does so in one step.\n\n" +
        "    salt '*' file.symlink /path/to/file /path/to/link",
      run: symlink,
    },
    "readlink(path, canonicalize=False)": {
      doc: "The target of a symbolic link; with `canonicalize`, after following every link.\n\n" +
        "    salt '*' file.readlink /path/to/link",
      run: (context, { path, canonicalize }) => readlink(context, path, canonicalize),
    },
    "is_link(path)": {
      doc: "True for a symbolic link.\n\n    salt '*' file.is_link /path/to/link",
      run: (context, { path }) => isLink(context.runtime.fs, pathOf(context, path)),
    },
    "is_hardlink(path)": {
      doc: "True for a file with more than one name.\n\n    salt '*' file.is_hardlink /path/to/link",
      run: (context, { path }) => isHardlink(context, path),
    },
    "readdir(path)": {
      doc: "The names in a directory, itself and the one above it among them.\n\n" +
        "    salt '*' file.readdir /path/to/directory/",
      run: (context, { path }) => readdir(context, path),
    },
    "diskusage(path: str)": {
      doc: "The bytes of all files below a directory.\n\n    salt '*' file.diskusage /path/to/check",
      run: (context, { path }) => diskusage(context, path),
    },
    "file_exists(path)": {
      doc: "True if there is a file.\n\n    salt '*' file.file_exists /etc/passwd",
      run: (context, { path }) => isFile(context.runtime.fs, pathOf(context, path)),
    },
    "directory_exists(path)": {
      doc: "True if the directory exists.\n\n    salt '*' file.directory_exists /etc",
      run: (context, { path }) => isDirectory(context.runtime.fs, pathOf(context, path)),
    },
    "path_exists_glob(path)": {
      doc: "True if a shell pattern matches at least one path.\n\n    salt '*' file.path_exists_glob '/etc/pass*'",
      run: (context, { path }) => globPaths(context.runtime.fs, pathOf(context, path)).length > 0,
    },

    // Paths as text.
    "basename(path: str)": {
      doc: "The last part of a path.\n\n    salt '*' file.basename 'test/test.config'",
      run: (_context, { path }) => basename(path),
    },
    "dirname(path: str)": {
      doc: "A path without its last part.\n\n    salt '*' file.dirname 'test/path/filename.config'",
      run: (
        _context,
        { path },
      ) => dirname(path),
    },
    "join(*args)": {
      doc: "Parts of a path joined.\n\n    salt '*' file.join '/' 'usr' 'local'",
      run(_context, { args }) {
        const [first, ...rest] = args.map(str);
        if (first === undefined) throw new InvalidArgumentsError("join() missing 1 required positional argument: 'a'");
        return join(first, ...rest);
      },
    },
    "normpath(path: str)": {
      doc: "A path without dots and doubled slashes.\n\n    salt '*' file.normpath 'a/b/c/..'",
      run: (
        _context,
        { path },
      ) => normpath(path),
    },
    "pardir()": {
      doc: "The name of the directory above.\n\n    salt '*' file.pardir",
      run: () => "..",
    },

    // Type, owner and mode of a file.
    "stats(path, hash_type=None, follow_symlinks=True)": {
      doc: "Owner, times, size, mode and type of a file; with `hash_type` also its hash.\n\n" +
        "    salt '*' file.stats /etc/passwd",
      run: (context, { path, hash_type: hash, follow_symlinks: follow }) => stats(context, path, hash, follow),
    },
    "lstat(path)": {
      doc: "The fields of lstat(2) of a file; links are not followed.\n\n    salt '*' file.lstat /path/to/file",
      run: (context, { path }) => lstat(context, path),
    },
    "statvfs(path)": {
      doc: "The state of the file system that a path is on.\n\n    salt '*' file.statvfs /path/to/file",
      run: (
        context,
        { path },
      ) => statvfs(context, path),
    },
    "access(path, mode)": {
      doc: "True if the minion may access a file: f (it exists), r, w or x.\n\n" +
        "    salt '*' file.access /path/to/file f",
      run: (context, { path, mode }) => access(context, path, mode),
    },
    "get_mode(path, follow_symlinks=True)": {
      doc: "The mode of a file.\n\n    salt '*' file.get_mode /etc/passwd",
      run: (
        context,
        { path, follow_symlinks: follow },
      ) => stats(context, path, null, follow).mode,
    },
    "set_mode(path, mode)": {
      doc: "Sets the mode of a file.\n\n    salt '*' file.set_mode /etc/passwd 0644",
      run: (
        context,
        { path, mode },
      ) => setMode(context, path, mode),
    },
    "get_user(path, follow_symlinks=True)": {
      doc: "The user that owns a file.\n\n    salt '*' file.get_user /etc/passwd",
      run: (
        context,
        { path, follow_symlinks: follow },
      ) => stats(context, path, null, follow).user,
    },
    "get_uid(path, follow_symlinks=True)": {
      doc: "The id of the user that owns a file.\n\n    salt '*' file.get_uid /etc/passwd",
      run: (
        context,
        { path, follow_symlinks: follow },
      ) => stats(context, path, null, follow).uid,
    },
    "get_group(path, follow_symlinks=True)": {
      doc: "The group that owns a file.\n\n    salt '*' file.get_group /etc/passwd",
      run: (
        context,
        { path, follow_symlinks: follow },
      ) => stats(context, path, null, follow).group,
    },
    "get_gid(path, follow_symlinks=True)": {
      doc: "The id of the group that owns a file.\n\n    salt '*' file.get_gid /etc/passwd",
      run: (context, { path, follow_symlinks: follow }) => stats(context, path, null, follow).gid,
    },
    "chown(path, user, group)": {
      doc: "Changes the owner of a file; returns an error message if that fails.\n\n" +
        "    salt '*' file.chown /etc/passwd root root",
      run: (context, { path, user, group }) => chown(context, path, user, group),
    },
    "lchown(path, user, group)": {
      doc: "Changes the owner of a file; of a link, the owner of the link itself.\n\n" +
        "    salt '*' file.lchown /etc/passwd root root",
      run: (context, { path, user, group }) => lchown(context, path, user, group),
    },
    "chgrp(path, group)": {
      doc: "Changes the group that owns a file.\n\n    salt '*' file.chgrp /etc/passwd root",
      run: (
        context,
        { path, group },
      ) => chown(context, path, stats(context, path).user, group),
    },
    "user_to_uid(user)": {
      doc: "The id of a user.\n\n    salt '*' file.user_to_uid root",
      run: (context, { user }) => userToUid(context, user),
    },
    "uid_to_user(uid)": {
      doc: "The name of the user with an id.\n\n    salt '*' file.uid_to_user 0",
      run: (context, { uid }) => uidToUser(context, uid),
    },
    "group_to_gid(group)": {
      doc: "The id of a group.\n\n    salt '*' file.group_to_gid root",
      run: (context, { group }) => groupToGid(context, group),
    },
    "gid_to_group(gid)": {
      doc: "The name of the group with an id.\n\n    salt '*' file.gid_to_group 0",
      run: (context, { gid }) => gidToGroup(context, gid),
    },
    [`check_perms(name, ret, user, group, mode, attrs=None, follow_symlinks: bool=False, ${SELINUX})` as const]: {
      doc: "Sets the owner and the mode of a file, and reports what changed.\n\n" +
        "    salt '*' file.check_perms /etc/sudoers '{}' root root 400",
      run: async (context, { name, ret, user, group, mode, attrs, follow_symlinks: follow }) =>
        Tuple.from(await checkPerms(context, name, ret, { user, group, mode, attrs, follow })),
    },

    // Hashes.
    "get_hash(path, form: str='sha256', chunk_size=65536)": {
      doc: "The hash of a file.\n\n    salt '*' file.get_hash /etc/shadow",
      run: (context, { path, form }) => hashFile(context, pathOf(context, path), form),
    },
    "get_sum(path, form: str='sha256')": {
      doc: "The hash of a file, or `File not found`.\n\n    salt '*' file.get_sum /etc/passwd sha512",
      run(context, { path, form }) {
        const file = pathOf(context, path);
        return isFile(context.runtime.fs, file) ? hashFile(context, file, form) : "File not found";
      },
    },
    "check_hash(path, file_hash)": {
      doc: "True if a file has a hash: <type>:<digits>, or digits alone; their number determines the type.\n\n" +
        "    salt '*' file.check_hash /etc/fstab md5:0123456789abcdef0123456789abcdef",
      run: (context, { path, file_hash: hash }) => checkHash(context, pathOf(context, path), hash),
    },
    get_source_sum: executionFunction({
      signature: "file_name='', source='', source_hash=None, source_hash_name=None, saltenv='base', verify_ssl=True",
      doc: "The hash that a `source_hash` stands for: itself, or the entry for this file in a file of hashes.\n\n" +
        "    salt '*' file.get_source_sum /tmp/foo.tar.gz source_hash=499ae16dcae71eeb7c3a30c75ea7a1a6",
      run: sourceSum,
    }),
    "extract_hash(hash_fn, hash_type='sha256', file_name='', source='', source_hash_name=None)": {
      doc: "The entry for a file in a file of hashes.\n\n" +
        "    salt '*' file.extract_hash /path/to/hash/file sha512 /etc/foo",
      run: extractHash,
    },

    // Attributes and labels.
    "lsattr(path: str)": {
      doc: "The attributes of a file on ext file systems.\n\n    salt '*' file.lsattr foo1.txt",
      run: (context, { path }) => listAttributes(context, path),
    },
    "chattr(*files, **kwargs)": {
      doc: "Adds attributes to files or removes them: operator=add or remove, attributes, flags, version.\n\n" +
        "    salt '*' file.chattr foo1.txt foo2.txt operator=add attributes=ai",
      run: (context, { files, kwargs }) => runChattr(context, files.map(str), kwargs),
    },
    "get_selinux_context(path: str)": {
      doc: "The SELinux label of a file.\n\n    salt '*' file.get_selinux_context /etc/hosts",
      run: (
        context,
        { path },
      ) => selinuxContext(context, path),
    },
    "set_selinux_context(path, user=None, role=None, type=None, range=None, persist=False)": {
      doc: "Sets parts of the SELinux label of a file.\n\n    salt '*' file.set_selinux_context path user=system_u",
      run: setSelinuxContext,
    },
    "restorecon(path: str, recursive: bool=False)": {
      doc: "Restores the SELinux label that the policy defines for a file.\n\n" +
        "    salt '*' file.restorecon /home/user/.ssh/authorized_keys",
      async run(context, { path, recursive }) {
        checkProgramPath(context, path);
        const words = ["restorecon", recursive ? "-FR" : "-F", path];
        return await context.call("cmd.retcode", [words], { python_shell: false }) === 0;
      },
    },

    // Devices and pipes.
    "is_blkdev(name)": {
      doc: "True for a block device.\n\n    salt '*' file.is_blkdev /dev/sda",
      run: (context, { name }) => isKind(context, name, "block"),
    },
    "is_chrdev(name)": {
      doc: "True for a character device.\n\n    salt '*' file.is_chrdev /dev/null",
      run: (context, { name }) => isKind(context, name, "character"),
    },
    "is_fifo(name)": {
      doc: "True for a named pipe.\n\n    salt '*' file.is_fifo /dev/initctl",
      run: (context, { name }) => isKind(context, name, "fifo"),
    },
    "get_devmm(name)": {
      doc: "Major and minor number of a device.\n\n    salt '*' file.get_devmm /dev/null",
      run: (context, { name }) => Tuple.from(deviceNumbers(context, name)),
    },
    "mknod(name, ntype, major=0, minor=0, user=None, group=None, mode='0600')": {
      doc: "Creates a device (c or b) or a named pipe (p), and its parent directories.\n\n" +
        "    salt '*' file.mknod /dev/fifo p",
      run: mknod,
    },
    "mknod_chrdev(name, major, minor, user=None, group=None, mode='0660')": {
      doc: "Creates a character device.\n\n    salt '*' file.mknod_chrdev /dev/chr 180 31",
      run: (context, args) => makeNode(context, "c", args),
    },
    "mknod_blkdev(name, major, minor, user=None, group=None, mode='0660')": {
      doc: "Creates a block device.\n\n    salt '*' file.mknod_blkdev /dev/blk 8 999",
      run: (context, args) => makeNode(context, "b", args),
    },
    "mknod_fifo(name, user=None, group=None, mode='0660')": {
      doc: "Creates a named pipe.\n\n    salt '*' file.mknod_fifo /dev/fifo",
      run: (context, args) => makeNode(context, "p", args),
    },
    "open_files(by_pid=False)": {
      doc: "The open files with the processes that have them open; with `by_pid` the processes with their open " +
        "files.\n\n" + "    salt '*' file.open_files",
      run: (context, { by_pid: byPid }) => openFilesOf(context, byPid),
    },

    // Backups.
    "list_backups(path, limit=None)": {
      doc: "The backups of a file that the minion has made, newest first.\n\n" +
        "    salt '*' file.list_backups /foo/bar/baz.txt",
      run: (context, { path, limit }) => listBackups(context, path, limit),
    },
    "list_backup(path, limit=None)": {
      doc: "The same as file.list_backups.\n\n    salt '*' file.list_backup /foo/bar/baz.txt",
      run: (context, { path, limit }) => listBackups(context, path, limit),
    },
    "list_backups_dir(path, limit=None)": {
      doc: "The backups of the files in a directory that the minion has made.\n\n" +
        "    salt '*' file.list_backups_dir /foo/bar/",
      run: (context, { path, limit }) => listBackupsDir(context, path, limit),
    },
    "restore_backup(path, backup_id)": {
      doc: "Restores a file from a backup.\n\n    salt '*' file.restore_backup /foo/bar/baz.txt 0",
      run: (context, { path, backup_id: id }) => restoreBackup(context, path, id),
    },
    "delete_backup(path, backup_id)": {
      doc: "Deletes a backup of a file.\n\n    salt '*' file.delete_backup /foo/bar/baz.txt 0",
      run: (context, { path, backup_id: id }) => deleteBackup(context, path, id),
    },
    "remove_backup(path, backup_id)": {
      doc: "The same as file.delete_backup.\n\n    salt '*' file.remove_backup /foo/bar/baz.txt 0",
      run: (context, { path, backup_id: id }) => deleteBackup(context, path, id),
    },

    // What states of files call.
    get_diff: executionFunction({
      signature: `file1, file2, saltenv='base', show_filenames=True, show_changes=True, template=False,
        source_hash_file1=None, source_hash_file2=None`,
      doc: "The differences between two files as a unified diff.\n\n" +
        "    salt '*' file.get_diff /home/fred/.vimrc /home/users/bill/.vimrc",
      run: getDiff,
    }),
    "source_list(source, source_hash, saltenv)": {
      doc: "The first of several sources that exists, with its hash.\n\n" +
        "    salt '*' file.source_list salt://http/httpd.conf '{hash_type: md5, hsum: 0}' base",
      run: async (context, args) => Tuple.from(await sourceList(context, args)),
    },
    get_managed: executionFunction({
      signature:
        `name, template, source, source_hash, source_hash_name, user, group, mode, attrs, saltenv, context, defaults,
        skip_verify=False, verify_ssl=True, use_etag=False, **kwargs`,
      doc: "Fetches the content of a managed file; returns its path, its hash and an error message.\n\n" +
        "    salt '*' file.get_managed /etc/httpd/conf.d/httpd.conf '' salt://http/httpd.conf '' '' root root " +
        "'755' '' base '' ''",
      run: async (context, args) => Tuple.from(await getManaged(context, args)),
    }),
    check_managed: executionFunction({
      signature:
        `name, source, source_hash, source_hash_name, user, group, mode, attrs, template, context, defaults, saltenv,
        contents=None, skip_verify=False, ${SELINUX}, follow_symlinks=False, **kwargs`,
      doc: "Whether managing a file would change it.\n\n" +
        "    salt '*' file.check_managed /etc/hosts /srv/hosts '' '' root root '644' '' '' '' '' base",
      run: async (context, args) => Tuple.from(await checkManaged(context, args) as unknown[]),
    }),
    check_managed_changes: executionFunction({
      signature:
        `name, source, source_hash, source_hash_name, user, group, mode, attrs, template, context, defaults, saltenv,
        contents=None, skip_verify=False, keep_mode=False, ${SELINUX}, verify_ssl=True, follow_symlinks=False,
        **kwargs`,
      doc: "What managing a file would change.\n\n" +
        "    salt '*' file.check_managed_changes /etc/hosts /srv/hosts '' '' root root '644' '' '' '' '' base",
      run: checkManagedChanges,
    }),
    check_file_meta: executionFunction({
      signature: `name, sfn, source, source_sum, user, group, mode, attrs, saltenv, contents=None, ${SELINUX},
        verify_ssl=True, follow_symlinks=False`,
      doc: "What setting the content, owner and mode of a file would change.\n\n" +
        "    salt '*' file.check_file_meta /etc/hosts /srv/hosts /srv/hosts '{}' root root '755' '' base",
      run: checkFileMeta,
    }),
    manage_file: executionFunction({
      signature: `name, sfn, ret, source, source_sum, user, group, mode, attrs, saltenv, backup, makedirs=False,
        template=None, show_changes=True, contents=None, dir_mode=None, follow_symlinks=True, skip_verify=False,
        keep_mode=False, encoding=None, encoding_errors='strict', ${SELINUX}, verify_ssl=True, use_etag=False,
        **kwargs`,
      doc: "Sets the content, owner and mode of a file, and reports what changed.\n\n" +
        "    salt '*' file.manage_file /etc/hosts '' " +
        "'{}' /srv/hosts '{hash_type: md5, hsum: 0}' root root '755' '' base ''",
      run: manageFile,
    }),
    "apply_template_on_contents(contents, template, context, defaults, saltenv)": {
      doc: "Renders a text as a template of Jinja.\n\n" +
        "    salt '*' file.apply_template_on_contents 'a {{ what }}' jinja '{}' '{what: text}' base",
      run: renderedContents,
    },
  }),
};
