import { end, type StateReturn } from "../../../model/loader/states.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { redacted } from "../../modules/file/hash.ts";
import { withCredentials } from "../../modules/git/run.ts";
import { type RemoteRevision, sameRevision } from "./remote.ts";
import { formatComments, type GitCheckout, shortSha } from "./repository.ts";
import { type TrackingChange, trackingChange, upstreamOf } from "./tracking.ts";

/** How a working tree stands before it is updated. */
interface Standing {
  head: string | undefined;
  branch: string | undefined;
  branches: string[];
  tags: Set<string>;
  /** The commit that the wanted one is compared with. */
  base: string | undefined;
  baseBranch: string | undefined;
  /** The wanted branch is another than the one that is checked out. */
  switches: boolean;
  /** HEAD is what is wanted. */
  matches: boolean;
  dirty: boolean;
  hasCommit: boolean;
}

const wantedBranch = ({ args }: GitCheckout) => args.branch === null ? undefined : str(args.branch);

async function standingOf(repository: GitCheckout, wanted: RemoteRevision): Promise<Standing> {
  const branches = await repository.branches();
  const tags = new Set(await repository.call("list_tags") as string[]);
  const head = await repository.head();
  const branch = await repository.branch();
  if (!isBare(repository) && wanted.commit === undefined && head !== undefined) {
    repository.fail("Remote repository is empty, cannot update from a non-empty to an empty repository");
  }
  const other = wantedBranch(repository);
  const switches = other !== undefined && other !== branch;
  let [base, baseBranch] = [head, branch];
  if (switches && !branches.includes(other)) base = wanted.commit;
  else if (switches) {
    baseBranch = other;
    base = await repository.resolve(`${other}^{commit}`);
    if (base === undefined) repository.fail(`Unable to get position of local branch '${other}': it has no commit`);
  }
  const difference = isBare(repository) ? "" : await repository.ask("diff", { item1: "HEAD" });
  const dirty = truthy(difference);
  const matches = sameRevision(head, wanted);
  return { head, branch, branches, tags, base, baseBranch, switches, matches, dirty, hasCommit: false };
}

const isBare = ({ args }: GitCheckout): boolean => truthy(args.bare) || truthy(args.mirror);

/** True if the wanted commit need not be fetched. */
async function hasCommit(repository: GitCheckout, wanted: RemoteRevision, standing: Standing): Promise<boolean> {
  const { commit, kind, rev, upstream } = wanted;
  if (commit === undefined) return false;
  if (kind === "sha1" && standing.base?.startsWith(commit) === true) return true;
  if (await repository.resolve(`${commit}^{commit}`) === undefined) return false;
  if (kind === "sha1") return true;
  if (kind === "branch") return await repository.resolve(str(upstream)) === commit;
  if (!standing.tags.has(rev)) return false;
  const local = await repository.resolve(`${rev}^{commit}`);
  if (local === commit) return true;
  if (truthy(repository.args.force_reset)) return false;
  return repository.fail(
    `'${rev}' is a tag, but the remote SHA1 for this tag (${shortSha(commit)}) doesn't match the local SHA1 ` +
      `(${shortSha(local)}). Set 'force_reset' to True to force this update.`,
  );
}

const isAncestor = async (repository: GitCheckout, base: string | undefined, commit: string): Promise<boolean> =>
  base === undefined || truthy(
    await repository.call("merge_base", { refs: [base, commit], is_ancestor: true, ignore_retcode: true }),
  );

