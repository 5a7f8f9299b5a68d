import { CommandExecutionError, InvalidArgumentsError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { changes } from "../../packages/lists.ts";
import { changing } from "../../packages/shared_functions.ts";
import { aptGet, dpkgInstalled } from "./dpkg.ts";
import { refresh } from "./refresh.ts";

/** Names, each with a version or null: of a list `[a, {b: '1.2'}]`, or of a text with commas. */
export function aptTargets(value: unknown): Map<string, string | null> {
  const found = new Map<string, string | null>();
  const items = Array.isArray(value) ? value : isMap(value) ? [value] : str(value).split(",");
  for (const item of items) {
    if (isMap(item)) {
      for (const [name, version] of entriesOf(item)) found.set(str(name), version === null ? null : str(version));
    } else if (str(item).trim() !== "") found.set(str(item).trim(), null);
  }
  return found;
}

export async function aptRemove(context: JobContext, verb: "remove" | "purge", args: Args): Promise<unknown> {
  if (!truthy(args.name) && !truthy(args.pkgs)) throw new InvalidArgumentsError("'NoneType' object is not iterable");
  const wanted = [...aptTargets(truthy(args.pkgs) ? args.pkgs : args.name).keys()];
  const before = await dpkgInstalled(context);
  const leftBefore = await dpkgInstalled(context, { removed: true });
  const targets = wanted.flatMap((name) => {
    const matches = compileGlob(name);
    return [...Object.keys(before), ...(verb === "purge" ? Object.keys(leftBefore) : [])].filter(matches);
  });
  if (targets.length === 0) return {};
  const { retcode, stderr } = await aptGet(context, [verb, ...new Set(targets)]);
  const gone = changes(before, await dpkgInstalled(context));
  const done = verb === "remove"
    ? gone
    : { removed: changes(leftBefore, await dpkgInstalled(context, { removed: true })), installed: gone };
  if (retcode !== 0) {
    throw new CommandExecutionError("Problem encountered removing package(s)", {
      info: { errors: stderr === "" ? [] : [stderr], changes: done },
    });
  }
  return done;
}

export async function upgrade(context: JobContext, args: Args): Promise<unknown> {
  if (args.refresh !== false) await refresh(context, {});
  const { kwargs } = args as { kwargs: Args };
  const options = [
    ...(truthy(kwargs.download_only) || truthy(kwargs.downloadonly) ? ["--download-only"] : []),
    ...(truthy(kwargs.allow_downgrades) ? ["--allow-downgrades"] : []),
  ];
  const verb = truthy(args.dist_upgrade) ? "dist-upgrade" : "upgrade";
  return await changing(
    () => dpkgInstalled(context),
    () => aptGet(context, [...options, verb]),
    "Problem encountered upgrading packages",
    ({ retcode, stdout, stderr }, done) => ({ changes: done, result: { retcode, stdout, stderr } }),
  );
}
