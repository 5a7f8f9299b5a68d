import { messageFor } from "../outcome.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { end, type StateReturn } from "../../../model/loader/states.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { formatComments, type GitCheckout } from "./repository.ts";

const wouldBe = (comment: string): never => {
  end(null, comment);
};

/** Clones, or points the remote to the address. @returns the commit that is checked out */
async function prepare(repository: GitCheckout, isHash: boolean): Promise<string | undefined> {
  const { args, comments, context, target } = repository;
  const [name, remote] = [str(args.name), str(args.remote)];
  if (!await repository.exists()) {
    repository.clear(wouldBe);
    if (context.test) wouldBe(`Repository ${name} would be cloned to ${target}`);
    await repository.clone(["--no-checkout", ...(remote === "origin" ? [] : ["--origin", remote])]);
    comments.push(`${name} cloned to ${target}`);
    return undefined;
  }
  const head = await repository.head();
  if (isHash) return head;
  const remotes = await repository.call("remotes", { redact_auth: false }) as Record<string, { fetch: string }>;
  const now = remotes[remote]?.fetch;
  if (now?.includes(name) === true) return head;
  if (context.test) wouldBe(`Remote ${remote} would be set to ${name}`);
  const { https_user, https_pass } = args;
  await repository.call("remote_set", { url: name, remote, https_user, https_pass });
  comments.push(`Remote ${remote} updated from '${now ?? "None"}' to '${name}'`);
  return head;
}

async function fetch(repository: GitCheckout): Promise<void> {
  const { args, comments, context } = repository;
  const remote = str(args.remote);
  if (context.test) wouldBe(`Repository remote ${remote} would be fetched`);
  const refspecs = [`refs/heads/*:refs/remotes/${remote}/*`, "+refs/tags/*:refs/tags/*"];
  const changed = await repository.call("fetch", { remote, force: true, refspecs, ...repository.key }).catch(
    repository.refuses("Fetch failed:\n\n", messageFor(CommandExecutionError)),
  );
  if (truthy(changed)) comments.push(`Remote ${remote} was fetched, resulting in updated refs`);
}

/** The commit that is to be checked out. */
async function commitOf(repository: GitCheckout, rev: string, isHash: boolean): Promise<string> {
  const { args, context, target } = repository;
  if (isHash) {
    if (truthy(await repository.call("describe", { rev }))) return rev;
    return repository.fail(`Revision '${rev}' does not exist`);
  }
  const { user, password, output_encoding, remote } = args;
  const refs = await context.call("git.remote_refs", [target], {
    user,
    password,
    output_encoding,
    ignore_retcode: false,
    ...repository.credentials,
  }).catch(repository.refuses(`Failed to list refs for ${str(remote)}: `)) as Record<string, string>;
  return refs[`refs/remotes/${str(remote)}/${rev}`] ?? refs[`refs/tags/${rev}`] ??
    repository.fail(`Revision '${rev}' does not exist`);
}

/** `git.detached`: a commit, tag or branch of the remote is checked out as it is. */
export async function detached(repository: GitCheckout): Promise<StateReturn> {
  const { args, comments, context, ret, target } = repository;
  const isHash = /^[0-9a-fA-F]{1,40}$/.test(str(args.rev));
  const rev = isHash ? str(args.rev).toLowerCase() : str(args.rev);
  const head = await prepare(repository, isHash);
  const here = isHash && head !== undefined &&
    await repository.ask("describe", { rev, ignore_retcode: true }) !== undefined;
  if (!here && args.fetch_remote !== false) await fetch(repository);
  const commit = await commitOf(repository, rev, isHash);
  if (truthy(args.hard_reset)) {
    if (context.test) wouldBe(`Hard reset to HEAD would be performed on ${target}`);
    await repository.call("reset", { opts: ["--hard", "HEAD"] });
    comments.push("Repository was reset to HEAD before checking out revision");
  }
  let moved: string | undefined;
  if (commit !== head) {
    if (context.test) {
      ret.changes.HEAD = { old: head ?? null, new: commit };
      wouldBe(`Commit ID ${commit} would be checked out at ${target}`);
    }
    await repository.call("checkout", { rev: commit, force: args.force_checkout });
    comments.push(`Commit ID ${commit} was checked out at ${target}`);
    moved = await repository.head();
  }
  if (truthy(args.submodules)) {
    await repository.updateSubmodules();
    comments.push("Submodules were updated");
  }
  if (moved !== undefined) ret.changes.HEAD = { old: head ?? null, new: moved };
  else comments.push("Already checked out at correct revision");
  ret.comment = formatComments(comments);
  return ret;
}