/** Why a repository is not updated without force. */
function refuseReset(repository: GitCheckout, wanted: RemoteRevision, standing: Standing): never {
  const { rev, defaultBranch } = wanted;
  const { branch, dirty } = standing;
  const other = wantedBranch(repository);
  let advice = "";
  if (other === undefined && rev !== "HEAD" && branch !== rev) {
    advice =
      ` The desired rev (${rev}) differs from the name of the local branch (${branch ?? "None"}), if the desired ` +
      "rev is a branch name then a forced update could possibly be avoided by setting the 'branch' argument to " +
      `'${rev}' instead.`;
  } else if (other === undefined && rev === "HEAD" && defaultBranch !== undefined && branch !== defaultBranch) {
    advice =
      ` The default remote branch (${defaultBranch}) differs from the local branch (${branch ?? "None"}). This ` +
      "could be caused by changing the default remote branch, or if the local branch was manually changed. Rather than " +
      `forcing an update, it may be advisable to set the 'branch' argument to '${defaultBranch}' instead. To ensure ` +
      `that this state follows the '${defaultBranch}' branch instead of the remote HEAD, set the 'rev' argument to ` +
      `'${defaultBranch}'.`;
  }
  const [from, to] = [shortSha(standing.base), shortSha(wanted.commit)];
  const move = dirty && from !== to ? `from ${from} to ${to}` : `to ${to}`;
  const after = standing.switches ? ` (after checking out local branch '${other}')` : "";
  const why = dirty ? "there are uncommitted changes" : "this is not a fast-forward merge";
  return repository.fail(
    `Repository would be updated ${move}${after}, but ${why}. Set 'force_reset' to True` +
      `${dirty ? " (or 'remote-changes')" : ""} to force this update${dirty ? " and discard these changes" : ""}.` +
      advice,
  );
}

function upToDate(repository: GitCheckout, actions: readonly string[], dirty = false): StateReturn {
  const { context, ret, target } = repository;
  const purge = dirty ? ", but with uncommitted changes. Set 'force_reset' to True to purge uncommitted changes." : "";
  const would = context.test ? "that would be " : "";
  const more = actions.length > 0 ? `\n\nChanges ${would}made: ${formatComments(actions)}` : "";
  ret.comment = `Repository ${target} is up-to-date${purge}${more}`;
  return ret;
}

/** What a dry run says of what it would do. */
function predicted(repository: GitCheckout, standing: Standing, actions: string[]): StateReturn {
  const { ret, args } = repository;
  if (Object.keys(ret.changes).length > 0) end(null, formatComments(actions));
  if (!standing.matches && !truthy(args.update_head) && actions.length > 0) {
    ret.comment = formatComments(actions);
    return ret;
  }
  return upToDate(repository, actions);
}

/** What is to be done with HEAD; undefined: it is not known before a fetch. */
type FastForward = boolean | undefined;

const mergeWord = (forward: FastForward) =>
  forward === false ? "hard-reset" : forward === true ? "fast-forwarded" : "updated";

function predictUpdate(
  repository: GitCheckout,
  wanted: RemoteRevision,
  standing: Standing,
  forward: FastForward,
  tracking: TrackingChange | undefined,
): StateReturn {
  const { args, ret } = repository;
  const { head, switches, matches, hasCommit: here } = standing;
  const [from, to] = [shortSha(head), shortSha(wanted.commit)];
  const branch = wantedBranch(repository);
  const actions: string[] = [];
  if (!here) actions.push(`Remote '${str(args.remote)}' would be fetched`);
  if (!matches && (truthy(args.update_head) || switches)) {
    ret.changes.revision = { old: head ?? null, new: wanted.commit };
  }
  if (switches && !standing.branches.includes(branch!)) {
    actions.push(`New branch '${branch}' would be checked out, with ${wanted.place} as a starting point`);
    if (typeof wanted.upstream === "string") actions.push(`Tracking branch would be set to ${wanted.upstream}`);
  } else if (switches) actions.push(`Branch '${branch}' would be checked out and ${mergeWord(forward)} to ${to}`);
  else if (!matches && !truthy(args.update_head)) {
    actions.push(
      `Local HEAD (${from}) does not match ${wanted.place} but update_head=False, HEAD would not be updated locally`,
    );
  } else if (!matches) {
    const word = forward === true ? "fast-forwarded" : truthy(args.force_reset) && here ? "hard-reset" : "updated";
    actions.push(`Repository would be ${word} from ${from} to ${to}`);
  }
  if (tracking !== undefined) actions.push(tracking.would);
  return predicted(repository, standing, actions);
}

