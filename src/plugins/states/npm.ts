import { CommandExecutionError, CommandNotFoundError } from "../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { fails, messageFor } from "./outcome.ts";

type Packages = Map<string, Record<string, unknown>>;

/** The text of an error of the execution module; any other is thrown again. */
const said = messageFor(CommandExecutionError, CommandNotFoundError);

const packagesOf = (value: unknown): Packages =>
  new Map((isMap(value) ? entriesOf(value) : []).map(([name, of]) => [
    str(name),
    isMap(of) ? Object.fromEntries(entriesOf(of)) : {},
  ]));

const cameFrom = (there: Packages, address: string): boolean =>
  [...there.values()].some(({ from }) => {
    const place = str(from ?? "").split("://")[1];
    if (place === undefined) return false;
    const full = address.startsWith("git://") && !place.endsWith(".git") ? `${place}.git` : place;
    return address.split("://")[1] === full;
  });

/** `@scope/name@1.0`: its name, and its version or undefined. */
function splitPackage(text: string): { name: string; version: string | undefined } {
  const [, name = text, version] = /^(@?[^@\s]+)(?:@(\S+))?/.exec(text) ?? [];
  return { name, version };
}

function sorted(wanted: string[], there: Packages, force: boolean): { install: string[]; satisfied: string[] } {
  const install: string[] = [];
  const satisfied: string[] = [];
  for (const text of wanted) {
    const { name, version } = splitPackage(text);
    const installed = there.get(name)?.version;
    if (!force && installed === undefined && name.includes("://") && cameFrom(there, name)) satisfied.push(name);
    else if (force || installed === undefined || (version !== undefined && installed !== version)) install.push(text);
    else satisfied.push(`${name}@${str(installed)}`);
  }
  return { install, satisfied };
}

async function installed(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, dir, user, registry, env } = args;
  const wanted = (truthy(args.pkgs) ? args.pkgs as unknown[] : [name]).map(str);
  const listed = await context.call("npm.list", [], { dir, runas: user, env, depth: 0 }).catch(
    fails(`Error looking up '${str(name)}': `, said),
  );
  const there = packagesOf(listed);
  const { install, satisfied } = sorted(wanted, there, args.force_reinstall === true);
  const fits = `Package(s) '${wanted.join(", ")}' satisfied by ${satisfied.join(", ")}`;
  const changes = { old: [], new: install };
  if (context.test) {
    const comments = [
      ...(install.length > 0 ? [`NPM package(s) '${install.join(", ")}' are set to be installed`] : []),
      ...(satisfied.length > 0 ? [fits] : []),
    ];
    const result = satisfied.length > 0 ? true : null;
    return outcome(name, result, comments.join(". "), install.length > 0 ? changes : {});
  }
  if (install.length === 0) return outcome(name, true, fits);
  await context.call("npm.install", [], { dir, runas: user, registry, env, pkgs: wanted }).catch(
    fails(`Error installing '${wanted.join(", ")}': `, said),
  );
  return outcome(name, true, `Package(s) '${install.join(", ")}' successfully installed`, changes);
}

/** Lines of npm's cache, or a list of them. */
type Cached = { includes(text: string): boolean; [at: number]: string };

/** Packages of Node, by npm. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "npm") !== undefined || { unavailable: "'npm' binary not found on system" },
  functions: stateFunctions({
    "installed(name, pkgs=None, dir=None, user=None, force_reinstall=False, registry=None, env=None)": {
      doc: "The packages are installed, for the host or in a directory.",
      run: installed,
    },
    "removed(name, dir=None, user=None)": {
      doc: "The package is not installed.",
      async run(context, { name, dir, user }) {
        const listed = await context.call("npm.list", [], { dir, depth: 0 }).catch(
          fails(`Error uninstalling '${str(name)}': `, said),
        );
        const there = packagesOf(listed);
        const which = `ackage '${str(name)}'`;
        if (!there.has(str(name))) return outcome(name, true, `P${which} is not installed`);
        if (context.test) return outcome(name, null, `P${which} is set to be removed`);
        return truthy(await context.call("npm.uninstall", [], { pkg: name, dir, runas: user }))
          ? outcome(name, true, `P${which} was successfully removed`, { [str(name)]: "Removed" })
          : outcome(name, false, `Error removing p${which}`);
      },
    },
    "bootstrap(name, user=None, silent=True)": {
      doc: "What the directory's package.json names is installed in it.",
      async run(context, { name, user, silent }) {
        const options = { dir: name, runas: user, pkg: null, silent, ...(context.test ? { dry_run: true } : {}) };
        const done = await context.call("npm.install", [], options).catch(
          fails(`Error Bootstrapping '${str(name)}': `, said),
        );
        if (context.test) {
          return truthy(done)
            ? outcome(name, null, `${str(name)} is set to be bootstrapped`, { old: [], new: done })
            : outcome(name, true, `${str(name)} is already bootstrapped`);
        }
        if (!truthy(done)) return outcome(name, true, "Directory is already bootstrapped");
        return typeof done === "string"
          ? outcome(name, false, "Could not bootstrap directory", { [str(name)]: done })
          : outcome(name, true, "Directory was successfully bootstrapped", { [str(name)]: "Bootstrapped" });
      },
    },
    "cache_cleaned(name=None, user=None, force: bool=False)": {
      doc: "npm's cache is empty, or has not this package.",
      async run(context, { name, user, force }) {
        const what = truthy(name) ? str(name) : "packages";
        const cached = await context.call("npm.cache_list", [], { path: name, runas: user }).catch(
          fails(`Error looking up cached ${what}: `, said),
        ) as Cached;
        if (truthy(name)) {
          const all = await context.call("npm.cache_list", [], { path: null, runas: user }) as Cached;
          if (!cached.includes(`${all[0]}/${str(name)}/`)) {
            return outcome(name, true, `Package ${str(name)} is not in the cache`);
          }
        }
        if (context.test) return outcome(name, null, `Cached ${what} set to be removed`);
        const forced = force ? { force: true } : {};
        return truthy(await context.call("npm.cache_clean", [], { path: name, runas: user, ...forced }))
          ? outcome(name, true, `Cached ${what} successfully removed`, {
            [truthy(name) ? str(name) : "cache"]: "Removed",
          })
          : outcome(name, false, `Error cleaning cached ${what}`);
      },
    },
  }),
};
