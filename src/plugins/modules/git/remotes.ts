import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { keywords } from "../../keywords.ts";
import { checkoutDirectory, git, gitCommand, gitOptionWords, gitOutput, redactedUrl, withCredentials } from "./run.ts";

export const given = (value: unknown): string[] => value === null || value === undefined ? [] : [str(value)];

export const commaList = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : str(value).split(",");

const FETCHED = /^[\s*]*(?:([0-9a-f]+)\.\.([0-9a-f]+)|\[(?:new (tag|branch)|tag update)\])\s+(.+)->/;

/** What a fetch brought: new and updated branches and tags. */
export async function fetchRefs(context: JobContext, args: Args): Promise<Record<string, unknown>> {
  const opts = gitOptionWords(args.opts).filter((option) => option !== "-f" && option !== "--force");
  const text = await gitOutput(context, args, [
    ...gitCommand(args, "fetch"),
    ...(truthy(args.force) ? ["--force"] : []),
    ...opts,
    ...(truthy(args.remote) ? [str(args.remote)] : []),
    ...(args.refspecs === null ? [] : commaList(args.refspecs)),
  ], { redirect: true });
  const found = new Map<string, unknown[]>();
  const updated = new Map<string, { old: string; new: string }>();
  const add = (key: string, name: string) => found.set(key, [...found.get(key) ?? [], name]);
  for (const line of text.split("\n")) {
    const match = FETCHED.exec(line);
    if (match === null) continue;
    const [, old, fresh, kind, ref = ""] = match;
    const name = ref.trimEnd();
    if (kind !== undefined) add(kind === "tag" ? "new tags" : "new branches", name);
    else if (old !== undefined) updated.set(name, { old, new: fresh! });
    else add("updated tags", name);
  }
  return {
    ...Object.fromEntries(found),
    ...(updated.size === 0 ? {} : { "updated branches": Object.fromEntries(updated) }),
  };
}

/** Names of references → the commits that they point at. */
function refsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    splitLines(text).map((line) => /^(\S+)\s+(.*)$/.exec(line)).filter((match) => match !== null)
      .map(([, sha = "", name = ""]) => [name, sha]),
  );
}

export async function lsRemote(context: JobContext, args: Args): Promise<Record<string, string>> {
  const remote = withCredentials(args.remote, args.https_user, args.https_pass);
  const ref = truthy(args.ref) ? [str(args.ref)] : [];
  const words = [...gitCommand(args, "ls-remote"), ...gitOptionWords(args.opts), remote, ...ref];
  const cwd = args.cwd === null ? undefined : checkoutDirectory(context, args);
  return refsOf((await git(context, words, args, { cwd })).stdout);
}

export async function remoteRefs(context: JobContext, args: Args): Promise<Record<string, string>> {
  const { filter } = keywords(args.kwargs, "filter");
  const words = [
    "git",
    "ls-remote",
    ...(truthy(args.heads) ? ["--heads"] : []),
    ...(truthy(args.tags) ? ["--tags"] : []),
    withCredentials(args.url, args.https_user, args.https_pass),
    ...(truthy(filter) ? [str(filter)] : []),
  ];
  return refsOf((await git(context, words, args)).stdout);
}

export async function remotes(context: JobContext, args: Args): Promise<Record<string, Record<string, string>>> {
  const text = await gitOutput(context, args, ["git", "remote", "--verbose"]);
  const found = new Map<string, Record<string, string>>();
  for (const line of splitLines(text)) {
    const [, name, url = "", action = ""] = /^(\S+)\s+(.*)\s+\((fetch|push)\)/.exec(line) ?? [];
    if (name === undefined) continue;
    const shown = truthy(args.redact_auth ?? true) ? redactedUrl(url) : url;
    found.set(name, { ...found.get(name), [action]: shown });
  }
  return Object.fromEntries(found);
}

export async function remoteGet(context: JobContext, args: Args): Promise<unknown> {
  const all = await remotes(context, args);
  const name = str(args.remote);
  if (Object.hasOwn(all, name)) return all[name];
  throw new CommandExecutionError(
    `Remote '${name}' not present in git checkout located at ${checkoutDirectory(context, args)}`,
  );
}

export async function remoteSet(context: JobContext, args: Args): Promise<unknown> {
  const name = str(args.remote);
  const url = withCredentials(args.url, args.https_user, args.https_pass);
  if (Object.hasOwn(await remotes(context, args), name)) await gitOutput(context, args, ["git", "remote", "rm", name]);
  await gitOutput(context, args, ["git", "remote", "add", name, url]);
  if (truthy(args.push_url)) {
    const push = withCredentials(args.push_url, args.push_https_user, args.push_https_pass);
    await gitOutput(context, args, ["git", "remote", "set-url", "--push", name, push]);
  }
  return await remoteGet(context, args);
}