/** Makes the remote point to the address. @returns the return of a dry run */
async function setRemote(
  repository: GitCheckout,
  wanted: RemoteRevision,
  standing: Standing,
  forward: FastForward,
): Promise<StateReturn | undefined> {
  const { args, comments, context, ret } = repository;
  const remotes = await repository.call("remotes", { redact_auth: false }) as Record<string, { fetch: string }>;
  const remote = str(args.remote);
  const now = remotes[remote]?.fetch;
  const url = withCredentials(args.name, args.https_user, args.https_pass);
  if (wanted.commit === undefined || now === url) return undefined;
  const change = `from ${now === undefined ? "None" : redacted(now)} to ${redacted(url)}`;
  if (context.test) {
    const actions = [`Remote '${remote}' would be changed ${change}`];
    if (!standing.hasCommit) actions.push("Remote would be fetched");
    if (!standing.matches && truthy(args.update_head)) {
      ret.changes.revision = { old: standing.head ?? null, new: wanted.commit };
      if (forward === false) ret.changes["forced update"] = true;
      actions.push(`Repository would be ${mergeWord(forward)} to ${shortSha(wanted.commit)}`);
    }
    return predicted(repository, standing, actions);
  }
  const { https_user, https_pass } = args;
  await repository.call("remote_set", { url: args.name, remote, https_user, https_pass });
  if (now === undefined) {
    comments.push(`Remote '${remote}' set to ${redacted(url)}`);
    ret.changes.new = `${str(args.name)} => ${remote}`;
  } else comments.push(`Remote '${remote}' changed ${change}`);
  return undefined;
}

async function fetch(repository: GitCheckout): Promise<boolean> {
  const { args } = repository;
  const remote = str(args.remote);
  const [branches, tags] = [str(args.refspec_branch), str(args.refspec_tag)];
  const refspecs = truthy(args.fetch_tags)
    ? [`refs/heads/${branches}:refs/remotes/${remote}/${branches}`, `+refs/tags/${tags}:refs/tags/${tags}`]
    : [];
  const options = { remote, force: args.force_fetch, refspecs, ...repository.key };
  return truthy(
    await repository.call("fetch", options).catch(repository.refuses(
      "Fetch failed. Set 'force_fetch' to True to force the fetch if the failure was due to not being able to " +
        "fast-forward. Output of the fetch command follows:\n\n",
    )),
  );
}

/** Compares the tags. @returns true if they are the same */
async function syncTags(repository: GitCheckout, { tags }: Standing): Promise<boolean> {
  const { args, comments, ret } = repository;
  const listed = await repository.call("ls_remote", {
    remote: args.remote,
    opts: "--tags",
    ignore_retcode: true,
    ...repository.key,
  }) as Record<string, string>;
  const theirs = new Set(
    Object.keys(listed).filter((ref) => !ref.includes("^{}")).map((ref) => ref.replace("refs/tags/", "")),
  );
  const added = [...theirs].filter((tag) => !tags.has(tag));
  const gone = [...tags].filter((tag) => !theirs.has(tag));
  if (added.length > 0) ret.changes.new_tags = added;
  if (truthy(args.sync_tags) && gone.length > 0) {
    for (const tag of gone) await repository.call("tag", { name: tag, opts: "-d" });
    ret.changes.deleted_tags = gone;
    comments.push(`The following tags were removed from the local checkout: ${gone.join(", ")}`);
  }
  return added.length === 0 && gone.length === 0;
}

const unmoved = (wanted: RemoteRevision, head: string | undefined) => {
  const { place, rev } = wanted;
  const subject = rev === "HEAD" ? `${place[0]!.toUpperCase()}${place.slice(1).toLowerCase()}` : place;
  return `${subject} is already present and local HEAD (${
    shortSha(head)
  }) does not match, but update_head=False. HEAD ` +
    "has not been updated locally.";
};

