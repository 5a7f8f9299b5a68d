import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { keywords } from "../../keywords.ts";
import { checkoutDirectory, git, gitCommand, gitOptionWords, gitOutput } from "./run.ts";

export async function mergeBase(context: JobContext, args: Args): Promise<unknown> {
  const { all } = keywords(args.kwargs, "all");
  const { octopus, independent, is_ancestor: isAncestor, fork_point: forkPoint } = args;
  if (truthy(all) && [independent, isAncestor, forkPoint].some(truthy)) {
    throw new SaltInvocationError(
      "The 'all' argument is not compatible with 'independent', 'is_ancestor', or 'fork_point'",
    );
  }
  let refs = args.refs === null
    ? []
    : Array.isArray(args.refs)
    ? args.refs.map(str)
    : str(args.refs).split(",").map((ref) => ref.trim());
  if ([octopus, independent, isAncestor, forkPoint].filter(truthy).length > 1) {
    throw new SaltInvocationError(
      "Only one of 'octopus', 'independent', 'is_ancestor', and 'fork_point' is permitted",
    );
  }
  if (truthy(isAncestor) && refs.length !== 2) {
    throw new SaltInvocationError("Two refs/commits are required if 'is_ancestor' is True");
  }
  if (truthy(forkPoint)) {
    if (refs.length > 1) {
      throw new SaltInvocationError("At most one ref/commit can be passed if 'fork_point' is specified");
    }
    if (refs.length === 0) refs = ["HEAD"];
  }
  const how = truthy(octopus)
    ? ["--octopus"]
    : truthy(isAncestor)
    ? ["--is-ancestor"]
    : truthy(independent)
    ? ["--independent"]
    : truthy(forkPoint)
    ? ["--fork-point", str(forkPoint)]
    : [];
  const words = [
    ...gitCommand(args, "merge-base"),
    ...gitOptionWords(args.opts),
    ...(truthy(all) ? ["--all"] : []),
    ...how,
  ];
  const { retcode, stdout } = await git(context, [...words, ...refs], args, {
    cwd: checkoutDirectory(context, args),
    failHard: !truthy(isAncestor),
  });
  if (truthy(isAncestor)) return retcode === 0;
  const bases = splitLines(stdout);
  return truthy(all) ? bases : bases[0] ?? null;
}

export async function mergeTree(context: JobContext, args: Args): Promise<string> {
  const refs = [str(args.ref1), str(args.ref2)];
  let base: unknown = args.base;
  if (base === null) {
    try {
      base = await mergeBase(context, { cwd: args.cwd, refs, kwargs: {} });
    } catch (error) {
      throw new CommandExecutionError(`Unable to determine merge base for ${refs.join(" and ")}`, { cause: error });
    }
  }
  return await gitOutput(context, args, ["git", "merge-tree", str(base), ...refs]);
}
