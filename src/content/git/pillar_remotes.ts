import { joinPath } from "../../base/paths.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";
import type { GitHost } from "./command.ts";
import { gitRemotes } from "./remote.ts";
import { GitRepository } from "./repository.ts";

/** The repositories of one `git` entry of `ext_pillar`. @param remotes the value of that entry */
export function pillarRepositories(host: GitHost, opts: Record<string, unknown>, remotes: unknown): GitRepository[] {
  const cache = joinPath(String(opts.cachedir), "git_pillar");
  return gitRemotes("git_pillar", opts, remotes).map((remote) => new GitRepository(host, remote, cache));
}

/** The repositories of all `git` entries of `ext_pillar`. @throws {ConfigError} for a remote that cannot be used */
export function allPillarRepositories(host: GitHost, opts: Record<string, unknown>): GitRepository[] {
  const entries = Array.isArray(opts.ext_pillar) ? opts.ext_pillar : [];
  const lists = entries.flatMap((entry) => isMap(entry) ? entriesOf(entry) : []).filter(([name]) =>
    str(name) === "git"
  );
  return lists.flatMap(([, remotes]) => pillarRepositories(host, opts, remotes));
}

/** The branch of a remote for a minion, where `__env__` stands for the minion's environment. */
export function pillarBranch({ remote }: GitRepository, environment: string | undefined): string {
  if (remote.branch !== "__env__") return remote.branch;
  if (remote.allSaltenvs !== undefined) return remote.allSaltenvs;
  const target = environment ?? "base";
  return target === "base" ? remote.base : target;
}

export function pillarEnvironment(repository: GitRepository, environment: string | undefined): string {
  const { remote } = repository;
  if (remote.branch === "__env__" && remote.allSaltenvs !== undefined) return environment ?? "base";
  const branch = pillarBranch(repository, environment);
  const env = remote.env !== "" ? remote.env : branch === remote.base ? "base" : branch;
  return env === "__env__" ? environment ?? remote.base : env;
}