/** Refuses to leave a branch with changes of its own. */
function refuseLeaving(repository: GitCheckout, { switches, dirty, branch }: Standing): void {
  if (!switches || !dirty || truthy(repository.args.force_checkout)) return;
  repository.fail(
    `Local branch '${branch ?? "None"}' has uncommitted changes. Set 'force_checkout' to True to discard ` +
      "them and proceed.",
  );
}

async function checkOut(repository: GitCheckout, wanted: RemoteRevision, standing: Standing): Promise<void> {
  const { args, comments } = repository;
  if (!standing.switches) return;
  const branch = wantedBranch(repository)!;
  refuseLeaving(repository, standing);
  const isNew = !standing.branches.includes(branch);
  const start = wanted.rev === "HEAD"
    ? wanted.commit
    : typeof wanted.upstream === "string"
    ? wanted.upstream
    : wanted.rev;
  const opts = isNew ? ["-b", branch] : [];
  await repository.call("checkout", { rev: isNew ? start : branch, force: args.force_checkout, opts });
  comments.push(
    isNew
      ? `New branch '${branch}' was checked out, with ${wanted.place} as a starting point`
      : `'${branch}' was checked out`,
  );
}

async function moveHead(
  repository: GitCheckout,
  wanted: RemoteRevision,
  standing: Standing,
  forward: boolean,
  tracking: TrackingChange | undefined,
): Promise<void> {
  const { args, comments, ret } = repository;
  const { commit, rev, upstream, place } = wanted;
  if (!forward) {
    await repository.call("reset", { opts: ["--hard", commit] });
    ret.changes["forced update"] = true;
    if (standing.dirty) comments.push("Uncommitted changes were discarded");
    comments.push(`Repository was hard-reset to ${place}`);
  } else if (standing.dirty && args.force_reset !== false) {
    await repository.call("discard_local_changes");
    comments.push("Uncommitted changes were discarded");
  }
  if (tracking !== undefined) {
    await repository.call("branch", { opts: tracking.opts });
    comments.push(tracking.did);
  }
  if (!forward || sameRevision(standing.base, wanted)) return;
  if (typeof upstream !== "string" && rev !== "HEAD") {
    await repository.call("reset", { opts: ["--hard", rev] });
    comments.push(`Repository was reset to ${rev} (fast-forward)`);
    return;
  }
  if (!truthy(await repository.ask("symbolic_ref", { ref: "HEAD", opts: ["--quiet"], ignore_retcode: true }))) {
    repository.fail("Unable to fast-forward, HEAD is detached");
  }
  await repository.call("merge", { rev: commit, opts: ["--ff-only"] });
  comments.push(`Repository was fast-forwarded to ${place}`);
}

/** Fetches what is missing. @returns whether HEAD can be moved forward, or the return if it shall stay */
async function fetchMissing(
  repository: GitCheckout,
  wanted: RemoteRevision,
  standing: Standing,
  forward: FastForward,
): Promise<boolean | StateReturn> {
  const { args, comments, ret } = repository;
  if (await syncTags(repository, standing) && standing.hasCommit) return forward ?? true;
  if (await fetch(repository)) comments.push(`${str(args.name)} was fetched, resulting in updated refs`);
  if (await repository.resolve(`${wanted.commit}^{commit}`) === undefined) {
    repository.fail(`Fetch did not successfully retrieve rev '${wanted.rev}' from ${str(args.name)}`);
  }
  if (!standing.matches && !truthy(args.update_head) && !standing.switches) {
    ret.comment = unmoved(wanted, standing.head);
    return ret;
  }
  const ahead = await isAncestor(repository, standing.base, wanted.commit!);
  if (args.force_reset === false && (!ahead || standing.dirty)) refuseReset(repository, wanted, standing);
  return ahead;
}

