import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { join } from "../../language/python/posixpath.ts";
import { absolutePath, isDirectory } from "../linux/paths.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_";
const LENGTH = 8;
/** So often a name that is taken already is tried again. */
const TRIES = 100;

function randomName({ runtime }: JobContext): string {
  // 252 is the highest multiple of the number of letters in a byte's range: each letter comes as often as any other.
  const fair = 256 - 256 % LETTERS.length;
  let name = "";
  while (name.length < LENGTH) {
    const [byte = 0] = runtime.crypto.randomBytes(1);
    if (byte < fair) name += LETTERS[byte % LETTERS.length];
  }
  return name;
}

/** Makes something under a name that nobody can guess. @returns its path */
function make(context: JobContext, args: Record<string, unknown>, create: (path: string) => void): string {
  const { suffix, prefix, parent } = args;
  for (const part of [suffix, prefix]) {
    if (str(part).includes("/")) {
      throw new SaltInvocationError(
        `Cannot make a temporary path with "${str(part)}" in its name: name its place by parent`,
      );
    }
  }
  const { fs, process } = context.runtime;
  const directory = absolutePath(context.runtime, parent === null ? process.env("TMPDIR") ?? "/tmp" : str(parent));
  if (!isDirectory(fs, directory)) {
    throw new CommandExecutionError(`Cannot make a temporary path in "${directory}": there is no such directory`);
  }
  for (let tries = 1;; tries++) {
    const path = join(directory, `${str(prefix)}${randomName(context)}${str(suffix)}`);
    if (fs.stat(path, { follow: false }) !== undefined && tries < TRIES) continue;
    create(path);
    return path;
  }
}

const SIGNATURE = "suffix='', prefix='tmp', parent=None";

/** Temporary files and directories. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    [`dir(${SIGNATURE})` as const]: {
      doc: "Makes a directory that only its owner can use, under a name that nobody can guess.\n\n" +
        "    salt '*' temp.dir prefix='mytemp-' parent='/var/run/'\n\nparent: where it is made",
      run: (context, args) => make(context, args, (path) => context.runtime.fs.mkdir(path, 0o700)),
    },
    [`file(${SIGNATURE})` as const]: {
      doc: "Makes an empty file that only its owner can use, under a name that nobody can guess.\n\n" +
        "    salt '*' temp.file prefix='mytemp-' parent='/var/run/'\n\nparent: where it is made",
      run: (context, args) =>
        make(context, args, (path) => context.runtime.fs.write(path, "", { how: "create", mode: 0o600 })),
    },
  }),
};
