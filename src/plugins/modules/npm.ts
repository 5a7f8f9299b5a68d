import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, entriesOf, isFloat, isInteger, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { type CommandOutcome, programPath, runAll } from "../commands.ts";
import { findAccount } from "../../runtime/accounts.ts";

/** Places of a text where a JSON value may begin that are looked at. */
const MOST_BEGINNINGS = 20;

/** The first JSON list or map in what npm prints; undefined for none. */
function findJson(text: string): unknown {
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  const beginnings = [...text.matchAll(/^[ \t]*[{[]/gm)].slice(0, MOST_BEGINNINGS);
  for (const { index } of beginnings) {
    try {
      return JSON.parse(text.slice(index, end));
    } catch {
      // A line of the log that begins with a bracket.
    }
  }
  return undefined;
}

/** Runs npm; as another user it is told whose files it makes. */
async function npm(context: JobContext, words: string[], { runas, env, cwd }: Args, options: Args = {}) {
  const account = truthy(runas) ? findAccount(context.runtime, str(runas)) : undefined;
  const own = account !== undefined && account.uid !== 0 ? { SUDO_UID: String(account.uid), SUDO_USER: "" } : {};
  const given = isMap(env) ? Object.fromEntries(entriesOf(env).map(([name, value]) => [str(name), value])) : {};
  return await runAll(context, ["npm", ...words], {
    runas: runas ?? null,
    env: { ...given, ...own },
    cwd: cwd ?? null,
    ...options,
  });
}

const failed = ({ retcode, stderr }: CommandOutcome): boolean => retcode !== 0 && stderr !== "";

/** Packages of Node, by npm. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "npm") !== undefined ||
    {
      unavailable: "npm execution module could not be loaded because the npm binary could not be located",
    },
  functions: executionFunctions({
    install: executionFunction({
      signature:
        "pkg=None, pkgs=None, dir=None, runas=None, registry=None, env=None, dry_run: bool=False, silent: bool=True",
      doc: "Installs packages, or what a directory's package.json names.\n\n" +
        "    salt '*' npm.install coffee-script@1.0.1\n    salt '*' npm.install dir=/srv/app\n\n" +
        "dir: the directory that they are installed in; otherwise they are the host's",
      async run(context, args): Promise<unknown> {
        const pkgs = truthy(args.pkg) ? [str(args.pkg)] : truthy(args.pkgs) ? (args.pkgs as unknown[]).map(str) : [];
        const words = [
          "install",
          "--json",
          ...(args.silent ? ["--silent"] : []),
          ...(truthy(args.dir) ? [] : ["--global"]),
          ...(truthy(args.registry) ? [`--registry=${str(args.registry)}`] : []),
          ...(args.dry_run ? ["--dry-run"] : []),
          ...pkgs,
        ];
        const cwd = truthy(args.dir) ? args.dir : "/";
        const { retcode, stdout, stderr } = await npm(context, words, { ...args, cwd });
        if (retcode !== 0) throw new CommandExecutionError(stderr);
        const printed = stdout || stderr;
        return findJson(printed) ?? printed;
      },
    }),
    "uninstall(pkg: str, dir=None, runas=None, env=None)": {
      doc: "Removes a package; True if that succeeded.\n\n    salt '*' npm.uninstall coffee-script dir=/srv/app\n\n" +
        "dir: the directory that it is installed in; otherwise it is the host's",
      async run(context, args): Promise<boolean> {
        const words = ["uninstall", args.pkg, ...(truthy(args.dir) ? [] : ["--global"])];
        const { retcode, stderr } = await npm(context, words, { ...args, cwd: args.dir });
        if (retcode !== 0) context.log.error("npm did not uninstall a package", { package: args.pkg, stderr });
        return retcode === 0;
      },
    },
    "list(pkg=None, dir=None, runas=None, env=None, depth=None)": {
      doc: "The installed packages.\n\n    salt '*' npm.list dir=/srv/app\n\n" +
        "dir: the directory that they are installed in; otherwise those of the host\n" +
        "depth: how many levels of what they need",
      async run(context, args): Promise<unknown> {
        const { depth } = args;
        if (depth !== null && !isInteger(depth) && !isFloat(depth)) {
          throw new SaltInvocationError(`Error: depth ${str(depth)} must be a number`);
        }
        const words = [
          ...["list", "--json", "--silent"],
          ...(truthy(args.dir) ? [] : ["--global"]),
          ...(depth === null ? [] : [`--depth=${Math.trunc(Number(depth))}`]),
          ...(truthy(args.pkg) ? [str(args.pkg)] : []),
        ];
        const result = await npm(context, words, { ...args, cwd: args.dir }, { ignore_retcode: true });
        if (failed(result)) throw new CommandExecutionError(result.stderr);
        const found = findJson(result.stdout);
        if (!isMap(found)) throw new CommandExecutionError(`npm list printed no map: ${repr(result.stdout)}`);
        return (found as Args).dependencies ?? {};
      },
    },
    "cache_clean(path=None, runas=None, env=None, force=False)": {
      doc: "Cleans npm's cache; npm 5 and newer does that by `force` alone.\n\n    salt '*' npm.cache_clean force=True",
      async run(context, args): Promise<boolean> {
        const force = args.force === true ? ["--force"] : [];
        const words = ["cache", "clean", ...(truthy(args.path) ? [str(args.path)] : []), ...force];
        const { retcode, stderr } = await npm(context, words, args, { ignore_retcode: true });
        if (retcode !== 0) context.log.error("npm did not clean its cache", { stderr });
        return retcode === 0;
      },
    },
    "cache_list(path=None, runas=None, env=None)": {
      doc: "What npm's cache has.\n\n    salt '*' npm.cache_list",
      async run(context, args): Promise<string> {
        const words = ["cache", "ls", ...(truthy(args.path) ? [str(args.path)] : [])];
        const result = await npm(context, words, args, { ignore_retcode: true });
        if (failed(result)) throw new CommandExecutionError(result.stderr);
        return result.stdout;
      },
    },
    "cache_path(runas=None, env=None)": {
      doc: "The directory of npm's cache.\n\n    salt '*' npm.cache_path",
      async run(context, args) {
        const { stdout, stderr } = await npm(context, ["config", "get", "cache"], args, { ignore_retcode: true });
        return stdout || stderr;
      },
    },
  }),
};
