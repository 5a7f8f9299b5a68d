import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { join } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { isDirectory, isLink, lookAt, realPath } from "../../linux/paths.ts";
import { matchesStart, searchFor } from "../../modules/file/regexp.ts";
import { remove } from "../../modules/file/tree.ts";
import { failed, failureOf, namedPath } from "./ret.ts";

const UNITS = "bkmgtpezy";

/** A size with a unit in bytes: `10k`, `10KiB` by 1024, `10kb` by 1000. Zero for what is no size. */
function bytesOf(size: unknown): number {
  if (typeof size !== "string") return Number(size);
  const match = /^([0-9.]*)\s*(.*)$/.exec(size.trim());
  const value = Number(match?.[1] || NaN);
  const unit = (match?.[2] ?? "").toLowerCase() || "b";
  const fits = unit === "b" || /^[kmgtpezy](?:b|ib)?$/.test(unit);
  if (Number.isNaN(value) || !fits) return 0;
  const power = UNITS.indexOf(unit[0]!);
  return Math.trunc(value * (/^[kmgtpezy]b$/.test(unit) ? 1000 : 1024) ** power);
}

/** Everything below a directory, what is deepest first. A directory reached twice over links is walked once. */
function* deepestFirst(
  context: StateContext,
  directory: string,
  follow: boolean,
  seen: Set<string>,
): Generator<string> {
  const { fs } = context.runtime;
  const real = realPath(context.runtime, directory);
  if (seen.has(real)) return;
  seen.add(real);
  let names: string[];
  try {
    names = fs.list(directory);
  } catch {
    // What cannot be read has nothing that could be tidied.
    return;
  }
  const directories = names.filter((name) => isDirectory(fs, join(directory, name)));
  for (const name of directories) {
    const path = join(directory, name);
    if (follow || !isLink(fs, path)) yield* deepestFirst(context, path, follow, seen);
  }
  const known = new Set(directories);
  for (const name of [...names.filter((name) => !known.has(name)), ...directories]) yield join(directory, name);
}

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => {
  const date = new Date(ms);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS);
};

/** Whether a file is old or large enough. */
function ripeness(context: StateContext, args: Args): (stat: FileStat, size: number) => boolean {
  const times = { atime: "atimeMs", ctime: "ctimeMs", mtime: "mtimeMs" } as const;
  const chosen = str(args.time_comparison).toLowerCase();
  const time = times[chosen as keyof typeof times] ?? "atimeMs";
  const today = dayOf(context.runtime.clock.now());
  const [age, least] = [Number(args.age), bytesOf(args.size)];
  const only = truthy(args.age_size_only) ? str(args.age_size_only).toLowerCase() : "";
  const both = str(args.age_size_logical_operator).toUpperCase() === "AND";
  return (stat, size) => {
    const old = Math.abs(today - dayOf(stat[time])) >= age;
    const large = size >= least;
    if (only === "age") return old;
    if (only === "size") return large;
    return both ? old && large : old || large;
  };
}

/** What a name must match. */
function meant(args: Args): (name: string) => boolean {
  const compiled = (patterns: unknown) => [patterns].flat().map((pattern) => searchFor(pattern));
  const matches = compiled(args.matches ?? ".*");
  const excluded = truthy(args.exclude) ? compiled(args.exclude) : [];
  return (name) =>
    matches.some((pattern) => matchesStart(pattern, name)) && !excluded.some((pattern) => matchesStart(pattern, name));
}

/** `file.tidied`: old or large files below a directory are removed. */
export async function tidied(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const { name, ret } = namedPath(context, "tidied", args.name);
  if (!name.startsWith("/")) return failed(ret, `Specified file ${name} is not an absolute path`);
  if (!isDirectory(fs, name)) return failed(ret, `${name} does not exist or is not a directory.`);
  const [ripe, matches] = [ripeness(context, args), meant(args)];
  const due: string[] = [];
  for (const path of deepestFirst(context, name, truthy(args.followlinks), new Set())) {
    const link = isLink(fs, path);
    const stat = lookAt(fs, path, { follow: !link });
    if (stat === undefined) continue;
    const directory = !link && stat.kind === "directory";
    const allowed = link ? truthy(args.rmlinks) : directory ? truthy(args.rmdirs) : true;
    const shown = truthy(args.full_path_match) ? path : path.slice(path.lastIndexOf("/") + 1);
    if (allowed && ripe(stat, link || directory ? 0 : stat.size) && matches(shown)) due.push(path);
  }
  if (due.length === 0) return Object.assign(ret, { comment: `Nothing to remove from directory ${name}` });
  if (context.test) {
    return Object.assign(ret, { result: null, comment: `${name} is set for tidy`, changes: { removed: due } });
  }
  const removed: string[] = [];
  ret.changes.removed = removed;
  for (const path of due) {
    const failure = await failureOf(() => remove(context, path));
    if (failure !== undefined) return failed(ret, failure);
    removed.push(path);
  }
  ret.comment = `Removed ${due.length} files or directories from directory ${name}`;
  return ret;
}
