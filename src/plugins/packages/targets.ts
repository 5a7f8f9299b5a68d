/** What functions about packages are asked for: names with versions, or files. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../model/loader/family.ts";
import { entriesOf, isMap, repr, sizeOf, str, truthy } from "../../language/python/values.ts";
import { parseLine } from "../../language/yaml/line.ts";

type Host = Pick<JobContext, "call" | "functions" | "log" | "grains">;

/** Package → version, or null for any. */
export type WantedPackage = Map<string, string | null>;

const has = async (context: Host, name: string): Promise<boolean> => "signature" in await context.functions.find(name);

/** How this host writes the name of a package. */
async function normalizer(context: Host, normalize: boolean): Promise<(name: string) => Promise<string>> {
  if (!normalize || !await has(context, "pkg.normalize_name")) return (name) => Promise.resolve(name);
  return async (name) => str(await context.call("pkg.normalize_name", [name]));
}

/** Entries of `[a, {b: 1}]`; empty, with an error in the log, for what has another form. */
function entriesOfList(context: Pick<Host, "log">, value: unknown): [unknown, unknown][] {
  const list = typeof value === "string" ? parseLine(value) : value;
  const wrong = (why: string) => {
    context.log.error("cannot read a list of packages", { why });
    return [];
  };
  if (!Array.isArray(list)) return wrong("it is no list");
  const found = new Map<unknown, unknown>();
  for (const item of list) {
    if (isMap(item)) {
      if (sizeOf(item) !== 1) return wrong(`${repr(item)} has not one key`);
      const [key, of] = entriesOf(item)[0]!;
      found.set(key, of);
    } else if (item === null || Array.isArray(item)) return wrong(`${repr(item)} is neither name nor map`);
    else found.set(item, null);
  }
  return [...found];
}

/** Names and versions of `pkgs`. @throws {SaltInvocationError} if a package is there twice */
export async function repackPkgs(context: Host, pkgs: unknown, normalize = true): Promise<WantedPackage> {
  const name = await normalizer(context, normalize);
  const found: WantedPackage = new Map();
  for (const [key, version] of entriesOfList(context, pkgs)) {
    found.set(await name(str(key)), version === null ? null : str(version));
  }
  const count = typeof pkgs === "string" || Array.isArray(pkgs) ? pkgs.length : isMap(pkgs) ? sizeOf(pkgs) : 0;
  if (count !== found.size) {
    throw new SaltInvocationError(
      `You are passing a list of packages that contains duplicated packages names: ${repr(pkgs)}. This cannot be ` +
        "processed. In case you are targeting different versions of the same package, please target them individually",
    );
  }
  return found;
}

/** Names and places of `sources`; empty for what is no list of maps with one key each. */
export async function packSources(context: Host, sources: unknown, normalize = true): Promise<Map<string, string>> {
  const name = await normalizer(context, normalize);
  const list = typeof sources === "string" ? parseLine(sources) : sources;
  const found = new Map<string, string>();
  for (const item of Array.isArray(list) ? list : [null]) {
    if (!isMap(item) || sizeOf(item) !== 1) {
      context.log.error("cannot read sources of packages: expected a list of maps with one key each", {});
      return new Map();
    }
    const [key, place] = entriesOf(item)[0]!;
    found.set(await name(str(key)), str(place));
  }
  return found;
}

export type PackageTargets =
  | { kind: "repository"; wanted: WantedPackage }
  | { kind: "file"; paths: string[] }
  | { kind: "advisory"; ids: string[] };

export interface TargetOptions {
  name?: unknown;
  pkgs?: unknown;
  sources?: unknown;
  saltenv?: unknown;
  normalize?: boolean;
  version?: unknown;
  advisory_ids?: unknown;
}

async function cachedSource(context: Host, name: string, place: string, saltenv: unknown): Promise<string> {
  if (truthy(await context.call("config.valid_fileproto", [place]))) {
    const path = await context.call("cp.cache_file", [place, saltenv]);
    if (!truthy(path)) throw new CommandExecutionError(`Unable to cache source ${place} for package ${name}`);
    return str(path);
  }
  if (place.startsWith("/")) return place;
  throw new SaltInvocationError(`Path ${place} for package ${name} is either not absolute or an invalid protocol`);
}

/** What `name`, `pkgs` or `sources` name; undefined, with a line in the log, if that is nothing. */
export async function parseTargets(context: Host, options: TargetOptions): Promise<PackageTargets | undefined> {
  const { name, pkgs, sources, version = null, saltenv = "base", normalize = true } = options;
  const nothing = (message: string): undefined => {
    context.log.error(message, {});
    return undefined;
  };
  if (truthy(pkgs) && truthy(sources)) return nothing('Only one of "pkgs" and "sources" can be used.');
  if ("advisory_ids" in options) {
    if (truthy(pkgs)) return nothing('Cannot use "advisory_ids" and "pkgs" at the same time');
    const ids = truthy(options.advisory_ids) ? options.advisory_ids : [name];
    return { kind: "advisory", ids: (Array.isArray(ids) ? ids : [ids]).map(str) };
  }
  if (truthy(pkgs)) {
    if (version !== null) context.log.warning("'version' argument will be ignored for multiple package targets", {});
    const wanted = await repackPkgs(context, pkgs, normalize);
    return wanted.size === 0 ? undefined : { kind: "repository", wanted };
  }
  if (truthy(sources)) {
    const places = await packSources(context, sources, normalize);
    if (places.size === 0) return undefined;
    const paths: string[] = [];
    for (const [one, place] of places) paths.push(await cachedSource(context, one, place, saltenv));
    return { kind: "file", paths };
  }
  if (!truthy(name)) return nothing("No package sources provided");
  const written = await normalizer(context, normalize);
  const wanted: WantedPackage = new Map();
  for (const one of str(name).split(",")) wanted.set(await written(one), version === null ? null : str(version));
  return { kind: "repository", wanted };
}
