import { end, type StateReturn } from "../../../model/loader/states.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { type RemoteRevision, sameRevision } from "./remote.ts";
import { formatComments, type GitCheckout } from "./repository.ts";
import { trackingChange, upstreamOf } from "./tracking.ts";

function optionsOf({ args }: GitCheckout, rev: string, kind: "mirror" | "bare" | undefined): string[] {
  return [
    ...(kind === undefined ? [] : [`--${kind}`]),
    ...(args.remote === "origin" ? [] : ["--origin", str(args.remote)]),
    ...(args.depth === null ? [] : ["--depth", str(args.depth), "--branch", rev]),
  ];
}

/** Puts the new working tree at the revision that is wanted. */
async function settle(repository: GitCheckout, wanted: RemoteRevision): Promise<void> {
  const { args, comments } = repository;
  const { rev, commit, kind, upstream, place } = wanted;
  if (commit === undefined) {
    if (rev !== "HEAD") {
      repository.fail(`Repository was cloned but is empty, so ${str(args.remote)}/${rev} cannot be checked out`);
    }
    return;
  }
  if (kind === "tag" && !(await repository.call("list_tags") as string[]).includes(rev)) {
    repository.fail(`Revision '${rev}' does not exist in clone`);
  }
  const branch = args.branch === null ? undefined : str(args.branch);
  if (branch !== undefined && !(await repository.branches()).includes(branch)) {
    const start = rev === "HEAD" ? commit : typeof upstream === "string" ? upstream : rev;
    await repository.call("checkout", { rev: start, opts: ["-b", branch] });
    comments.push(`Branch '${branch}' checked out, with ${place} as a starting point`);
  }
  const local = await repository.head();
  const localBranch = await repository.branch();
  if (localBranch === undefined && !wanted.hasHead) {
    repository.fail(
      "Remote HEAD refers to a ref that does not exist. This can happen when the default branch on the remote " +
        "repository is renamed or deleted. If you are unable to fix the remote repository, you can work around this by " +
        "setting the 'branch' argument (which will ensure that the named branch is created if it does not already " +
        "exist).",
    );
  }
  if (!sameRevision(local, wanted)) {
    await repository.call("reset", { opts: ["--hard", commit] });
    comments.push(`Repository was reset to ${place}`);
  }
  const change = trackingChange(await upstreamOf(repository, localBranch) ?? "", wanted);
  if (change === undefined) return;
  if (
    change.opts[0] !== "--unset-upstream" && branch !== undefined && !(await repository.branches()).includes(branch)
  ) {
    return;
  }
  await repository.call("branch", { opts: change.opts });
  comments.push(change.did);
}

/** The part of `git.latest` where there is no repository yet. */
export async function cloneLatest(repository: GitCheckout, wanted: RemoteRevision): Promise<StateReturn> {
  const { args, comments, context, ret, target } = repository;
  const kind = truthy(args.mirror) ? "mirror" : truthy(args.bare) ? "bare" : undefined;
  const what = `${str(args.name)} => ${target}`;
  repository.clear((comment) => {
    ret.changes["forced clone"] = true;
    ret.changes.new = what;
    end(null, comment);
  });
  if (context.test) {
    ret.changes.new = what;
    end(null, `Repository ${str(args.name)} would be cloned to ${target}`);
  }
  await repository.clone(optionsOf(repository, wanted.rev, kind)).catch(repository.refuses("Clone failed: "));
  ret.changes.new = what;
  const as = kind === "mirror" ? " as mirror" : kind === "bare" ? " as bare repository" : "";
  comments.push(`${str(args.name)} cloned to ${target}${as}`);
  if (kind === undefined) await settle(repository, wanted);
  if (truthy(args.submodules) && wanted.commit !== undefined) await repository.updateSubmodules();
  const head = await repository.head();
  ret.comment = formatComments(comments);
  if (head !== undefined) ret.changes.revision = { old: null, new: head };
  return ret;
}
