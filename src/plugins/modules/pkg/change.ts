import type { JobContext } from "../../../loader/context.ts";
import { CommandExecutionError, InvalidArgumentsError, SaltInvocationError } from "../../../loader/family.ts";
import { entriesOf, isMap } from "../../../python/containers.ts";
import { splitLines } from "../../../python/lines.ts";
import { str } from "../../../python/repr.ts";
import { truthy } from "../../../python/truth.ts";
import { compileGlob } from "../../../python/glob.ts";
import { aptGet, changes, installed, policies } from "./dpkg.ts";
import { refresh } from "./refresh.ts";

type Args = Record<string, unknown>;

/** Names, each with a version or null: of a list `[a, {b: '1.2'}]`, or of a text with commas. */
export function targetsOf(value: unknown): Map<string, string | null> {
  const found = new Map<string, string | null>();
  const items = Array.isArray(value) ? value : isMap(value) ? [value] : str(value).split(",");
  for (const item of items) {
    if (isMap(item)) {
      for (const [name, version] of entriesOf(item)) found.set(str(name), version === null ? null : str(version));
    } else if (str(item).trim() !== "") found.set(str(item).trim(), null);
  }
  return found;
}

/** `>=1.2` and globs choose among the available versions. */
async function versionOf(context: JobContext, name: string, wanted: string): Promise<string> {
  if (!/[*?[]/.test(wanted)) return wanted.replace(/^={1,2}/, "");
  const matches = compileGlob(wanted);
  const found = (await policies(context, [name]))[name]?.all.find(matches);
  if (found === undefined) {
    throw new CommandExecutionError(`No version matching '${wanted}' found for package '${name}'`);
  }
  return found;
}

const errorsIn = (text: string): string[] => splitLines(text).filter((line) => line.startsWith("E:"));

export async function install(context: JobContext, args: Args): Promise<unknown> {
  const { kwargs } = args as { kwargs: Args };
  if (truthy(args.pkgs) && truthy(args.sources)) {
    throw new SaltInvocationError('Only one of "pkgs" and "sources" can be used.');
  }
  if (truthy(args.refresh)) await refresh(context, {});
  const words: string[] = [];
  const names: string[] = [];
  const failed: string[] = [];
  if (truthy(args.sources)) {
    for (const [name, uri] of targetsOf(args.sources)) {
      const path = await context.call("cp.cache_file", [uri ?? name]);
      if (typeof path !== "string" || path === "") failed.push(`Unable to fetch ${uri}`);
      else {
        words.push(path);
        names.push(name);
      }
    }
  } else {
    const targets = truthy(args.pkgs) ? targetsOf(args.pkgs) : truthy(args.name) ? targetsOf(args.name) : new Map();
    const version = kwargs.version;
    if (targets.size === 1 && truthy(version)) targets.set([...targets.keys()][0], str(version));
    for (const [name, wanted] of targets) {
      words.push(wanted === null ? name : `${name}=${await versionOf(context, name, wanted)}`);
      names.push(name);
    }
  }
  if (words.length === 0 && failed.length === 0) return {};
  const before = await installed(context);
  const options: string[] = [];
  if (truthy(args.skip_verify)) options.push("--allow-unauthenticated");
  if (truthy(args.fromrepo)) options.push("-t", str(args.fromrepo));
  if (truthy(args.downloadonly)) options.push("--download-only");
  if (truthy(args.reinstall)) options.push("--reinstall");
  if (kwargs.install_recommends === false) options.push("--no-install-recommends");
  if (words.some((word) => word.includes("=")) || truthy(args.sources)) options.push("--allow-downgrades");
  if (truthy(kwargs.only_upgrade)) options.push("--only-upgrade");
  if (truthy(kwargs.force_conf_new)) options.push("-o", "DPkg::Options::=--force-confnew");
  if (words.length > 0) {
    const { retcode, stderr } = await aptGet(context, [...options, "install", ...words]);
    if (retcode !== 0) failed.push(...(errorsIn(stderr).length > 0 ? errorsIn(stderr) : [stderr]));
  }
  const after = await installed(context);
  const done: Record<string, unknown> = changes(before, after);
  if (truthy(args.reinstall)) {
    for (const name of names) {
      if (failed.length === 0 && before[name] !== undefined) {
        done[name] ??= { old: before[name], new: after[name] ?? "" };
      }
    }
  }
  if (failed.length > 0) {
    throw new CommandExecutionError("Problem encountered installing package(s)", {
      info: { errors: failed, changes: done },
    });
  }
  return done;
}

export async function remove(context: JobContext, verb: "remove" | "purge", args: Args): Promise<unknown> {
  if (!truthy(args.name) && !truthy(args.pkgs)) throw new InvalidArgumentsError("'NoneType' object is not iterable");
  const wanted = [...targetsOf(truthy(args.pkgs) ? args.pkgs : args.name).keys()];
  const before = await installed(context);
  const leftBefore = await installed(context, { removed: true });
  const targets = wanted.flatMap((name) => {
    const matches = compileGlob(name);
    return [...Object.keys(before), ...(verb === "purge" ? Object.keys(leftBefore) : [])].filter(matches);
  });
  if (targets.length === 0) return {};
  const { retcode, stderr } = await aptGet(context, [verb, ...new Set(targets)]);
  const gone = changes(before, await installed(context));
  const done = verb === "remove"
    ? gone
    : { removed: changes(leftBefore, await installed(context, { removed: true })), installed: gone };
  if (retcode !== 0) {
    throw new CommandExecutionError("Problem encountered removing package(s)", {
      info: { errors: stderr === "" ? [] : [stderr], changes: done },
    });
  }
  return done;
}

export async function upgrade(context: JobContext, args: Args): Promise<unknown> {
  if (args.refresh !== false) await refresh(context, {});
  const before = await installed(context);
  const { kwargs } = args as { kwargs: Args };
  const options = [
    ...(truthy(kwargs.download_only) || truthy(kwargs.downloadonly) ? ["--download-only"] : []),
    ...(truthy(kwargs.allow_downgrades) ? ["--allow-downgrades"] : []),
  ];
  const verb = truthy(args.dist_upgrade) ? "dist-upgrade" : "upgrade";
  const { retcode, stderr, stdout } = await aptGet(context, [...options, verb]);
  const done = changes(before, await installed(context));
  if (retcode !== 0) {
    throw new CommandExecutionError("Problem encountered upgrading packages", {
      info: { changes: done, result: { retcode, stdout, stderr } },
    });
  }
  return done;
}
