import { str, truthy } from "../../../language/python/values.ts";
import { type GitCheckout, shortSha } from "./repository.ts";

export interface RemoteRevision {
  /** `HEAD`, or the name or commit that was asked for. */
  rev: string;
  /** The commit; undefined for a bare repository or an empty remote one. */
  commit: string | undefined;
  kind: "sha1" | "branch" | "tag" | undefined;
  /** The branch that is to be tracked; null: leave it, false: none. */
  upstream: string | null | false;
  place: string;
  defaultBranch: string | undefined;
  hasHead: boolean;
}

async function refsOf(repository: GitCheckout): Promise<Record<string, string>> {
  const { user, password, output_encoding, name } = repository.args;
  return await repository.context.call("git.remote_refs", [name], {
    heads: false,
    tags: false,
    user,
    password,
    ignore_retcode: false,
    output_encoding,
    ...repository.credentials,
  }).catch(repository.refuses("Failed to check remote refs: ")) as Record<string, string>;
}

function find(
  refs: Record<string, string>,
  rev: string,
  remote: string,
): Pick<RemoteRevision, "rev" | "commit" | "kind" | "upstream"> {
  if (rev === "HEAD") {
    return {
      rev,
      commit: refs.HEAD,
      kind: refs.HEAD === undefined ? undefined : "sha1",
      upstream: refs.HEAD === undefined ? false : null,
    };
  }
  const branch = refs[`refs/heads/${rev}`];
  if (branch !== undefined) return { rev, commit: branch, kind: "branch", upstream: `${remote}/${rev}` };
  const tag = refs[`refs/tags/${rev}^{}`] ?? refs[`refs/tags/${rev}`];
  if (tag !== undefined) return { rev, commit: tag, kind: "tag", upstream: false };
  const isCommit = /^[0-9a-fA-F]{1,40}$/.test(rev);
  const commit = isCommit ? rev.toLowerCase() : undefined;
  return { rev: commit ?? rev, commit, kind: isCommit ? "sha1" : undefined, upstream: false };
}

/** Asks the remote repository. @throws {StateEnd} if it cannot be reached, or has no such revision */
export async function remoteRevision(repository: GitCheckout): Promise<RemoteRevision> {
  const { rev: given, remote, depth } = repository.args;
  const bare = truthy(repository.args.bare) || truthy(repository.args.mirror);
  const refs = await refsOf(repository);
  const head = refs.HEAD;
  const defaultRef = Object.entries(refs).find(([name, sha]) => name.startsWith("refs/heads/") && sha === head)?.[0];
  const found = bare
    ? { rev: given as string, commit: undefined, kind: undefined, upstream: false as const }
    : find(refs, str(given), str(remote));
  if (depth !== null && found.kind !== "branch" && found.kind !== "tag") {
    repository.fail(
      "When 'depth' is used, 'rev' must be set to the name of a branch or tag on the remote repository",
    );
  }
  if (found.commit === undefined && !bare && found.rev !== "HEAD") {
    repository.fail(`No revision matching '${found.rev}' exists in the remote repository`);
  }
  const short = shortSha(found.commit);
  const place = found.kind === "sha1"
    ? (found.rev === "HEAD" ? `remote HEAD (${short})` : short)
    : `${found.kind === "branch" ? found.upstream : found.rev} (${short})`;
  return {
    ...found,
    place,
    defaultBranch: head === undefined ? undefined : defaultRef?.slice("refs/heads/".length),
    hasHead: head !== undefined,
  };
}

export function sameRevision(ours: string | undefined, { commit, kind }: RemoteRevision): boolean {
  if (ours === undefined || commit === undefined) return ours === commit;
  return kind === "sha1" ? ours.startsWith(commit) : ours === commit;
}
