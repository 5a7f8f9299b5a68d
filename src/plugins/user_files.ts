import { joinPath } from "../base/paths.ts";
import { CommandExecutionError, type JobContext } from "../model/loader/family.ts";
import { dirname } from "../language/python/posixpath.ts";
import type { FileSystem } from "../runtime/fs.ts";
import { runAll } from "./commands.ts";
import { overwrite } from "./modules/file/content.ts";
import { isDirectory, isFile } from "./linux/paths.ts";
import { type Args, str, truthy } from "../language/python/values.ts";

/** Links that are followed on the way to a file before it counts as not root's. */
const MOST_LINKS = 16;

/** Permissions that let others than the owner write. */
const OTHERS_WRITE = 0o022;

/** Who a file is for, as `user.info` says. */
export interface FileOwner {
  name: string;
  uid: number;
  gid: number;
}

/** A file that belongs to a user: what is read and written there goes where that user may, and nowhere else. */
export interface UserFile {
  readonly path: string;
  /** The user that programs have to run as when they are given the path; undefined for our own. */
  readonly runas: string | undefined;
  exists(): Promise<boolean>;
  /** The text; empty if there is no such file. @throws {CommandExecutionError} if it cannot be read */
  read(): Promise<string>;
  /** Replaces the content; a new file is closed to others, and so is its new directory. @throws {CommandExecutionError} */
  write(text: string): Promise<void>;
}

/** True if nobody but root can put another file or a link in the place of that path. */
function isRootsOwn(fs: FileSystem, path: string, links = MOST_LINKS): boolean {
  const parts = path.split("/").filter((part) => part !== "");
  let here = "/";
  for (const [at, part] of parts.entries()) {
    const next = joinPath(here, part);
    const stat = fs.stat(next, { follow: false });
    if (stat === undefined) return true;
    if (stat.kind === "symlink") {
      if (stat.uid !== 0 || links === 0) return false;
      return isRootsOwn(fs, joinPath(here, fs.readlink(next), ...parts.slice(at + 1)), links - 1);
    }
    if (at === parts.length - 1) return stat.kind === "file";
    if (stat.kind !== "directory" || stat.uid !== 0 || (stat.mode & OTHERS_WRITE) !== 0) return false;
    here = next;
  }
  return true;
}

function ownFile(context: JobContext, path: string, owner: FileOwner | undefined): UserFile {
  const { fs, process } = context.runtime;
  const give = (made: string, mode: number) => {
    if (owner !== undefined && process.uid() === 0) fs.chown(made, owner.uid, owner.gid);
    fs.chmod(made, mode);
  };
  return {
    path,
    runas: undefined,
    exists: () => Promise.resolve(isFile(fs, path)),
    read: () => Promise.resolve(isFile(fs, path) ? fs.readText(path) : ""),
    write(text) {
      const directory = dirname(path);
      if (!isDirectory(fs, directory)) {
        fs.mkdir(directory);
        give(directory, 0o700);
      }
      const isNew = !isFile(fs, path);
      overwrite(context.runtime, path, text);
      if (isNew) give(path, 0o600);
      return Promise.resolve();
    },
  };
}

/**
 * Writes standard input to the file `$1`. It appears whole, with the mode and the attributes of the one before; where the user may make no
 * other file beside it, or nothing may take its place, as that of a mount point, it is written over.
 */
const WRITE = `
umask 077
mkdir -p -- "$2" || exit 2
f=$1
if [ -L "$f" ]; then f=$(readlink -f -- "$f") || exit 2; fi
t=$(mktemp "$(dirname -- "$f")/.brine.XXXXXX" 2> /dev/null) || { cat > "$f" || exit 2; exit 0; }
trap 'rm -f -- "$t"' EXIT
if [ -f "$f" ]; then
  cp --attributes-only --preserve=all -- "$f" "$t" 2> /dev/null || chmod "$(stat -c %a -- "$f")" "$t" || exit 2
fi
cat > "$t" || exit 2
mv -f -- "$t" "$f" 2> /dev/null || cat -- "$t" > "$f" || exit 2
`;

/** The same, done by programs that run as the user: a link that the user has made leads nowhere that the user may not go. */
function theirFile(context: JobContext, path: string, owner: FileOwner): UserFile {
  const runas = owner.name;
  const call = async (doing: string, script: string, options: Record<string, unknown> = {}) => {
    const argv = ["/bin/sh", "-c", script, "sh", path, dirname(path)];
    const given = { runas, cwd: "/", ignore_retcode: true, rstrip: false, ...options };
    const outcome = await runAll(context, argv, given);
    if (outcome.retcode > 1) {
      throw new CommandExecutionError(`Cannot ${doing} "${path}" as user ${runas}: ${outcome.stderr.trim()}`);
    }
    return outcome;
  };
  return {
    path,
    runas,
    exists: async () => (await call("look for", 'test -f "$1"')).retcode === 0,
    async read() {
      const { stdout } = await call("read", 'test -f "$1" || exit 1; cat -- "$1" || exit 2');
      return stdout;
    },
    async write(text) {
      await call("write", WRITE, { stdin: text });
    },
  };
}

/**
 * A file of a user, by its whole path. Root that writes where another user can make links does it as that user.
 *
 * @param owner undefined for a file of the machine
 */
export function userFile(context: JobContext, path: string, owner: FileOwner | undefined): UserFile {
  const { fs, process } = context.runtime;
  const careful = process.uid() === 0 && owner !== undefined && owner.uid !== 0 && !isRootsOwn(fs, path);
  return careful ? theirFile(context, path, owner) : ownFile(context, path, owner);
}

/** The directory of another system that an account is of; empty for this one. */
export const rootOf = (args: Args): string => truthy(args.root) ? str(args.root) : "";

/** @param option gpasswd calls it otherwise: its -R is something else */
export const userRootWords = (args: Args, option = "-R"): string[] => truthy(args.root) ? [option, str(args.root)] : [];
