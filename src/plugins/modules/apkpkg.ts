import type { Args } from "../../model/loader/signature.ts";
import type { JobContext } from "../../model/loader/context.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  type ExecutionModule,
} from "../../model/loader/family.ts";
import { isTrue } from "../../language/python/is_true.ts";
import { splitLines } from "../../language/python/lines.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { type CommandOutcome, runAll } from "../commands.ts";
import { changing, versionFunctions } from "../packages/shared_functions.ts";
import { changes, type PackageList, sortPkglist, stringify } from "../packages/lists.ts";
import { clearRefreshTag } from "../packages/refresh_tag.ts";
import { parseTargets, type Wanted } from "../packages/targets.ts";

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

async function latestVersion(context: JobContext, names: string[], { refresh: asked = true }: Args): Promise<unknown> {
  if (names.length === 0) return "";
  if (isTrue(asked)) await refresh(context);
  const there = stringify(await installed(context));
  const newer = upgradesIn((await ask(context, "upgrade", "-s")).stdout);
  const found: Record<string, string> = {};
  for (const name of names) {
    const listed = splitLines((await ask(context, "search", name)).stdout).map(splitName);
    const version = newer[name] ?? listed.find((pair) => pair?.[0] === name)?.[1] ?? "";
    found[name] = version === there[name] ? "" : version;
  }
  return names.length === 1 ? found[names[0]!] : found;
}

/** The packages as apk is asked for them: `a`, `a=1.0-r0`, `a>=1.0`. */
const written = (wanted: Wanted): string[] =>
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

const removing = (doc: string, name: string, ...flags: string[]) =>
  executionFunction({
    signature: "name=None, pkgs=None, **kwargs",
    doc: `${doc}\n\n    salt '*' pkg.${name} foo,bar`,
    async run(context, args) {
      const found = await parseTargets(context, { name: args.name, pkgs: args.pkgs });
      const names = found?.kind === "repository" ? [...found.wanted.keys()] : [];
      if (names.length === 0) return {};
      return await change(context, ["del", ...flags, ...names]);
    },
  });

async function files(context: JobContext, names: unknown[]): Promise<unknown> {
  if (names.length === 0) return "Package name should be provided";
  const packages: Record<string, string[]> = {};
  for (const name of names.map(str)) {
    const lines = splitLines((await ask(context, "info", "-L", name)).stdout);
    const found = lines.filter((line) => line !== "" && !line.endsWith("contains:"));
    if (found.length > 0) packages[name] = found;
  }
  return { errors: [], packages };
}

const { version, latest_version } = versionFunctions(latestVersion);

/** Packages of Alpine. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Alpine" ? "pkg" : { unavailable: "Packages are not handled by apk here" },
  functions: executionFunctions({
    "list_pkgs(versions_as_list=False, **kwargs)": {
      doc: "The installed packages with their versions.\n\n    salt '*' pkg.list_pkgs",
      async run(context, { versions_as_list, kwargs }) {
        if (isTrue(kwargs.removed) || isTrue(kwargs.purge_desired)) return {};
        const found = await installed(context);
        return isTrue(versions_as_list) ? found : stringify(found);
      },
    },
    version,
    latest_version,
    "list_upgrades(refresh=True, **kwargs)": {
      doc: "The packages that an upgrade would update.\n\n    salt '*' pkg.list_upgrades",
      async run(context, args): Promise<Record<string, string>> {
        if (isTrue(args.refresh)) await refresh(context);
        const { retcode, stdout, stderr } = await ask(context, "upgrade", "-s");
        if (retcode !== 0) throw new CommandExecutionError(stderr + stdout);
        return upgradesIn(stdout);
      },
    },
    "refresh_db(**kwargs)": {
      doc: "Fetches the lists of packages.\n\n    salt '*' pkg.refresh_db",
      run: refresh,
    },
    "install(name=None, refresh=False, pkgs=None, sources=None, **kwargs)": {
      doc: "Installs packages: one with its `version`, several as `pkgs`, or files as `sources`.\n\n" +
        "    salt '*' pkg.install pkgs='[foo, {bar: 1.2.3-r0}]' refresh=True",
      async run(context, args): Promise<unknown> {
        const targets = await targetsOf(context, args);
        if (targets.length === 0) return {};
        if (isTrue(args.refresh)) await refresh(context);
        const there = await installed(context);
        const update = targets.some((one) => there[one] !== undefined) ? ["-u"] : [];
        const trusted = truthy(args.sources) ? ["--allow-untrusted"] : [];
        return await change(context, ["add", ...update, ...trusted, ...targets]);
      },
    },
    remove: removing("Removes packages.", "remove"),
    purge: removing("Removes packages and their configuration.", "purge", "--purge"),
    "upgrade(name=None, pkgs=None, refresh=True, **kwargs)": {
      doc: "Upgrades all packages, or those that are named.\n\n    salt '*' pkg.upgrade",
      async run(context, args): Promise<unknown> {
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
    },
    "file_list(*packages, **kwargs)": {
      doc: "Another name of pkg.file_dict.\n\n    salt '*' pkg.file_list httpd",
      run: (context, { packages }) => files(context, packages),
    },
    "file_dict(*packages, **kwargs)": {
      doc: "The files of packages by package.\n\n    salt '*' pkg.file_dict httpd",
      run: (context, { packages }) => files(context, packages),
    },
    "owner(*paths, **kwargs)": {
      doc: "The packages that files belong to.\n\n    salt '*' pkg.owner /bin/ls",
      async run(context, { paths }): Promise<unknown> {
        if (paths.length === 0) return "You must provide a path";
        const found: Record<string, string> = {};
        for (const path of paths.map(str)) {
          const said = (await ask(context, "info", "-W", path)).stdout;
          found[path] = / is owned by (\S+)/.exec(said)?.[1] ?? "Could not find owner package";
        }
        return found;
      },
    },
  }),
};
