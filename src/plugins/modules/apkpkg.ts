import { CommandExecutionError, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { type Args, isTrue, str, truthy } from "../../language/python/values.ts";
import { splitLines } from "../../language/python/text.ts";
import { type CommandOutcome, runAll } from "../commands.ts";
import { packageFunctions } from "../packages/functions.ts";
import { changing, listFunctions, type PackageFiles, versionFunctions } from "../packages/shared_functions.ts";
import { changes, clearRefreshTag, type PackageList, sortPkglist, stringify } from "../packages/lists.ts";
import { parseTargets, type WantedPackage } from "../packages/targets.ts";

const ask = (context: JobContext, ...words: string[]): Promise<CommandOutcome> =>
  runAll(context, ["apk", ...words], { ignore_retcode: true });

/** Name and version of `py3-six-1.16.0-r9`. */
function splitName(line: string): [name: string, version: string] | undefined {
  const [, name, version] = /^(.+)-([^-]+-r\d+)$/.exec(line.trim()) ?? [];
  return name === undefined ? undefined : [name, version!];
}

async function installed(context: JobContext): Promise<PackageList> {
  const found: PackageList = {};
  for (const line of splitLines((await ask(context, "info", "-v")).stdout)) {
    const pair = splitName(line);
    if (pair !== undefined) (found[pair[0]] ??= []).push(pair[1]);
  }
  return sortPkglist(found);
}

async function refresh(context: JobContext): Promise<true> {
  clearRefreshTag(context);
  const { retcode, stdout, stderr } = await ask(context, "update");
  if (retcode === 0) return true;
  throw new CommandExecutionError("Problem encountered installing package(s)", {
    info: { errors: [stdout || stderr], changes: false },
  });
}

/** What an upgrade would do: `(1/3) Upgrading a (1.0-r0 -> 1.1-r0)`. */
const upgradesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/Upgrading (\S+) \(\S+ -> (\S+)\)/g)].map(([, name, version]) => [name, version!]),
  );

async function newest(context: JobContext, names: string[]): Promise<Record<string, string>> {
  const there = stringify(await installed(context));
  const newer = upgradesIn((await ask(context, "upgrade", "-s")).stdout);
  const found: Record<string, string> = {};
  for (const name of names) {
    const listed = splitLines((await ask(context, "search", name)).stdout).map(splitName);
    const version = newer[name] ?? listed.find((pair) => pair?.[0] === name)?.[1] ?? "";
    found[name] = version === there[name] ? "" : version;
  }
  return found;
}

/** The packages as apk is asked for them: `a`, `a=1.0-r0`, `a>=1.0`. */
const written = (wanted: WantedPackage): string[] =>
  [...wanted].map(([name, version]) =>
    version === null ? name : /^[<>=~]/.test(version) ? `${name}${version}` : `${name}=${version}`
  );

const change = (context: JobContext, words: string[]): Promise<unknown> =>
  changing(
    async () => stringify(await installed(context)),
    () => runAll(context, ["apk", ...words]),
    "Problem encountered installing package(s)",
  );

async function targetsOf(context: JobContext, { name, pkgs, sources = null, kwargs }: Args): Promise<string[]> {
  const { version = null, saltenv = "base" } = kwargs as Args;
  const found = await parseTargets(context, { name, pkgs, sources, version, saltenv });
  if (found === undefined || found.kind === "advisory") return [];
  return found.kind === "file" ? found.paths : written(found.wanted);
}

async function remove(context: JobContext, { name, pkgs }: Args, ...flags: string[]): Promise<unknown> {
  const found = await parseTargets(context, { name, pkgs });
  const names = found?.kind === "repository" ? [...found.wanted.keys()] : [];
  return names.length === 0 ? {} : await change(context, ["del", ...flags, ...names]);
}

async function files(context: JobContext, names: unknown[]): Promise<PackageFiles> {
  if (names.length === 0) return "Package name should be provided";
  const packages: Record<string, string[]> = {};
  for (const name of names.map(str)) {
    const lines = splitLines((await ask(context, "info", "-L", name)).stdout);
    const found = lines.filter((line) => line !== "" && !line.endsWith("contains:"));
    if (found.length > 0) packages[name] = found;
  }
  return { errors: [], packages };
}

const { version, latest_version } = versionFunctions({ refresh, newest });

/** Packages of Alpine. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Alpine" ? "pkg" : { unavailable: "Packages are not handled by apk here" },
  functions: packageFunctions({
    ...listFunctions(installed),
    version,
    latest_version,
    async "list_upgrades(refresh=True, **kwargs)"(context, args): Promise<Record<string, string>> {
      if (isTrue(args.refresh)) await refresh(context);
      const { retcode, stdout, stderr } = await ask(context, "upgrade", "-s");
      if (retcode !== 0) throw new CommandExecutionError(stderr + stdout);
      return upgradesIn(stdout);
    },
    "refresh_db(**kwargs)": refresh,
    async "install(name=None, refresh=False, pkgs=None, sources=None, **kwargs)"(context, args): Promise<unknown> {
      const targets = await targetsOf(context, args);
      if (targets.length === 0) return {};
      if (isTrue(args.refresh)) await refresh(context);
      const there = await installed(context);
      const update = targets.some((one) => there[one] !== undefined) ? ["-u"] : [];
      const trusted = truthy(args.sources) ? ["--allow-untrusted"] : [];
      return await change(context, ["add", ...update, ...trusted, ...targets]);
    },
    "remove(name=None, pkgs=None, **kwargs)": (context, args) => remove(context, args),
    "purge(name=None, pkgs=None, **kwargs)": (context, args) => remove(context, args, "--purge"),
    async "upgrade(name=None, pkgs=None, refresh=True, **kwargs)"(context, args): Promise<unknown> {
      if (isTrue(args.refresh)) await refresh(context);
      const before = stringify(await installed(context));
      const named = truthy(args.name) || truthy(args.pkgs) ? await targetsOf(context, args) : [];
      const words = named.length > 0 ? ["add", "-u", ...named] : ["upgrade"];
      const { retcode, stdout } = await runAll(context, ["apk", ...words], { redirect_stderr: true });
      return {
        changes: changes(before, stringify(await installed(context))),
        result: retcode === 0,
        comment: retcode === 0 ? "" : stdout,
      };
    },
    "file_list(*packages, **kwargs)": (context, { packages }) => files(context, packages),
    "file_dict(*packages, **kwargs)": (context, { packages }) => files(context, packages),
    async "owner(*paths, **kwargs)"(context, { paths }): Promise<unknown> {
      if (paths.length === 0) return "You must provide a path";
      const found: Record<string, string> = {};
      for (const path of paths.map(str)) {
        const said = (await ask(context, "info", "-W", path)).stdout;
        found[path] = / is owned by (\S+)/.exec(said)?.[1] ?? "Could not find owner package";
      }
      return found;
    },
  }),
};
