/** The state `pkgrepo.absent`. */
import { hasFunction, outcome, type StateContext, stateFunction } from "../../../model/loader/states.ts";
import { equal, str, truthy } from "../../../language/python/values.ts";
import { isPpa } from "../../modules/aptpkg/ppa.ts";
import { callError, fails } from "../outcome.ts";
import { strippedUri, wantedRepo } from "./debian.ts";
import { BEWARE, type RepoKeyword } from "./managed.ts";

/** The repository that is meant: some families have short names for those of persons. */
function nameOf({ grains }: StateContext, name: string, keyword: RepoKeyword): string {
  const short = (kind: "ppa" | "copr"): string | undefined => {
    if (!(kind in keyword)) return undefined;
    const text = str(keyword[kind]);
    delete keyword[kind];
    return text.startsWith(`${kind}:`) ? text : `${kind}:${text}`;
  };
  if (["Ubuntu", "Mint"].includes(str(grains.os ?? ""))) return short("ppa") ?? name;
  return grains.os_family === "RedHat" ? short("copr") ?? name : name;
}

export const repoAbsent = stateFunction({
  signature: "name, **kwargs",
  doc: "The repository is not configured; with `keyid` its key is not there either.",
  async run(context, args) {
    const keyword: RepoKeyword = { ...args.kwargs };
    const name = nameOf(context, str(args.name), keyword);
    const ret = (result: boolean | null, comment: string, changes: RepoKeyword = {}) =>
      outcome(args.name, result, comment, changes);
    const withKey = ["keyid", "keyid_ppa"].some((key) => (keyword[key] ?? null) !== null);
    if (withKey && !await hasFunction(context, "pkg.del_repo_key")) {
      return ret(false, "Repo key management is not implemented for this platform");
    }
    const debian = context.grains.os_family === "Debian";
    const repo = debian ? strippedUri(name) : name;
    const there = await context.call("pkg.get_repo", [repo], keyword).catch(
      fails(`Failed to configure repo '${name}': `),
    ) as RepoKeyword;
    const sorted = (list: unknown) => [...new Set((list as string[] | undefined) ?? [])].sort();
    const other = debian && truthy(there) && !isPpa(repo) &&
      !equal(sorted(wantedRepo(context, repo, {}).architectures), sorted(there.architectures));
    if (!truthy(there) || other) return ret(true, `Package repo ${name} is absent`);
    if (context.test) return ret(null, `Package repo '${name}' will be removed. ${BEWARE}`);
    await context.call("pkg.del_repo", [], { repo, ...keyword }).catch(fails("", callError));
    const left = await context.call("pkg.list_repos") as RepoKeyword;
    if (Object.hasOwn(left, repo)) return ret(false, `Failed to remove repo ${name}`);
    const removed = `Removed repo ${name}`;
    if (!withKey) return ret(true, removed, { repo: name });
    const keyid = await context.call("pkg.del_repo_key", [repo], keyword).catch(
      fails(`${removed}, but failed to remove key: `, callError, { changes: { repo: name } }),
    );
    return ret(true, `${removed}, and keyid ${str(keyid)}`, { repo: name, keyid });
  },
});