/** What is told before anything else of a working tree with changes of its own. */
function checkDirty(repository: GitCheckout, standing: Standing): StateReturn | undefined {
  const { args, context, ret, target } = repository;
  if (!standing.dirty || !standing.matches) return undefined;
  if (args.force_reset !== true) return upToDate(repository, [], true);
  if (!context.test) return undefined;
  ret.changes["forced update"] = true;
  end(
    null,
    `${target} is up-to-date, but with uncommitted changes. Since 'force_reset' is set to True, these local changes ` +
      "would be reset. To only reset when there are changes in the remote repository, set 'force_reset' to " +
      "'remote-changes'.",
  );
}

async function updateBare(repository: GitCheckout): Promise<StateReturn | undefined> {
  const message = `Bare repository at ${repository.target} would be fetched`;
  if (repository.context.test) return upToDate(repository, [message]);
  const changed = await fetch(repository);
  repository.comments.push(
    `Bare repository at ${repository.target} was fetched${changed ? ", resulting in updated refs" : ""}`,
  );
  return undefined;
}

async function updateTree(
  repository: GitCheckout,
  wanted: RemoteRevision,
  standing: Standing,
): Promise<StateReturn | undefined> {
  const { args, ret } = repository;
  let forward: FastForward = standing.dirty && args.force_reset !== "remote-changes" ? false : undefined;
  if (standing.hasCommit) {
    if (!standing.matches && !truthy(args.update_head) && !standing.switches) {
      ret.comment = unmoved(wanted, standing.head);
      return ret;
    }
    if (forward !== false) forward = await isAncestor(repository, standing.base, wanted.commit!);
  }
  if (forward === false && args.force_reset === false) refuseReset(repository, wanted, standing);
  const tracking = trackingChange(await upstreamOf(repository, standing.baseBranch), wanted);
  const dry = await setRemote(repository, wanted, standing, forward);
  if (dry !== undefined) return dry;
  if (wanted.commit === undefined) return undefined;
  if (tracking !== undefined && standing.branch === undefined) {
    repository.fail(
      "Cannot set/unset upstream tracking branch, local HEAD refers to nonexistent branch. This may have been caused " +
        "by cloning a remote repository for which the default branch was renamed or deleted. If you are unable to fix " +
        "the remote repository, you can work around this by setting the 'branch' argument (which will ensure that the " +
        "named branch is created if it does not already exist).",
    );
  }
  if (repository.context.test) {
    refuseLeaving(repository, standing);
    return predictUpdate(repository, wanted, standing, forward, tracking);
  }
  const ahead = await fetchMissing(repository, wanted, standing, forward);
  if (typeof ahead !== "boolean") return ahead;
  await checkOut(repository, wanted, standing);
  const keeps = tracking?.opts[0] === "--set-upstream-to" && standing.switches &&
    !standing.branches.includes(wantedBranch(repository)!);
  await moveHead(repository, wanted, standing, ahead, keeps ? undefined : tracking);
  if (truthy(args.submodules)) await repository.updateSubmodules();
  return undefined;
}

/** The part of `git.latest` where there is a repository. */
export async function updateLatest(repository: GitCheckout, wanted: RemoteRevision): Promise<StateReturn> {
  const { comments, ret } = repository;
  const standing = await standingOf(repository, wanted);
  const dirty = checkDirty(repository, standing);
  if (dirty !== undefined) return dirty;
  standing.hasCommit = await hasCommit(repository, wanted, standing);
  const ended = isBare(repository) ? await updateBare(repository) : await updateTree(repository, wanted, standing);
  if (ended !== undefined) return ended;
  const head = await repository.head();
  if (!isBare(repository) && !sameRevision(head, wanted)) repository.fail("Failed to update repository");
  if (standing.head === head) return upToDate(repository, comments);
  ret.comment = formatComments(comments);
  ret.changes.revision = { old: standing.head ?? null, new: head ?? null };
  return ret;
}
