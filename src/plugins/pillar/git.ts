import type { GitRepository } from "../../content/git/repository.ts";
import { pillarBranch, pillarEnvironment, pillarRepositories } from "../../content/git/pillar_remotes.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import type { AnyMap } from "../../language/python/values.ts";

interface Checkout {
  directory: string;
  env: string;
  /** It appears below a directory of the others: it has no top file of its own. */
  mounted: boolean;
}

async function checkoutOf(context: PillarContext, repository: GitRepository): Promise<Checkout | undefined> {
  const { remote } = repository;
  const environment = context.pillarenv ?? context.saltenv;
  // A master fetches by itself from time to time; what was never fetched is fetched now.
  if (repository.refs().atMs === 0) await repository.update();
  const branch = pillarBranch(repository, environment);
  const commit = await repository.resolve(branch, ["branch", "tag"]) ??
    (remote.fallback === "" ? undefined : await repository.resolve(remote.fallback, ["branch", "tag"]));
  const directory = commit === undefined
    ? undefined
    : await repository.checkout(commit, remote.root, remote.mountpoint);
  if (directory === undefined) {
    context.log.error("git pillar has no such branch or tag", { remote: remote.id, branch });
    return undefined;
  }
  return { directory, env: pillarEnvironment(repository, environment), mounted: remote.mountpoint !== "" };
}

/** Pillar from git repositories, each compiled with its own top file. */
export const pillar: ExtPillar = {
  signature: "*repos",
  neverOnDemand: "it fetches what its arguments name",
  async run(context, { repos }) {
    const { opts, runtime, log } = context;
    const repositories = pillarRepositories({ runtime, log }, opts, repos);
    const checkouts: Checkout[] = [];
    for (const repository of repositories) {
      const checkout = await checkoutOf(context, repository);
      if (checkout !== undefined) checkouts.push(checkout);
    }
    let merged: AnyMap = new Map();
    for (const { directory, env, mounted } of checkouts) {
      if (mounted || context.pillarenv !== undefined && context.pillarenv !== env) continue;
      const others = opts.git_pillar_includes === false
        ? []
        : checkouts.filter((other) => other.env === env && other.directory !== directory);
      const compiled = await context.compile({ [env]: [directory, ...others.map((other) => other.directory)] }, env);
      merged = context.merge(merged, compiled);
    }
    return merged;
  },
};
