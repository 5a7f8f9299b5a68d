/** What the functions of `pkg` and `lowpkg` do, told once, whichever package manager does it. */
import { type ExecutionFunction, executionFunctions, type JobContext } from "../../model/loader/family.ts";
import type { Head, Row, Signed } from "../../model/loader/signature.ts";

/** Function → what it does, and the words of an example. */
const TOLD = {
  available_version: ["The newest available version, empty if it is installed.", "vim"],
  bin_pkg_info: ["Name, version and architecture of a package in a file.", "/root/foo.rpm"],
  del_repo: ["Removes a repository.", "epel"],
  file_dict: ["The files of packages by package.", "httpd"],
  file_list: ["The files of packages in one list.", "httpd"],
  get_repo: ["A configured repository, or an empty map.", "epel"],
  group_diff: ["Which packages of a group are installed.", "xorg"],
  group_info: ["The packages of a group.", "xorg"],
  group_list: ["The installed and the available groups.", ""],
  hold: ["Holds packages at their version.", "foo"],
  info: ["Details of installed packages.", "bash"],
  info_installed: ["Details of installed packages.", "bash"],
  install: [
    "Installs packages: one with its `version`, several as `pkgs`, or files as `sources`.",
    "pkgs='[foo, {bar: 1.2.3-4}]' refresh=True",
  ],
  latest_version: ["The newest available version, empty if it is installed.", "vim"],
  list_downloaded: ["The downloaded package files: name, version and path.", ""],
  list_holds: ["The packages that are held.", ""],
  list_pkgs: ["The installed packages with their versions.", ""],
  list_repo_pkgs: ["The available versions of packages; with `byrepo` by repository, except on Debian.", "foo"],
  list_repos: ["The configured repositories.", ""],
  list_updates: ["Another name of pkg.list_upgrades.", ""],
  list_upgrades: ["The packages that an upgrade would update; on SUSE with `fromrepo` from some repositories.", ""],
  modified: ["What was changed of the files of packages.", "httpd"],
  normalize_name: ["A name without the architecture if that is this system's own.", "zsh.x86_64"],
  owner: ["The package that a file belongs to; a map for several files.", "/usr/bin/ls"],
  parse_arch: ["A package name and its architecture.", "zsh.x86_64"],
  purge: ["Removes packages and their configuration.", "foo,bar"],
  refresh_db: ["Fetches the lists of packages. Most package managers return which of them are new.", ""],
  remove: ["Removes packages.", "foo,bar"],
  services_need_restart: ["The services that use files which were replaced.", ""],
  unhold: ["Lets held packages be upgraded again.", "foo"],
  upgrade: ["Upgrades all packages, or only `name` or `pkgs` if it has these arguments.", ""],
  upgrade_available: ["True if there is a newer version of a package.", "vim"],
  verify: ["The files that are not as their packages had them.", "httpd"],
  version: ["The installed version, empty for none; a map for several packages.", "vim"],
  version_cmp: ["-1, 0 or 1 for a version that is older than another, the same, or newer.", "1.0-1 1.0-2"],
} as const satisfies Record<string, readonly [what: string, example: string]>;

type Told = keyof typeof TOLD;

type Run<P> = (context: JobContext, args: Signed<P>) => unknown;

/** A told function is its run alone, unless there is more to tell. One that is declared elsewhere stands under its name. */
type Own<P> = P extends `${string}(${string}`
  ? (Head<P> extends Told ? Run<P> | Row<ExecutionFunction, P> : Row<ExecutionFunction, P>)
  : ExecutionFunction;

type ReturnOf<F> = F extends (...args: never) => infer R ? R : F extends { run(...args: never): infer R } ? R : never;

type Declare = <K extends string, T extends { [P in K]: unknown }>(table: T & { [P in K]: Own<P> }) => {
  [P in keyof T & string as Head<P> & string]: Omit<ExecutionFunction, "run"> & {
    run(context: JobContext, args: Signed<P>): ReturnOf<T[P]>;
  };
};

const declaring = (module: string): Declare => (table) => {
  const rows = Object.entries(table).map(([head, own]): [string, Omit<ExecutionFunction, "signature">] => {
    if (typeof own !== "function") return [head, own as ExecutionFunction];
    const name = head.slice(0, head.indexOf("("));
    const [what, example] = TOLD[name as Told];
    return [head, { doc: `${what}\n\n    salt '*' ${module}.${name} ${example}`.trimEnd(), run: own as never }];
  });
  return executionFunctions(Object.fromEntries(rows) as never) as never;
};

/** Declares functions of `pkg`: `"hold(name)": (context, args) => …`. */
export const packageFunctions = declaring("pkg");

export const lowPackageFunctions = declaring("lowpkg");
