import { fail, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { cloned, present } from "./git/cloned.ts";
import { cloneLatest } from "./git/clone.ts";
import { configSet, configUnset } from "./git/config.ts";
import { detached } from "./git/detached.ts";
import { remoteRevision } from "./git/remote.ts";
import { checkArguments, GitCheckout, onRepository } from "./git/repository.ts";
import { updateLatest } from "./git/update.ts";

/** What is wrong with the arguments of `latest`. */
function problemOf({ remote, target, rev, force_reset }: Args): string | undefined {
  if (!truthy(remote)) return "'remote' argument is required";
  if (!truthy(target)) return "'target' argument is required";
  if (!truthy(rev)) return `'${str(rev)}' is not a valid value for the 'rev' argument`;
  if (typeof force_reset === "boolean" || force_reset === "remote-changes") return undefined;
  return "'force_reset' must be one of True, False, or 'remote-changes'";
}

const USER = "user=None, password=None";
const REMOTE = "identity=None, https_user=None, https_pass=None";

/** Repositories of git: clones that are kept at a revision, their configuration, and repositories of one's own. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "git") === undefined ? { unavailable: "git module could not be loaded" } : true,
  functions: stateFunctions({
    latest: stateFunction({
      signature: `name, target, rev='HEAD', branch=None, ${USER}, update_head=True, force_checkout=False,
        force_clone=False, force_fetch=False, force_reset=False, submodules=False, bare=False, mirror=False,
        remote='origin', fetch_tags=True, sync_tags=True, depth=None, ${REMOTE}, refspec_branch='*',
        refspec_tag='*', output_encoding=None, **kwargs`,
      doc: "The directory is a clone of the repository, at the newest commit of the revision.",
      async run(context, given) {
        return await onRepository(new GitCheckout(context, given), async () => {
          const problem = problemOf(given);
          if (problem !== undefined) fail(problem);
          const args = await checkArguments(context, given, { target: "target", identity: "identity" });
          if (args.rev !== "HEAD" && (truthy(args.bare) || truthy(args.mirror))) {
            fail("'rev' is not compatible with the 'mirror' and 'bare' arguments");
          }
          const repository = new GitCheckout(context, args);
          return await onRepository(repository, async () => {
            const wanted = await remoteRevision(repository);
            const there = await repository.exists(truthy(args.bare) || truthy(args.mirror));
            return there ? await updateLatest(repository, wanted) : await cloneLatest(repository, wanted);
          });
        });
      },
    }),
    detached: stateFunction({
      signature: `name, rev, target, remote='origin', ${USER}, force_clone=False, force_checkout=False,
        fetch_remote=True, hard_reset=False, submodules=False, ${REMOTE}, output_encoding=None, **kwargs`,
      doc: "The directory is a clone of the repository, with that revision checked out and no branch.",
      async run(context, given) {
        return await onRepository(new GitCheckout(context, given), async () => {
          const missing = (["rev", "target"] as const).find((name) => !truthy(given[name]));
          if (missing !== undefined) {
            fail(`'${str(given.rev)}' is not a valid value for the '${missing}' argument`);
          }
          const args = await checkArguments(context, given, { target: "Target", identity: "Identity" });
          return await onRepository(new GitCheckout(context, args), detached);
        });
      },
    }),
    [`cloned(name, target, branch=None, ${USER}, ${REMOTE}, output_encoding=None)` as const]: {
      doc: "The directory is a clone of the repository, of any age; with `branch` that is checked out.",
      run: (context, args) => {
        const repository = new GitCheckout(context, args);
        return onRepository(repository, cloned);
      },
    },
    present: stateFunction({
      signature: `name, force=False, bare=True, template=None, separate_git_dir=None, shared=None, user=None,
        password=None, output_encoding=None`,
      doc: "There is a repository at that place.",
      run: (context, args) => {
        const repository = new GitCheckout(context, { ...args, target: args.name });
        return onRepository(repository, () => present(context, args, repository));
      },
    }),
    config_set: configSet,
    config_unset: configUnset,
  }),
};
