import { messageOf } from "../../base/errors.ts";
import { allPillarRepositories } from "../../content/git/pillar_remotes.ts";
import { CommandExecutionError, runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";

const given = (value: unknown) => value === null || value === undefined ? undefined : str(value);

/** Repositories of the external pillar `git`. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "update(branch=None, repo=None)": {
      doc:
        "Fetches the remotes of git_pillar: True for those with changes, None without, False for those that failed.\n\n" +
        "    salt-run git_pillar.update branch=main repo=https://git.example.com/pillar.git\n\n" +
        "branch: only the remotes with this branch\nrepo: only the remote with this address or name",
      async run({ runtime, log, opts }, args) {
        const [branch, repo] = [given(args.branch), given(args.repo)];
        const result: Record<string, boolean | null> = {};
        for (const repository of allPillarRepositories({ runtime, log }, opts)) {
          const { remote } = repository;
          if (branch !== undefined && branch !== remote.branch) continue;
          if (repo !== undefined && repo !== remote.url && repo !== remote.name && !remote.id.endsWith(` ${repo}`)) {
            continue;
          }
          try {
            const { changed, failure } = await repository.update();
            result[remote.id] = failure !== undefined ? false : changed ? true : null;
          } catch (error) {
            log.error("git remote cannot be updated", { remote: remote.id, error: messageOf(error) });
            result[remote.id] = false;
          }
        }
        if (Object.keys(result).length > 0) return result;
        throw new CommandExecutionError(
          branch === undefined && repo === undefined
            ? "No git_pillar remotes are configured"
            : "Specified git branch/repo not found in ext_pillar config",
        );
      },
    },
  }),
};
