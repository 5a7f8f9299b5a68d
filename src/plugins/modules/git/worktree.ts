import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { basename, join } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, isDirectory, isFile } from "../../linux/paths.ts";
import { keywords } from "../../keywords.ts";
import { checkoutDirectory, git, gitCommand, gitOptionWords, gitVersionOf } from "./run.ts";

/** True for a directory that is a further work tree of a repository. */
export async function isWorktree(context: JobContext, args: Args): Promise<boolean> {
  const { fs } = context.runtime;
  const cwd = checkoutDirectory(context, args);
  let top: string;
  try {
    top =
      (await git(context, ["git", "rev-parse", "--show-toplevel"], { ...args, ignore_retcode: true }, { cwd })).stdout;
  } catch (error) {
    if (error instanceof CommandExecutionError) return false;
    throw error;
  }
  // In such a directory .git is a file that says where the repository is.
  const file = join(top, ".git");
  return isFile(fs, file) && /^\s*gitdir:\s+\//.test(fs.readText(file));
}

interface Worktree {
  stale: boolean;
  HEAD: string;
  detached: boolean;
  branch: string | null;
  tags?: string[];
}

/** The work trees of a repository by path; those whose directories are gone only if asked. */
export async function listWorktrees(context: JobContext, args: Args): Promise<Record<string, Worktree>> {
  const cwd = checkoutDirectory(context, args);
  const { all } = keywords(args.kwargs, "all");
  const onlyStale = truthy(args.stale);
  if (truthy(all) && onlyStale) throw new CommandExecutionError("'all' and 'stale' cannot both be set to True");
  const { stdout } = await git(context, ["git", "worktree", "list", "--porcelain"], args, { cwd });
  const found: [string, Worktree][] = [];
  for (const entry of stdout.trim().split("\n\n")) {
    const fields = new Map(
      entry.split("\n").map((line): [string, string] => {
        const [, name = line.trim(), value = ""] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
        return [name, value];
      }),
    );
    const [path, head] = [fields.get("worktree"), fields.get("HEAD")];
    const detached = fields.has("detached");
    if (path === undefined || head === undefined || (!detached && !fields.has("branch"))) continue;
    const stale = !isDirectory(context.runtime.fs, path);
    if (!truthy(all) && stale !== onlyStale) continue;
    const tags = detached
      ? splitLines((await git(context, ["git", "tag", "--points-at", head], args, { cwd })).stdout)
      : [];
    found.push([path, {
      stale,
      HEAD: head,
      detached,
      branch: detached ? null : fields.get("branch")!.replace("refs/heads/", ""),
      ...(tags.length === 0 ? {} : { tags }),
    }]);
  }
  return Object.fromEntries(found);
}

export async function addWorktree(context: JobContext, args: Args): Promise<string> {
  const { branch } = keywords(args.kwargs, "branch");
  const cwd = checkoutDirectory(context, args);
  const path = str(args.worktree_path);
  if (truthy(branch) && truthy(args.detach)) {
    throw new SaltInvocationError("Only one of 'branch' and 'detach' is allowed");
  }
  const words = gitCommand(args, "worktree", "add");
  if (truthy(args.detach)) words.push("--detach");
  else {
    words.push(truthy(args.reset_branch) ? "-B" : "-b", truthy(branch) ? str(branch) : basename(path));
    if (truthy(args.force)) words.push("--force");
  }
  words.push(...gitOptionWords(args.opts), path, ...(truthy(args.ref) ? [str(args.ref)] : []));
  return (await git(context, words, args, { cwd, redirect: true })).stdout;
}

/** From this version on, git lists what it prunes on standard error. */
const TOLD_AS_ERROR = [2, 35, 0];

export async function pruneWorktrees(context: JobContext, args: Args): Promise<string> {
  const words = gitCommand(args, "worktree", "prune");
  if (truthy(args.dry_run)) words.push("--dry-run");
  if (truthy(args.verbose)) words.push("--verbose");
  if (truthy(args.expire)) words.push("--expire", str(args.expire));
  words.push(...gitOptionWords(args.opts));
  const { stdout, stderr } = await git(context, words, args, { cwd: checkoutDirectory(context, args) });
  const version = (await gitVersionOf(context)).split(".").map(Number);
  const at = TOLD_AS_ERROR.findIndex((part, index) => part !== (version[index] ?? 0));
  return at >= 0 && (version[at] ?? 0) > TOLD_AS_ERROR[at]! ? stderr : stdout;
}

export async function removeWorktree(context: JobContext, args: Args): Promise<true> {
  const { fs } = context.runtime;
  const cwd = checkoutDirectory(context, args);
  if (!exists(fs, cwd)) throw new CommandExecutionError(`${cwd} does not exist`);
  if (!await isWorktree(context, args)) throw new CommandExecutionError(`${cwd} is not a git worktree`);
  try {
    fs.remove(cwd, { recursive: true });
  } catch (error) {
    throw new CommandExecutionError(`Unable to remove ${cwd}: ${(error as Error).message}`, { cause: error });
  }
  return true;
}
