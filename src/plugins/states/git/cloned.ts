import { fails, messageFor } from "../outcome.ts";
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { end, fail, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { joinPath } from "../../../base/paths.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, isDirectory, isFile, isLink } from "../../linux/paths.ts";
import { withCredentials } from "../../modules/git/run.ts";
import { type GitCheckout, gitFailure } from "./repository.ts";

const answer = (ret: StateReturn, result: boolean | null, comment: string, changes = {}): StateReturn => ({
  ...ret,
  result,
  comment,
  changes,
});

async function changeBranch(repository: GitCheckout, branch: string, ret: StateReturn): Promise<StateReturn> {
  const { context, target } = repository;
  const now = await repository.call("current_branch");
  if (now === branch) {
    return answer(ret, true, `Repository already exists at ${target} and is checked out to branch '${branch}'`);
  }
  const changes = { branch: { old: now, new: branch } };
  if (context.test) return answer(ret, null, `Branch would be changed to '${branch}'`, changes);
  const isNew = await repository.resolve(branch) === undefined;
  const where = isNew ? { rev: `origin/${branch}`, opts: ["-b", branch] } : { rev: branch, opts: null };
  await repository.call("checkout", where).catch(
    fails(`Failed to change branch to '${branch}': `, messageFor(CommandExecutionError), ret),
  );
  return answer(ret, true, `Branch changed to '${branch}'`, changes);
}

/** `git.cloned`: there is a clone, whatever is in it; with `branch` that is checked out. */
export async function cloned(repository: GitCheckout): Promise<StateReturn> {
  const { args, context, target } = repository;
  const ret: StateReturn = { name: args.name, result: false, comment: "", changes: {} };
  if (args.target === null) return answer(ret, false, "'target' argument is required");
  if (!target.startsWith("/")) return answer(ret, false, "'target' path must be absolute");
  const branch = args.branch === null ? undefined : str(args.branch);
  if (branch === "") return answer(ret, false, "Invalid 'branch' argument");
  if (exists(context.runtime.fs, target)) {
    await repository.call("status").catch(fails("", messageOf, ret));
    if (branch === undefined) return answer(ret, true, `Repository already exists at ${target}`);
    return await changeBranch(repository, branch, ret);
  }
  withCredentials(args.name, args.https_user, args.https_pass);
  const changes = { new: `${str(args.name)} => ${target}` };
  const how = branch === undefined ? "" : ` with branch '${branch}'`;
  if (context.test) return answer(ret, null, `${str(args.name)} would be cloned to ${target}${how}`, changes);
  await repository.clone(branch === undefined ? [] : ["--branch", branch]).catch(
    fails("Clone failed: ", gitFailure, ret),
  );
  return answer(ret, true, `${str(args.name)} cloned to ${target}${how}`, changes);
}

/** `git.present`: there is a repository of our own. */
export async function present(
  context: StateContext,
  args: Args,
  repository: GitCheckout,
): Promise<StateReturn> {
  const { fs } = context.runtime;
  const { ret } = repository;
  const name = str(args.name);
  const bare = truthy(args.bare);
  const kind = bare ? "bare " : "";
  if (isDirectory(fs, name)) {
    if (bare ? isFile(fs, joinPath(name, "HEAD")) : await repository.exists()) return ret;
    if (truthy(args.force)) {
      if (context.test) {
        ret.changes = { new: name, "forced init": true };
        end(
          null,
          `Target directory ${name} exists. Since force=True, the contents of ${name} would be deleted, and a ` +
            `${kind}repository would be initialized in its place.`,
        );
      }
      fs.remove(name, isLink(fs, name) ? {} : { recursive: true });
      ret.changes["forced init"] = true;
    } else if (fs.list(name).length > 0) {
      fail(
        `Target '${name}' exists, is non-empty, and is not a git repository. Set the 'force' option to True to remove ` +
          "this directory's contents and proceed with initializing a repository",
      );
    }
  }
  if (context.test) {
    ret.changes.new = name;
    end(null, `New ${kind}repository would be created`);
  }
  const { template, separate_git_dir, shared } = args;
  await repository.call("init", { bare, template, separate_git_dir, shared });
  const actions = [
    `Initialized ${kind}repository in ${name}`,
    ...(truthy(template) ? [`Template directory set to ${str(template)}`] : []),
    ...(truthy(separate_git_dir) ? [`Gitdir set to ${str(separate_git_dir)}`] : []),
  ];
  ret.changes.new = name;
  ret.comment = actions.join(". ") + (actions.length > 1 ? "." : "");
  return ret;
}
